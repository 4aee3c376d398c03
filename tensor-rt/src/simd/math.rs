//! The functions of vectors, in double precision: written once, for the vectors of every instruction set.
//!
//! They have no branches but to cold functions, for lanes with rare arguments. Single precision takes them too: a result is rounded to
//! single precision once it is there.

mod cheap;
mod exp;
mod log;
mod power;
mod trig;

pub use cheap::{finite_or_zero, powi, round, signum};
pub use exp::{exp, exp_m1, exp2, scaled, sigmoid, tanh};
pub use log::{ln, ln_1p, log2, log10, softplus, split};
pub use power::powf;
pub use trig::{cos, sin};

use super::raw::Double;

/// A constant in all lanes of a vector like `like`.
#[inline(always)]
fn c<V: Double>(like: V, x: f64) -> V {
    V::all_of(like.isa(), x)
}

/// A polynomial of x by Horner's rule, the constant term first.
macro_rules! horner {
    ($x:expr; $a:expr) => { $crate::simd::math::c($x, $a) };
    ($x:expr; $a:expr, $($more:expr),+) => {
        $crate::simd::math::horner!($x; $($more),+).fused($x, $crate::simd::math::c($x, $a))
    };
}

/// A polynomial of x, given z = x²: the even and the odd terms by Horner's rule each, so that the chain is half as long.
macro_rules! even_odd {
    ($x:expr, $z:expr; $($a:expr, $b:expr),+) => {
        $crate::simd::math::horner!($z; $($b),+).fused($x, $crate::simd::math::horner!($z; $($a),+))
    };
}

use {even_odd, horner};

/// The functions of `Lane` that have a form for vectors. In single precision they are computed in double precision.
macro_rules! functions {
    ($T:ident) => {
        #[inline(always)]
        fn signum(self) -> Self {
            $crate::simd::math::signum(self)
        }
        #[inline(always)]
        fn round(self) -> Self {
            $crate::simd::math::round(self)
        }
        #[inline(always)]
        fn finite_or_zero(self) -> Self {
            $crate::simd::math::finite_or_zero(self)
        }
        #[inline(always)]
        fn powi(self, exponent: i64) -> Self {
            $crate::simd::math::powi(self, exponent)
        }
        $crate::simd::math::functions! { @ $T exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tanh sigmoid softplus }
        #[cfg(not(feature = "exact-math"))]
        #[inline(always)]
        fn powf(self, exponent: Self) -> Self {
            $crate::simd::math::functions! { @@ $T powf self exponent }
        }
    };
    (@ $T:ident $($name:ident)*) => { $(
        #[cfg(not(feature = "exact-math"))]
        #[inline(always)]
        fn $name(self) -> Self {
            $crate::simd::math::functions! { @@ $T $name self }
        }
    )* };
    (@@ f64 $name:ident $self:ident $($other:ident)?) => { $crate::simd::math::$name($self $(, $other)?) };
    (@@ f32 $name:ident $self:ident $($other:ident)?) => {
        Self::narrowed($crate::simd::Lane::<f64>::$name($self.widened() $(, $other.widened())?))
    };
}

pub(crate) use functions;
