//! What an instruction set gives for each of its vectors; all else is written with it.

use super::arrays::check_rows;
use super::{Isa, Lane};
use crate::math::Real;
use core::ops::{Add, BitAnd, Div, Mul, Neg, Sub};

/// No traits of this module are implemented outside the crate.
pub trait Sealed {}

/// The vectors of `I` for the element type `Self`.
pub trait Forms<I>: Real {
    /// [`super::Lanes::Part`]
    type Part: Lane<Self, Isa = I, Part = Self::Part>;
    /// [`super::Lanes::Wide`]
    type Wide: Lane<Self, Isa = I, Part = Self::Part>;
    /// [`super::Lanes::Vector`]
    type Vector: Lane<Self, Isa = I, Part = Self::Part>;
    /// [`super::Lanes::Body`]
    type Body: Lane<Self, Isa = I, Part = Self::Part>;
    /// [`super::Lanes::Large`]
    type Large: Lane<Self, Isa = I, Part = Self::Part>;
    /// [`super::Lanes::Scalar`]
    type Scalar: Lane<Self, Isa = I>;
}

/// Blocks of 8 by 8 numbers, transposed by the instructions of `I`.
pub trait Across<I>: Real {
    /// `out[i][j] = b[j][i]`
    #[cfg_attr(not(unoptimized), inline(always))]
    fn transposed(_: I, b: &[[Self; 8]; 8]) -> [[Self; 8]; 8] {
        let mut out = [[Self::ZERO; 8]; 8];
        for (i, row) in out.iter_mut().enumerate() {
            for (to, from) in row.iter_mut().zip(b) {
                *to = from[i];
            }
        }
        out
    }
}

/// `a * b + c` of scalars, as a lane of the instruction set's vectors computes it.
pub trait Fused: Sealed + Sized {
    /// In double precision.
    fn mul_add_f64(self, a: f64, b: f64, c: f64) -> f64;
    /// In single precision.
    fn mul_add_f32(self, a: f32, b: f32, c: f32) -> f32;
}

impl Fused for super::Baseline {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f64(self, a: f64, b: f64, c: f64) -> f64 {
        #[cfg(all(target_arch = "aarch64", feature = "std"))]
        return a.mul_add(b, c);
        #[cfg(not(all(target_arch = "aarch64", feature = "std")))]
        return a * b + c;
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mul_add_f32(self, a: f32, b: f32, c: f32) -> f32 {
        #[cfg(all(target_arch = "aarch64", feature = "std"))]
        return a.mul_add(b, c);
        #[cfg(not(all(target_arch = "aarch64", feature = "std")))]
        return a * b + c;
    }
}

/// A vector in registers. The operators and [`Lane`] are implemented through this by `lane!`.
pub trait Raw<T: Real>:
    Copy
    + Sealed
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Its instruction set.
    type Of: Isa;
    /// A truth value for each lane.
    type Truth: Copy + BitAnd<Output = Self::Truth>;
    /// `[T; WIDTH]`
    type Array: AsRef<[T]> + AsMut<[T]> + Copy + Send + Sync + 'static;

    /// Whether there is an instruction from `i64` to `T`.
    const CONVERTS: bool;

