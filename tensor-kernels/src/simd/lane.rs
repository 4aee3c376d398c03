//! The interface of vectors.

use super::Isa;
use super::arrays::check_rows;
use super::raw::Sealed;
use crate::math::Real;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Declares the functions of the table, each that of [`Real`] in each lane unless overridden.
macro_rules! by_lane {
    (; $($(#[$doc:meta])* $name:ident ( $($arg:ident),* ): $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => { $(
        $(#[$doc])*
        #[cfg_attr(not(unoptimized), inline(always))]
        #[must_use]
        fn $name(self $(, $arg: Self)*) -> Self {
            by_lane!(@ self $name $($arg)*)
        }
    )* };
    (@ $self:ident $name:ident) => { $self.map(T::$name) };
    (@ $self:ident $name:ident $other:ident) => { $self.map2($other, T::$name) };
}

/// A SIMD vector of elements of type `T`, or a scalar, with the instructions of an [`Isa`].
///
/// Operators and functions work on each lane by itself. A comparison gives a [`Lane::Mask`], which [`Lane::select`] takes.
///
/// The manual has a table of the error of each function (`docs/functions.md`), and a test holds them to it: the most is 3 units in the last place.
/// In `f32` most are computed in double precision and then rounded. Infinities, NaN, zeros of either sign and subnormal numbers are as in [`Real`].
/// Those that have a bound of their own in lanes there have formulas for vectors, `sin` and `cos` up to 10^6; other functions of more than a few instructions
/// are those of [`Real`], lane by lane.
pub trait Lane<T: Real>:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Sealed
{
    /// The instruction set.
    type Isa: Isa;
    /// A truth value for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// The elements in memory, with the alignment of `T`.
    type Cell: Copy + Send + Sync + 'static;
    /// One of the vectors that this is made of, or itself.
    type Part: Lane<T, Isa = Self::Isa>;
    /// The number of lanes.
    const WIDTH: usize;
    /// How many sums of such values should run beside each other, at most 4, so that an addition need not wait for the one before.
    const CHAINS: usize;

    /// How many lanes are read and written: all, or those that a token of [`Few`](super::Few) tells.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn lanes(_: Self::Isa) -> usize {
        Self::WIDTH
    }
    /// The proof that lies in every value.
    #[doc(hidden)]
    #[must_use]
    fn token(self) -> Self::Isa;
    /// `x` in every lane.
    #[must_use]
    fn splat(isa: Self::Isa, x: T) -> Self;
    /// `first`, `first + step`, `first + 2 * step`, …, each as the nearest number.
    #[must_use]
    fn iota(isa: Self::Isa, first: isize, step: isize) -> Self;

    /// `from[at]`, `from[at + 1]`, …
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    fn load(isa: Self::Isa, from: &[T], at: usize) -> Self;
    /// `from[at]`, `from[at + 1]`, … in the first `count` lanes, zero in the others; for more than all lanes [`Lane::load`].
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    fn load_part(isa: Self::Isa, from: &[T], at: usize, count: usize) -> Self;
    /// `from[at]`, `from[at - 1]`, …
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    fn load_back(isa: Self::Isa, from: &[T], at: usize) -> Self;
    /// `from[at]`, `from[at + stride]`, `from[at + 2 * stride]`, …
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    fn gather(isa: Self::Isa, from: &[T], at: usize, stride: isize) -> Self;
    /// [`Lane::gather`] by a stride that is known when compiling: fast for those up to 4.
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    fn gather_by<const STRIDE: usize>(isa: Self::Isa, from: &[T], at: usize) -> Self;
    /// Eight: `from[at..at + 8]` in their first lanes, `from[at + stride..][..8]` in their second ones, and so on for `count` lanes; for more than
    /// all, for all. The others hold anything.
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    fn gather_eight(isa: Self::Isa, from: &[T], at: usize, stride: usize, count: usize) -> [Self; 8];
    /// Four columns of rows: `from[at..at + 4]` in their first lanes, `from[at + stride..][..4]` in their second ones, and so on.
    ///
    /// # Panics
    /// If one of them is out of range.
    #[must_use]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn gather_four(isa: Self::Isa, from: &[T], at: usize, stride: usize) -> [Self; 4] {
        check_rows(from.len(), at, Self::lanes(isa), stride, 4);
        let by = stride.cast_signed();
        // Not by a closure over an array, which loses the instruction set.
        [
            Self::gather(isa, from, at, by),
            Self::gather(isa, from, at + 1, by),
            Self::gather(isa, from, at + 2, by),
            Self::gather(isa, from, at + 3, by),
        ]
    }
    /// Four columns to rows: the first lanes to `to[at..at + 4]`, the second ones to `to[at + stride..][..4]`, and so on.
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scatter_four(all: [Self; 4], to: &mut [T], at: usize, stride: usize) {
        check_rows(to.len(), at, Self::lanes(all[0].token()), stride, 4);
        let (by, [a, b, c, d]) = (stride.cast_signed(), all);
        a.scatter(to, at, by);
        b.scatter(to, at + 1, by);
        c.scatter(to, at + 2, by);
        d.scatter(to, at + 3, by);
    }
    /// To `to[at]`, `to[at + 1]`, …
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    fn store(self, to: &mut [T], at: usize);
    /// The first `count` lanes to `to[at]`, `to[at + 1]`, …; for more than all lanes [`Lane::store`].
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    fn store_part(self, to: &mut [T], at: usize, count: usize);
    /// To `to[at]`, `to[at - 1]`, …
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    fn store_back(self, to: &mut [T], at: usize);
    /// To `to[at]`, `to[at + stride]`, …, the first lane first: if `stride` is 0, the last lane stays.
    ///
    /// # Panics
    /// If one of them is out of range.
    fn scatter(self, to: &mut [T], at: usize, stride: isize);
    /// [`Lane::scatter`] by a stride that is known when compiling, but not 0: fast for those up to 4.
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    fn scatter_by<const STRIDE: usize>(self, to: &mut [T], at: usize);
    /// The first of eight to `to[at]`, `to[at + 1]`, …, the second to `to[at + stride]`, `to[at + stride + 1]`, …, and so on. Where these overlap, any
    /// of them stays.
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    fn store_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize);
    /// The eight elements that the first lanes hold to `to[at..at + 8]`, those that the second ones hold to `to[at + stride..][..8]`, and so on for
    /// `count` lanes; for more than all, for all.
    ///
    /// # Panics
    /// If one of them is out of range; then nothing is written.
    fn scatter_eight(all: [Self; 8], to: &mut [T], at: usize, stride: usize, count: usize);
    /// Memory as cells; a remainder at the end is dropped.
    #[must_use]
    fn cells(work: &mut [T]) -> &mut [Self::Cell];
    /// From a cell.
    #[must_use]
    fn get(isa: Self::Isa, cell: &Self::Cell) -> Self;
    /// To a cell.
    fn set(self, cell: &mut Self::Cell);

    /// `self * b + c`, rounded once where [`Isa::FMA`], else twice. It is never a call.
    #[must_use]
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// The first part.
    #[doc(hidden)]
    #[must_use]
    fn first(self) -> Self::Part;
    /// Without the first part, and with another one behind the last.
    #[doc(hidden)]
    #[must_use]
    fn shifted(self, next: Self::Part) -> Self;
    /// Whether [`Lane::sums`] is faster than one sum after the other.
    const SUMS: bool;
    /// `f` of each part and that of another.
    #[doc(hidden)]
    #[must_use]
    fn by_parts(self, b: Self, f: impl Fn(Self::Part, Self::Part) -> Self::Part + Copy) -> Self;
    /// The parts as one, by `f`: the halves, their halves, and so on.
    #[doc(hidden)]
    #[must_use]
    fn folded_by(self, f: impl Fn(Self::Part, Self::Part) -> Self::Part + Copy) -> Self::Part;
    /// The sum of the parts.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn folded(self) -> Self::Part {
        self.folded_by(|a, b| a + b)
    }
    /// The greatest of the parts, lane by lane, where none is NaN.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn folded_greatest(self) -> Self::Part {
        self.folded_by(|a, b| Self::Part::select(a.gt(b), a, b))
    }
    /// The least of the parts, lane by lane, where none is NaN.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn folded_least(self) -> Self::Part {
        self.folded_by(|a, b| Self::Part::select(a.lt(b), a, b))
    }
    /// The sum of `c` and of the parts of `self * b`, part by part by [`Lane::mul_add`].
    #[doc(hidden)]
    #[must_use]
    fn folded_mul_add(self, b: Self, c: Self::Part) -> Self::Part;
    /// The sum of the lanes of each, as by [`Lane::sum`].
    #[doc(hidden)]
    #[must_use]
    fn sums(all: [Self::Part; 8]) -> [T; 8];
    /// The sum of all lanes: those of the second half are added to those of the first, and so on with what remains.
    #[must_use]
    fn sum(self) -> T;
    /// The greatest of all lanes; NaN only if all are.
    #[must_use]
    fn greatest(self) -> T;
    /// The least of all lanes; NaN only if all are.
    #[must_use]
    fn least(self) -> T;

    /// a < b
    #[must_use]
    fn lt(self, b: Self) -> Self::Mask;
    /// a ≤ b
    #[must_use]
    fn le(self, b: Self) -> Self::Mask;
    /// a > b
    #[must_use]
    fn gt(self, b: Self) -> Self::Mask;
    /// a ≥ b
    #[must_use]
    fn ge(self, b: Self) -> Self::Mask;
    /// a = b
    #[must_use]
    fn eq(self, b: Self) -> Self::Mask;
    /// a ≠ b; true if one is NaN
    #[must_use]
    fn ne(self, b: Self) -> Self::Mask;
    /// `x` for every lane.
    #[must_use]
    fn mask(isa: Self::Isa, x: bool) -> Self::Mask;
    /// True in the first `count` lanes; for more than all, in all.
    #[must_use]
    fn firsts(isa: Self::Isa, count: usize) -> Self::Mask;
    /// Whether one lane is true.
    #[must_use]
    fn any(mask: Self::Mask) -> bool;
    /// Whether all lanes are true.
    #[must_use]
    fn all(mask: Self::Mask) -> bool;
    /// `a` where `mask` is true, else `b`.
    #[must_use]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// `f` of each lane, for what has no vector form.
    #[must_use]
    fn map(self, f: impl Fn(T) -> T) -> Self;
    /// `f` of each lane of `self` and of `b`.
    #[must_use]
    fn map2(self, b: Self, f: impl Fn(T, T) -> T) -> Self;

    crate::scalar_functions! { by_lane }

    /// x where it is finite, else 0.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn finite_or_zero(self) -> Self {
        self.map(T::finite_or_zero)
    }

    /// x^k: up to |k| = 2^31 by repeated squaring, beyond it by [`Lane::powf`].
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn powi(self, exponent: i64) -> Self {
        self.map(|x| x.powi(exponent))
    }

    /// `self.max(low).min(high)`, which is `high` where `high < low`: it never panics.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}
