//! Copies of blocks.

use super::Matrix;
use crate::simd::{Element, Lane, Lanes};

/// Columns that are transposed at once.
const GROUP: usize = 8;

/// `to[p * step + j] = B[p, j]` for `k` rows and `n` columns, and 0 for the columns from `n` to `filled`.
#[inline(always)]
pub(super) fn panel<T: Element>(
    b: &[T],
    at: Matrix,
    k: usize,
    n: usize,
    filled: usize,
    to: &mut [T],
    step: usize,
) {
    let rows = to.chunks_exact_mut(step).take(k);
    if at.cols == 1 {
        for (p, to) in rows.enumerate() {
            to[..n].copy_from_slice(&b[at.at(p, 0)..][..n]);
            to[n..filled].fill(T::ZERO);
        }
        return;
    }
    if n < filled {
        for to in rows {
            to[n..filled].fill(T::ZERO);
        }
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
#[inline(always)]
fn transpose<T: Element>(b: &[T], at: Matrix, k: usize, to: &mut [T], step: usize) {
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
#[inline(always)]
pub(super) fn left<'a, T: Element>(
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

/// `C[i, j] (+)= from[i * step + first + j]`
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) fn add<T: Element, I: Lanes<T>>(
    isa: I,
    from: &[T],
    step: usize,
    first: usize,
    m: usize,
    n: usize,
    c: &mut [T],
    at: Matrix,
    accumulate: bool,
) {
    for (i, from) in from.chunks(step).take(m).enumerate() {
        for (j, &x) in from[first..][..n].iter().enumerate() {
            let to = &mut c[at.at(i, j)];
            *to = if accumulate { (I::Scalar::splat(isa, *to) + I::Scalar::splat(isa, x)).sum() } else { x };
        }
    }
}
