//! Small products: a few rows of C in registers, vectors along them, and nothing copied.
//!
//! Such a product takes no longer than its checks: so they are few, and come before all others.

use super::{Matrix, Product, Task};
use crate::simd::{Element, Grid, Kernel4, Lane, Lanes, dispatch4};

/// Up to so many rows, columns and terms.
const MOST: usize = 16;
/// Up to so many products of numbers, where rows of B are not contiguous.
const MOST_FAR: usize = 2048;

/// Does a small product, if it is one, C has its rows or its columns contiguous, and all elements are in range. Else nothing is done.
#[inline(always)]
pub(super) fn multiply<T: Product>(task: &Task<T>, a: &[T], b: &[T], c: &mut [T]) -> bool {
    let Task { m, n, k, .. } = *task;
    // A row or a column of C has ways of its own: its sums may run along vectors.
    let vector = (m == 1 || n == 1) && k > 4;
    if m > MOST || n > MOST || k > MOST || vector {
        false
    } else if task.c.cols == 1 {
        dispatch4::<Small, T, _, _, _, _>(task, a, b, c)
    } else {
        task.c.rows == 1 && dispatch4::<Small, T, _, _, _, _>(&task.transposed(), b, a, c)
    }
}

struct Small;

impl<'a, T: Element> Kernel4<T, &'a Task<T>, &'a [T], &'a [T], &'a mut [T]> for Small {
    type Out = bool;
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, task: &Task<T>, a: &[T], b: &[T], c: &mut [T]) -> bool {
        let Task { m, n, k, .. } = *task;
        if task.b.cols != 1 && m * n * k > MOST_FAR || grid(task.c, m, n, c).is_none() {
            return false;
        }
        let (Some(a), Some(b)) = (grid(task.a, m, k, a), grid(task.b, k, n, b)) else { return false };
        if task.b.cols == 1 {
            all::<T, I, true>(isa, task, a, b, c);
        } else {
            all::<T, I, false>(isa, task, a, b, c);
        }
        true
    }
}

#[inline(always)]
fn grid<T: Copy>(at: Matrix, m: usize, n: usize, slice: &[T]) -> Option<Grid<'_, T>> {
    Grid::new(slice, at.offset, (m, n), (at.rows, at.cols))
}

/// The product; the rows of B are contiguous or not.
#[inline(always)]
fn all<T: Element, I: Lanes<T>, const NEAR: bool>(
    isa: I,
    task: &Task<T>,
    a: Grid<'_, T>,
    b: Grid<'_, T>,
    c: &mut [T],
) {
    for j in (0..task.n).step_by(I::Vector::WIDTH) {
        let mut i = 0;
        // Enough sums that none has to wait for its last term.
        while i + 8 <= task.m {
            rows::<T, I, 8, NEAR>(isa, task, (i, j), a, b, c);
            i += 8;
        }
        while i + 4 <= task.m {
            rows::<T, I, 4, NEAR>(isa, task, (i, j), a, b, c);
            i += 4;
        }
        while i < task.m {
            rows::<T, I, 1, NEAR>(isa, task, (i, j), a, b, c);
            i += 1;
        }
    }
}

/// Row `p` of B from column `j` on, by scalars; lanes beyond the last column have it again, or are zero. (Without a loop it never lies
/// in memory.)
#[inline(always)]
fn column<T: Element, I: Lanes<T>>(isa: I, b: Grid<'_, T>, p: usize, j: usize, last: usize) -> I::Vector {
    macro_rules! lanes {
        ($most:expr; $($l:literal)*) => {
            I::Vector::load(isa, &[$(if $l < $most { b.at(p, (j + $l).min(last)) } else { T::ZERO }),*], 0)
        };
    }
    if last < j + 4 {
        lanes!(4; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    } else {
        lanes!(I::Vector::WIDTH; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    }
}

/// A vector of columns and R rows from row `i` and column `j` on.
#[inline(always)]
fn rows<T: Element, I: Lanes<T>, const R: usize, const NEAR: bool>(
    isa: I,
    task: &Task<T>,
    (i, j): (usize, usize),
    a: Grid<'_, T>,
    b: Grid<'_, T>,
    c: &mut [T],
) {
    let count = (task.n - j).min(I::Vector::WIDTH);
    let zero = I::Vector::splat(isa, T::ZERO);
    let mut sums = [zero; R];
    for p in 0..task.k {
        let y = if NEAR {
            I::Vector::load_part(isa, b.row(p, j, count), 0, count)
        } else {
            column(isa, b, p, j, task.n - 1)
        };
        for (r, sum) in sums.iter_mut().enumerate() {
            *sum = I::Vector::splat(isa, a.at(i + r, p)).mul_add(y, *sum);
        }
    }
    let scale = I::Vector::splat(isa, task.scale);
    let mut c_at = task.c.at(i, j);
    for sum in sums {
        let old = if task.accumulate { I::Vector::load_part(isa, c, c_at, count) } else { zero };
        sum.mul_add(scale, old).store_part(c, c_at, count);
        c_at += task.c.rows;
    }
}
