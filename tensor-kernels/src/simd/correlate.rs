//! Sums of shifted vectors.

use super::arrays::{check_stride, span};
use super::{Element, Lane, Lanes};

/// `sum + Σ_k by[by_at + k * by_stride] · from[at + k]` for `k` from 0 to `len` (exclusive), in each lane from the next place on: a convolution, or
/// the adjoint of one.
///
/// The vectors that such a sum reads overlap, and most of them lie across two cache lines. Those whose places differ by a multiple of a
/// vector's lanes are parts of each other where several vectors are one: so each is loaded once, and serves as many terms as there are parts. A
/// single lane adds up along vectors instead, if `by_stride` is 1. The terms are added in an order that depends on the width.
///
/// # Panics
/// If an element is out of range.
#[cfg_attr(not(unoptimized), inline(always))]
#[must_use]
#[allow(clippy::too_many_arguments)]
pub fn correlate<T: Element, I: Lanes<T>, L: Lane<T, Isa = I>>(
    isa: I,
    sum: L,
    len: usize,
    from: &[T],
    at: usize,
    by: &[T],
    by_at: usize,
    by_stride: isize,
) -> L {
    if len == 0 {
        return sum;
    }
    let from = span(from, at, (len - 1).saturating_add(L::lanes(isa)));
    check_stride(by.len(), by_at, len, by_stride);
    let terms = Terms { from, by, by_at, by_stride };
    let step = L::Part::WIDTH;
    if const { L::WIDTH > L::Part::WIDTH && L::Part::WIDTH > 1 } && len >= 2 * step {
        let whole = len - len % step;
        let sum = sum + terms.overlapping(isa, whole);
        return sum + terms.each::<I, L>(isa, whole, len);
    }
    if const { L::WIDTH == 1 && I::Vector::WIDTH > 1 } && by_stride == 1 {
        return sum + L::splat(isa, dot::<T, I>(isa, from, &by[by_at..]));
    }
    sum + terms.each::<I, L>(isa, 0, len)
}

/// What is added up; all places are in range.
#[derive(Clone, Copy)]
struct Terms<'a, T> {
    from: &'a [T],
    by: &'a [T],
    by_at: usize,
    by_stride: isize,
}

impl<T: Element> Terms<'_, T> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn factor<I: Lanes<T>, L: Lane<T, Isa = I>>(&self, isa: I, k: usize) -> L {
        L::splat(isa, self.by[self.by_at.wrapping_add_signed(self.by_stride.wrapping_mul(k as isize))])
    }

    /// Terms one by one, in several sums.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn each<I: Lanes<T>, L: Lane<T, Isa = I>>(&self, isa: I, first: usize, end: usize) -> L {
        let mut sums = [L::splat(isa, T::ZERO); 4];
        let whole = end - (end - first) % L::CHAINS;
        for k in (first..whole).step_by(L::CHAINS) {
            for (c, sum) in sums.iter_mut().enumerate().take(L::CHAINS) {
                *sum = self.factor::<I, L>(isa, k + c).mul_add(L::load(isa, self.from, k + c), *sum);
            }
        }
        for k in whole..end {
            sums[0] = self.factor::<I, L>(isa, k).mul_add(L::load(isa, self.from, k), sums[0]);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// The first terms, a multiple of a part's lanes: those that are so many apart after each other.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn overlapping<I: Lanes<T>, L: Lane<T, Isa = I>>(&self, isa: I, len: usize) -> L {
        let step = L::Part::WIDTH;
        let zero = L::splat(isa, T::ZERO);
        let mut sums = [zero; 4];
        for r in (0..step).step_by(L::CHAINS) {
            let mut shifted = [zero; 4];
            for c in 0..L::CHAINS {
                shifted[c] = L::load(isa, self.from, r + c);
                sums[c] = self.factor::<I, L>(isa, r + c).mul_add(shifted[c], sums[c]);
            }
            for k in (r + step..len).step_by(step) {
                for c in 0..L::CHAINS {
                    let next = L::Part::load(isa, self.from, k + c + L::WIDTH - step);
                    shifted[c] = shifted[c].shifted(next);
                    sums[c] = self.factor::<I, L>(isa, k + c).mul_add(shifted[c], sums[c]);
                }
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }
}

/// The sum of products of `x` with as many numbers.
#[cfg_attr(not(unoptimized), inline(always))]
fn dot<T: Element, I: Lanes<T>>(isa: I, x: &[T], y: &[T]) -> T {
    let (width, y) = (I::Vector::WIDTH, &y[..x.len()]);
    let mut sums = [I::Vector::splat(isa, T::ZERO); 4];
    let mut k = 0;
    while k + 4 * width <= x.len() {
        for (c, sum) in sums.iter_mut().enumerate() {
            *sum =
                I::Vector::load(isa, x, k + c * width).mul_add(I::Vector::load(isa, y, k + c * width), *sum);
        }
        k += 4 * width;
    }
    while k < x.len() {
        let count = x.len() - k;
        sums[0] =
            I::Vector::load_part(isa, x, k, count).mul_add(I::Vector::load_part(isa, y, k, count), sums[0]);
        k += width;
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])).sum()
}
