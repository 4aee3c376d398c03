//! Copies of blocks.

use super::{Matrix, Product};

/// Columns that are transposed at once.
const GROUP: usize = 8;

/// `to[p * step + j] = B[p, j]` for `k` rows and `n` columns.
pub(super) fn panel<T: Product>(b: &[T], at: Matrix, k: usize, n: usize, to: &mut [T], step: usize) {
    if at.cols == 1 {
        for (p, to) in to.chunks_exact_mut(step).enumerate() {
            to[..n].copy_from_slice(&b[at.at(p, 0)..][..n]);
        }
        return;
    }
    let mut j = 0;
    if at.rows == 1 {
        while j + GROUP <= n {
            transpose(b, Matrix { offset: at.at(0, j), ..at }, k, &mut to[j..], step);
            j += GROUP;
        }
    }
    for j in j..n {
        let column = b[at.at(0, j)..].iter().step_by(at.rows);
        for (to, &x) in to[j..].iter_mut().step_by(step).zip(column).take(k) {
            *to = x;
        }
    }
}

/// `to[p * step + l] = B[p, l]` for `k` rows, which are contiguous downwards, and a group of columns.
fn transpose<T: Product>(b: &[T], at: Matrix, k: usize, to: &mut [T], step: usize) {
    let mut columns: [&[T]; GROUP] = [&[]; GROUP];
    for (l, column) in columns.iter_mut().enumerate() {
        *column = &b[at.at(0, l)..][..k];
    }
    for (p, to) in to.chunks_mut(step).take(k).enumerate() {
        let mut all = [T::ZERO; GROUP];
        for l in 0..GROUP {
            all[l] = columns[l][p];
        }
        to[..GROUP].copy_from_slice(&all);
    }
}

/// A block of A, contiguous along its columns if `across`, else along its rows, at the distance `step`.
pub(super) fn left<'a, T: Product>(
    a: &[T],
    at: Matrix,
    across: bool,
    m: usize,
    k: usize,
    to: &'a mut [T],
    step: usize,
) -> (&'a [T], usize) {
    let (at, m, k) = if across { (at.transposed(), k, m) } else { (at, m, k) };
    for (i, to) in to.chunks_mut(step).take(m).enumerate() {
        let from = &a[at.at(i, 0)..];
        if at.cols == 1 {
            to[..k].copy_from_slice(&from[..k]);
        } else {
            for (to, &x) in to[..k].iter_mut().zip(from.iter().step_by(at.cols)) {
                *to = x;
            }
        }
    }
    (to, step)
}
