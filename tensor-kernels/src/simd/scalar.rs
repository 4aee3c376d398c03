//! One lane.

use super::Isa;
use super::derive::lane;
use super::math;
use super::raw::{Double, Raw, Single};
use crate::math::Real;

/// One number, computed with as a lane of the instruction set's vectors.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<T, I>(T, I);

macro_rules! scalar {
    ($T:ident, $mul_add:ident) => {
        impl<I: Isa> Raw<$T> for Scalar<$T, I> {
            type Of = I;
            type Truth = bool;
            type Array = [$T; 1];
            const CONVERTS: bool = true;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn isa(self) -> I {
                self.1
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn all_of(isa: I, x: $T) -> Self {
                Scalar(x, isa)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn steps(isa: I) -> Self {
                Scalar(0.0, isa)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_array(isa: I, x: &[$T; 1]) -> Self {
                Scalar(x[0], isa)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn to_array(self) -> [$T; 1] {
                [self.0]
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn reversed(self) -> Self {
                self
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from_apart<const STRIDE: usize>(isa: I, from: &[$T]) -> Self {
                Scalar(from[0], isa)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn put_apart<const STRIDE: usize>(self, to: &mut [$T]) {
                to[0] = self.0;
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn plus(self, b: Self) -> Self {
                Scalar(self.0 + b.0, self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn minus(self, b: Self) -> Self {
                Scalar(self.0 - b.0, self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn times(self, b: Self) -> Self {
                Scalar(self.0 * b.0, self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn over(self, b: Self) -> Self {
                Scalar(self.0 / b.0, self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn fused(self, b: Self, c: Self) -> Self {
                Scalar(self.1.$mul_add(self.0, b.0, c.0), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn root(self) -> Self {
                Scalar(Real::sqrt(self.0), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn down(self) -> Self {
                Scalar(Real::floor(self.0), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn up(self) -> Self {
                Scalar(Real::ceil(self.0), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn toward_zero(self) -> Self {
                let down = Real::floor(Real::abs(self.0));
                Scalar(down.copysign(self.0), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn greater(self, b: Self) -> Self {
                if self.0 > b.0 { self } else { b }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn lesser(self, b: Self) -> Self {
                if self.0 < b.0 { self } else { b }
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn total(self) -> $T {
                self.0
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_lt(self, b: Self) -> bool {
                self.0 < b.0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_le(self, b: Self) -> bool {
                self.0 <= b.0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_eq(self, b: Self) -> bool {
                self.0 == b.0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn is_ne(self, b: Self) -> bool {
                self.0 != b.0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn truth(_: I, x: bool) -> bool {
                x
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn firsts(_: I, count: usize) -> bool {
                count > 0
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn some(mask: bool) -> bool {
                mask
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn every(mask: bool) -> bool {
                mask
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn choose(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn and(self, b: Self) -> Self {
                Scalar($T::from_bits(self.0.to_bits() & b.0.to_bits()), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn or(self, b: Self) -> Self {
                Scalar($T::from_bits(self.0.to_bits() | b.0.to_bits()), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn xor(self, b: Self) -> Self {
                Scalar($T::from_bits(self.0.to_bits() ^ b.0.to_bits()), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_add(self, b: Self) -> Self {
                Scalar($T::from_bits(self.0.to_bits().wrapping_add(b.0.to_bits())), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_sub(self, b: Self) -> Self {
                Scalar($T::from_bits(self.0.to_bits().wrapping_sub(b.0.to_bits())), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_left(self, count: u32) -> Self {
                Scalar($T::from_bits(self.0.to_bits() << count), self.1)
            }
            #[cfg_attr(not(unoptimized), inline(always))]
            fn bits_right(self, count: u32) -> Self {
                Scalar($T::from_bits(self.0.to_bits() >> count), self.1)
            }
        }

        lane! { Scalar<$T, I>, $T, I, 1, bool; I: Isa }
    };
}

scalar! { f64, mul_add_f64 }
scalar! { f32, mul_add_f32 }

impl<I: Isa> Double for Scalar<f64, I> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scaled(self, n: Self) -> Self {
        math::scaled(self, n)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn split(self) -> (Self, Self) {
        math::split(self)
    }
}

impl<I: Isa> Single for Scalar<f32, I> {
    type Wider = Scalar<f64, I>;
    #[cfg_attr(not(unoptimized), inline(always))]
    fn widened(self) -> Scalar<f64, I> {
        Scalar(self.0.into(), self.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn narrowed(x: Scalar<f64, I>) -> Self {
        Scalar(x.0 as f32, x.1)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn scaled(self, n: Self) -> Self {
        math::single::scaled(self, n)
    }
    #[cfg_attr(not(unoptimized), inline(always))]
    fn split(self) -> (Self, Self) {
        math::single::split(self)
    }
}
