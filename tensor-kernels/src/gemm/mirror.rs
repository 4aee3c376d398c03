//! Symmetric matrices of which one half is known.

use super::{Matrix, Product};

/// Rows and columns of a block.
const BLOCK: usize = 8;

/// The elements below the diagonal of a matrix of `n` rows and columns become those above it: `C[i, j] = C[j, i]` where `j < i`.
///
/// (With the strides of the transposed matrix, those above become those below.)
///
/// # Panics
/// If an element is out of range (then nothing is written).
pub fn mirror<T: Product>(n: usize, c: &mut [T], at: Matrix) {
    if n < 2 {
        return;
    }
    at.check(n, n, c.len());
    for i in (0..n).step_by(BLOCK) {
        let rows = BLOCK.min(n - i);
        for j in (0..i).step_by(BLOCK) {
            if rows == BLOCK && at.cols == 1 {
                block(c, at, i, j);
            } else {
                (i..i + rows).for_each(|i| row(c, at, i, j..j + BLOCK));
            }
        }
        (i..i + rows).for_each(|k| row(c, at, k, i..k));
    }
}

/// A part of row `i`, element by element.
fn row<T: Product>(c: &mut [T], at: Matrix, i: usize, columns: core::ops::Range<usize>) {
    for j in columns {
        c[at.at(i, j)] = c[at.at(j, i)];
    }
}

/// The block from row `i` and column `j` on, whose rows are contiguous: what is read of a line of the cache is read at once.
fn block<T: Product>(c: &mut [T], at: Matrix, i: usize, j: usize) {
    let mut all = [[T::ZERO; BLOCK]; BLOCK];
    for (k, from) in all.iter_mut().enumerate() {
        from.copy_from_slice(&c[at.at(j + k, i)..][..BLOCK]);
    }
    for r in 0..BLOCK {
        let to = &mut c[at.at(i + r, j)..][..BLOCK];
        for (to, from) in to.iter_mut().zip(&all) {
            *to = from[r];
        }
    }
}
