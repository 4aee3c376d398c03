//! Products that are smaller than a vector, by single numbers.

use super::{Product, Task};
use crate::simd::{Element, Kernel4, Lane, Lanes, dispatch4};

/// Of more products of numbers than this, it is faster to fill vectors up.
pub(super) const MOST: usize = 128;

/// Any strides.
#[inline(always)]
pub(super) fn multiply<T: Product>(task: Task<T>, a: &[T], b: &[T], c: &mut [T]) {
    dispatch4::<Small, T, _, _, _, _>(task, a, b, c);
}

struct Small;

impl<'a, T: Element> Kernel4<T, Task<T>, &'a [T], &'a [T], &'a mut [T]> for Small {
    type Out = ();
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, task: Task<T>, a: &[T], b: &[T], c: &mut [T]) {
        for i in 0..task.m {
            let mut j = 0;
            while j + 4 <= task.n {
                sums::<T, I, 4>(isa, &task, i, j, a, b, c);
                j += 4;
            }
            if j + 2 <= task.n {
                sums::<T, I, 2>(isa, &task, i, j, a, b, c);
                j += 2;
            }
            if j < task.n {
                sums::<T, I, 1>(isa, &task, i, j, a, b, c);
            }
        }
    }
}

/// N elements of C from row `i` and column `j` on.
#[inline(always)]
fn sums<T: Element, I: Lanes<T>, const N: usize>(
    isa: I,
    task: &Task<T>,
    i: usize,
    j: usize,
    a: &[T],
    b: &[T],
    c: &mut [T],
) {
    let mut sums = [I::Scalar::splat(isa, T::ZERO); N];
    let (mut a_at, mut b_at) = (task.a.at(i, 0), task.b.at(0, j));
    for _ in 0..task.k {
        let x = I::Scalar::load(isa, a, a_at);
        for (l, sum) in sums.iter_mut().enumerate() {
            *sum = x.mul_add(I::Scalar::load(isa, b, b_at + l * task.b.cols), *sum);
        }
        a_at = a_at.wrapping_add(task.a.cols);
        b_at = b_at.wrapping_add(task.b.rows);
    }
    let scale = I::Scalar::splat(isa, task.scale);
    for (l, sum) in sums.iter().enumerate() {
        let at = task.c.at(i, j + l);
        let old = if task.accumulate { I::Scalar::load(isa, c, at) } else { I::Scalar::splat(isa, T::ZERO) };
        sum.mul_add(scale, old).store(c, at);
    }
}
