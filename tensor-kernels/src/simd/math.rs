//! The functions of vectors: written once, for the vectors of every instruction set.
//!
//! They have no branches but to cold functions, for lanes with rare arguments. In single precision most are computed in double precision
//! and then rounded; the file `single.rs` has the others.

mod cheap;
mod exp;
mod log;
mod power;
pub mod single;
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

/// A polynomial of x by Horner's rule, the constant term first. It takes the `c` of the place where it is called.
macro_rules! horner {
    ($x:expr; $a:expr) => { c($x, $a) };
    ($x:expr; $a:expr, $($more:expr),+) => {
        $crate::simd::math::horner!($x; $($more),+).fused($x, c($x, $a))
    };
}

/// A polynomial of x, given z = x²: the even and the odd terms by Horner's rule each, so that the chain is half as long.
macro_rules! even_odd {
    ($x:expr, $z:expr; $($a:expr, $b:expr),+) => {
        $crate::simd::math::horner!($z; $($b),+).fused($x, $crate::simd::math::horner!($z; $($a),+))
    };
}

use {even_odd, horner};

/// The functions of `Lane` that have a form for vectors.
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
        #[inline(always)]
        fn powf(self, exponent: Self) -> Self {
            if cfg!(feature = "exact-math") {
                return self.map2(exponent, $crate::math::Real::powf);
            }
            $crate::simd::math::functions! { @@ $T powf self exponent }
        }
    };
    (@ $T:ident $($name:ident)*) => { $(
        #[inline(always)]
        fn $name(self) -> Self {
            if cfg!(feature = "exact-math") {
                return self.map($crate::math::Real::$name);
            }
            $crate::simd::math::functions! { @@ $T $name self }
        }
    )* };
    (@@ f64 $name:ident $self:ident $($other:ident)?) => { $crate::simd::math::$name($self $(, $other)?) };
    (@@ f32 exp $self:ident) => { $crate::simd::math::single::exp($self) };
    (@@ f32 exp2 $self:ident) => { $crate::simd::math::single::exp2($self) };
    (@@ f32 ln $self:ident) => { $crate::simd::math::single::ln($self) };
    (@@ f32 tanh $self:ident) => { $crate::simd::math::single::tanh($self) };
    (@@ f32 sigmoid $self:ident) => { $crate::simd::math::single::sigmoid($self) };
    (@@ f32 $name:ident $self:ident $($other:ident)?) => {
        Self::narrowed($crate::simd::Lane::<f64>::$name($self.widened() $(, $other.widened())?))
    };
}

pub(crate) use functions;
