//! Copies of blocks.

use super::{Matrix, Product};

/// Columns that are transposed at once.
const GROUP: usize = 8;

/// `to[p * step + j] = B[p, j]` for `k` rows and `n` columns.
pub(super) fn copy<T: Product>(b: &[T], at: Matrix, k: usize, n: usize, to: &mut [T], step: usize) {
    if at.cols == 1 {
        return match n {
            8 => rows::<T, 8>(b, at, k, to, step),
            16 => rows::<T, 16>(b, at, k, to, step),
            24 => rows::<T, 24>(b, at, k, to, step),
            48 => rows::<T, 48>(b, at, k, to, step),
            _ => {
                for (p, to) in to.chunks_exact_mut(step).take(k).enumerate() {
                    to[..n].copy_from_slice(&b[at.at(p, 0)..][..n]);
                }
            }
        };
    }
    let mut j = 0;
    if at.rows == 1 {
        while j + GROUP <= n {
            transpose(b, Matrix { offset: at.at(0, j), ..at }, k, &mut to[j..], step);
            j += GROUP;
        }
    }
    for j in j..n {
        spread(&b[at.at(0, j)..], at.rows, to[j..].iter_mut().step_by(step).take(k));
    }
}

/// Elements that are `stride` apart: with stride 0, the first one again and again.
#[inline(always)]
pub(super) fn spread<'a, T: Copy + 'a>(from: &[T], stride: usize, to: impl Iterator<Item = &'a mut T>) {
    if stride == 0 {
        to.for_each(|to| *to = from[0]);
    } else {
        to.zip(from.iter().step_by(stride)).for_each(|(to, x)| *to = *x);
    }
}

/// Rows of `N` columns, which are contiguous: without calls of `memcpy`.
#[inline(always)]
fn rows<T: Product, const N: usize>(b: &[T], at: Matrix, k: usize, to: &mut [T], step: usize) {
    for (p, to) in to.chunks_exact_mut(step).take(k).enumerate() {
        if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), b[at.at(p, 0)..].first_chunk()) {
            *to = *from;
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