    /// The proof that lies in every value.
    fn isa(self) -> Self::Of;
    /// The same number in all lanes.
    fn all_of(isa: Self::Of, x: T) -> Self;
    /// 0, 1, 2, …
    fn steps(isa: Self::Of) -> Self;
    /// From memory.
    fn from_array(isa: Self::Of, x: &Self::Array) -> Self;
    /// To memory.
    fn to_array(self) -> Self::Array;
    /// To memory.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn put(self, to: &mut Self::Array) {
        *to = self.to_array();
    }
    /// The first lanes from memory, zero in the others. What is longer than a vector is cut.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from_part(isa: Self::Of, from: &[T]) -> Self {
        let mut all = Self::all_of(isa, T::ZERO).to_array();
        for (to, x) in all.as_mut().iter_mut().zip(from) {
            *to = *x;
        }
        Self::from_array(isa, &all)
    }
    /// The first lanes to memory, as many as it has room for.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn put_part(self, to: &mut [T]) {
        for (to, x) in to.iter_mut().zip(self.to_array().as_ref()) {
            *to = *x;
        }
    }
    /// Lane `l` of the k-th from `from[at + l * stride + k]`, for the first `count` lanes. The others hold anything.
    ///
    /// # Panics
    /// If one of those is out of range.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn get_eight(isa: Self::Of, from: &[T], at: usize, stride: usize, count: usize) -> [Self; 8] {
        let mut all = [Self::all_of(isa, T::ZERO).to_array(); 8];
        let count = count.min(all[0].as_ref().len());
        check_rows(from.len(), at, count, stride, all.len());
        for l in 0..count {
            for (x, v) in from[at + l * stride..].iter().zip(&mut all) {
                v.as_mut()[l] = *x;
            }
        }
        all.map(|x| Self::from_array(isa, &x))
    }
    /// Lane `l` of the k-th from `from[l * stride + k]`; out of range it panics.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn get_four(isa: Self::Of, from: &[T], stride: usize) -> [Self; 4] {
        let mut all = [Self::all_of(isa, T::ZERO).to_array(); 4];
        for l in 0..all[0].as_ref().len() {
            for (x, v) in from[l * stride..].iter().zip(&mut all) {
                v.as_mut()[l] = *x;
            }
        }
        all.map(|x| Self::from_array(isa, &x))
    }
    /// Lane `l` of the k-th to `to[l * stride + k]`; out of range it panics.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn put_four(all: [Self; 4], to: &mut [T], stride: usize) {
        let all = all.map(Self::to_array);
        for l in 0..all[0].as_ref().len() {
            for (x, v) in to[l * stride..].iter_mut().zip(&all) {
                *x = v.as_ref()[l];
            }
        }
    }
    /// The lanes from last to first.
    fn reversed(self) -> Self;
    /// `from[0]`, `from[STRIDE]`, `from[2 * STRIDE]`, …
    ///
    /// # Panics
    /// If one of them is out of range.
    fn from_apart<const STRIDE: usize>(isa: Self::Of, from: &[T]) -> Self;
    /// To `to[0]`, `to[STRIDE]`, `to[2 * STRIDE]`, …
    ///
    /// # Panics
    /// If one of them is out of range.
    fn put_apart<const STRIDE: usize>(self, to: &mut [T]);
    /// Lane `l` of all to `to[at + l * stride..][..8]`, of the first `count` lanes.
    ///
    /// # Panics
    /// If one of those is out of range; then nothing is written.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn put_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize, count: usize) {
        let all = all.map(Self::to_array);
        let count = count.min(all[0].as_ref().len());
        check_rows(to.len(), at, count, stride, all.len());
        for l in 0..count {
            for (x, v) in to[at + l * stride..].iter_mut().zip(&all) {
                *x = v.as_ref()[l];
            }
        }
    }

    /// a + b
    fn plus(self, b: Self) -> Self;
    /// a − b
    fn minus(self, b: Self) -> Self;
    /// a · b
    fn times(self, b: Self) -> Self;
    /// a / b
    fn over(self, b: Self) -> Self;
    /// a · b + c
    fn fused(self, b: Self, c: Self) -> Self;
    /// √a
    fn root(self) -> Self;
    /// ⌊a⌋
    fn down(self) -> Self;
    /// ⌈a⌉
    fn up(self) -> Self;
    /// a without what is behind the point
    fn toward_zero(self) -> Self;
    /// a if a > b, else b
    fn greater(self, b: Self) -> Self;
    /// a if a < b, else b
    fn lesser(self, b: Self) -> Self;
    /// The sum of all lanes, of halves, of their halves, and so on.
    fn total(self) -> T;
    /// Whether [`Raw::totals`] is faster than eight times [`Raw::total`].
    const TOTALS: bool = false;
    /// The sums of the lanes of each, as by [`Raw::total`].
    #[cfg_attr(not(unoptimized), inline(always))]
    fn totals(all: [Self; 8]) -> [T; 8] {
        all.map(Self::total)
    }

    /// a < b
    fn is_lt(self, b: Self) -> Self::Truth;
    /// a ≤ b
    fn is_le(self, b: Self) -> Self::Truth;
    /// a = b
    fn is_eq(self, b: Self) -> Self::Truth;
    /// a ≠ b, or NaN
    fn is_ne(self, b: Self) -> Self::Truth;
    /// The same in all lanes.
    fn truth(isa: Self::Of, x: bool) -> Self::Truth;
    /// True in the first `count` lanes; for more than all, in all.
    fn firsts(isa: Self::Of, count: usize) -> Self::Truth;
    /// Whether one is true.
    fn some(mask: Self::Truth) -> bool;
    /// Whether all are true.
    fn every(mask: Self::Truth) -> bool;
    /// a where true, else b.
    fn choose(mask: Self::Truth, a: Self, b: Self) -> Self;

    /// Bitwise and.
    fn and(self, b: Self) -> Self;
    /// Bitwise or.
    fn or(self, b: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, b: Self) -> Self;
    /// The bits as whole numbers, added modulo the width of `T`.
    fn bits_add(self, b: Self) -> Self;
    /// The bits as whole numbers, subtracted modulo the width of `T`.
    fn bits_sub(self, b: Self) -> Self;
    /// The bits, to the left.
    fn bits_left(self, count: u32) -> Self;
    /// The bits, to the right; zeros come in.
    fn bits_right(self, count: u32) -> Self;
}

/// What only vectors of `f64` have.
pub trait Double: Raw<f64> {
    /// x · 2^n, rounded once, for integers |n| ≤ 2040 and x neither tiny nor huge.
    fn scaled(self, n: Self) -> Self;
    /// (m, k) with x = 2^k m and √½ ≤ m ≤ √2. For 0, ∞, negative numbers and NaN, k is −∞, ∞, NaN, NaN, and m finite or NaN.
    fn split(self) -> (Self, Self);
}

/// What only vectors of `f32` have.
pub trait Single: Raw<f32> {
    /// A vector of `f64` of as many lanes.
    type Wider: Lane<f64>;
    /// In double precision.
    fn widened(self) -> Self::Wider;
    /// Rounded to single precision.
    fn narrowed(x: Self::Wider) -> Self;
    /// x · 2^n, rounded once, for integers |n| ≤ 250 and x neither tiny nor huge.
    fn scaled(self, n: Self) -> Self;
    /// As [`Double::split`].
    fn split(self) -> (Self, Self);
}
