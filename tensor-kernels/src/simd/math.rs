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
#[cfg(not(feature = "std"))]
pub use power::power;
pub use power::powf;
pub use trig::{cos, sin};

use super::raw::{Double, Raw};
use crate::math::Real;

/// A constant in all lanes of a vector like `like`.
#[cfg_attr(not(unoptimized), inline(always))]
fn c<V: Double>(like: V, x: f64) -> V {
    V::all_of(like.isa(), x)
}

/// A polynomial of x by Horner's rule, the constant term first.
///
/// These are loops, which are unrolled late: written out, they would be most of the code that rustc has to optimize.
#[cfg_attr(not(unoptimized), inline(always))]
fn horner<T: Real, V: Raw<T>, const N: usize>(x: V, terms: &[T; N]) -> V {
    let mut k = N - 1;
    let mut y = V::all_of(x.isa(), terms[k]);
    while k > 0 {
        k -= 1;
        y = y.fused(x, V::all_of(x.isa(), terms[k]));
    }
    y
}

/// A polynomial of x, given z = x²: the even and the odd terms, which are pairs here, by Horner's rule each, so that the chain is half as long.
#[cfg_attr(not(unoptimized), inline(always))]
fn even_odd<V: Double, const N: usize>(x: V, z: V, terms: &[[f64; 2]; N]) -> V {
    let mut k = N - 1;
    let (mut even, mut odd) = (c(x, terms[k][0]), c(x, terms[k][1]));
    while k > 0 {
        k -= 1;
        even = even.fused(z, c(x, terms[k][0]));
        odd = odd.fused(z, c(x, terms[k][1]));
    }
    odd.fused(x, even)
}

/// The functions of `Lane` that have a form for vectors.
macro_rules! functions {
    ($T:ident) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn signum(self) -> Self {
            $crate::simd::math::signum(self)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn round(self) -> Self {
            $crate::simd::math::round(self)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn finite_or_zero(self) -> Self {
            $crate::simd::math::finite_or_zero(self)
        }
        #[cfg_attr(not(unoptimized), inline(always))]
        fn powi(self, exponent: i64) -> Self {
            $crate::simd::math::powi(self, exponent)
        }
        $crate::scalar_functions! { $crate::simd::math::formulas, $T }
    };
}

/// Those of the table that have a formula.
macro_rules! formulas {
    ($T:ident; $($(#[$doc:meta])* $name:ident ( $($arg:ident),* ): $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => {
        $($crate::simd::math::formulas! { @ $T $lanes $name $($arg)* })*
    };
    (@ $T:ident each $name:ident $($arg:ident)*) => {};
    (@ $T:ident few $name:ident $($arg:ident)*) => {};
    (@ $T:ident $lanes:ident $name:ident) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $name(self) -> Self {
            if cfg!(feature = "exact-math") {
                return self.map($crate::math::Real::$name);
            }
            $crate::simd::math::formulas! { @@ $T $lanes $name self }
        }
    };
    (@ $T:ident $lanes:ident $name:ident $other:ident) => {
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $name(self, $other: Self) -> Self {
            if cfg!(feature = "exact-math") {
                return self.map2($other, $crate::math::Real::$name);
            }
            $crate::simd::math::formulas! { @@ $T $lanes $name self $other }
        }
    };
    (@@ f64 $lanes:ident $name:ident $($arg:ident)*) => { $crate::simd::math::$name($($arg),*) };
    (@@ f32 both $name:ident $($arg:ident)*) => { $crate::simd::math::single::$name($($arg),*) };
    (@@ f32 $lanes:ident $name:ident $self:ident $($other:ident)?) => {
        Self::narrowed($crate::simd::Lane::<f64>::$name($self.widened() $(, $other.widened())?))
    };
}

pub(crate) use {formulas, functions};
