//! Symmetric matrices of which one triangle is known.

use super::{Matrix, Product};
use crate::simd::{Element, Kernel4, Lanes, SIDE, Squares, dispatch4};
use core::ops::Range;

/// Symmetrizes a matrix of `n` rows and columns: the elements below the diagonal become those above it: `C[i, j] = C[j, i]` where `j / block < i / block`. What is
/// in a block on the diagonal stays as it is: with `block` 1, an element.
///
/// (With the strides of the transposed matrix, those above become those below.)
///
/// # Panics
/// If an element is out of range, or `block` is 0 and there are rows (then nothing is written).
pub fn symmetrize<T: Product>(n: usize, block: usize, c: &mut [T], at: Matrix) {
    T::symmetrize(n, block, c, at);
}

/// See [`symmetrize`].
#[inline(always)]
pub(super) fn run<T: Product>(n: usize, block: usize, c: &mut [T], at: Matrix) {
    if n == 0 {
        return;
    }
    assert_ne!(block, 0, "blocks of no rows");
    at.check(n, n, c.len());
    if n < SIDE {
        (0..n).for_each(|i| row(c, at, i, 0..below(i, block)));
    } else {
        dispatch4::<Symmetrize, T, _, _, _, _>(n, block, c, at);
    }
}

struct Symmetrize;

impl<'a, T: Element> Kernel4<T, usize, usize, &'a mut [T], Matrix> for Symmetrize {
    type Out = ();
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, n: usize, block: usize, c: &'a mut [T], at: Matrix) {
        // Along which elements of the matrix are contiguous.
        let stride = match at {
            Matrix { cols: 1, rows, .. } => Squares::new(rows),
            Matrix { rows: 1, cols, .. } => Squares::new(cols),
            Matrix { .. } => None,
        };
        let Some(squares) = stride else {
            return (0..n).for_each(|i| row(c, at, i, 0..below(i, block)));
        };
        for first in (0..n).step_by(SIDE) {
            if n - first < SIDE && n < 2 * SIDE {
                return (first..n).for_each(|i| row(c, at, i, 0..below(i, block)));
            }
            // The last rows are some that were there before, too, where n is no multiple: so all squares are whole.
            let first = first.min(n - SIDE);
            let beside = below(first, block);
            let whole = beside / SIDE * SIDE;
            for j in (0..whole).step_by(SIDE) {
                across(isa, c, squares, at.at(j, first), at.at(first, j));
            }
            let rest = if whole < beside && beside >= SIDE {
                across(isa, c, squares, at.at(beside - SIDE, first), at.at(first, beside - SIDE));
                beside
            } else {
                whole
            };
            if block == 1 && rest == first {
                squares.symmetrize(isa, c, at.at(first, first), at.cols == 1);
            } else {
                (first..first + SIDE).for_each(|i| row(c, at, i, rest..below(i, block)));
            }
        }
    }
}

/// The transpose of the square that begins at `from` becomes that at `to`.
#[inline(always)]
fn across<T: Element, I: Lanes<T>>(isa: I, c: &mut [T], squares: Squares, from: usize, to: usize) {
    let all = isa.transposed(&squares.read(c, from));
    squares.write(c, to, all);
}

/// The first column of the block on the diagonal in a row.
#[inline(always)]
fn below(row: usize, block: usize) -> usize {
    if block == 1 { row } else { row / block * block }
}

/// A part of row `i`, element by element.
#[inline(always)]
fn row<T: Copy>(c: &mut [T], at: Matrix, i: usize, columns: Range<usize>) {
    for j in columns {
        c[at.at(i, j)] = c[at.at(j, i)];
    }
}
