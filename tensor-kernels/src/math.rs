//! The scalar functions of the language, for `f64` and `f32`.

/// The scalar functions, a row for each: its documentation, its arguments behind the first, where the value of a scalar comes from, how vectors compute
/// it, and the correctly rounded function in either precision that tests compare it with. What is declared for each function, is declared by
/// `scalar_functions! { with }`, which gives all rows to the macro `with!`.
///
/// | value | |
/// | --- | --- |
/// | `std(f, g)` | the method of the standard library of this name; without it `f` and `g` of `libm`, for `f64` and `f32` |
/// | `libm(f, g)` | those of `libm` in any case |
/// | `core()` | the method of `core` of this name |
/// | `own()` | the function of this name among the formulas below |
///
/// | lanes | |
/// | --- | --- |
/// | `each` | each lane is computed as a scalar |
/// | `few` | a few instructions, in `simd/derive.rs` and `simd/math/cheap.rs` |
/// | `double` | a formula for vectors, in `simd/math`; in single precision it is computed in double precision and then rounded |
/// | `both` | a formula for vectors in either precision, that of single precision in `simd/math/single.rs` |
/// | `positive` | `double`, where lanes that are not there count as 1 |
#[doc(hidden)]
#[macro_export]
macro_rules! scalar_functions {
    ($with:path $(, $context:ident)*) => { $with! { $($context)*;
        /// e^x
        exp(): std(exp, expf), both, [core_math::exp, core_math::expf];
        /// 2^x
        exp2(): std(exp2, exp2f), both, [core_math::exp2, core_math::exp2f];
        /// The natural logarithm.
        ln(): std(log, logf), both, [core_math::log, core_math::logf];
        /// The logarithm to base 2.
        log2(): std(log2, log2f), double, [core_math::log2, core_math::log2f];
        /// The logarithm to base 10.
        log10(): std(log10, log10f), double, [core_math::log10, core_math::log10f];
        /// √x, correctly rounded.
        sqrt(): std(sqrt, sqrtf), few, [f64::sqrt, f32::sqrt];
        /// ∛x
        cbrt(): std(cbrt, cbrtf), each, [core_math::cbrt, core_math::cbrtf];
        /// sin x
        sin(): std(sin, sinf), double, [core_math::sin, core_math::sinf];
        /// cos x
        cos(): std(cos, cosf), double, [core_math::cos, core_math::cosf];
        /// tan x
        tan(): std(tan, tanf), each, [core_math::tan, core_math::tanf];
        /// arcsin x
        asin(): std(asin, asinf), each, [core_math::asin, core_math::asinf];
        /// arccos x
        acos(): std(acos, acosf), each, [core_math::acos, core_math::acosf];
        /// arctan x
        atan(): std(atan, atanf), each, [core_math::atan, core_math::atanf];
        /// sinh x
        sinh(): std(sinh, sinhf), each, [core_math::sinh, core_math::sinhf];
        /// cosh x
        cosh(): std(cosh, coshf), each, [core_math::cosh, core_math::coshf];
        /// tanh x
        tanh(): std(tanh, tanhf), both, [core_math::tanh, core_math::tanhf];
        /// arsinh x
        asinh(): own(), each, [core_math::asinh, core_math::asinhf];
        /// arcosh x
        acosh(): own(), each, [core_math::acosh, core_math::acoshf];
        /// artanh x
        atanh(): own(), each, [core_math::atanh, core_math::atanhf];
        /// |x|
        abs(): core(), few, [f64::abs, f32::abs];
        /// 1/x, correctly rounded.
        recip(): core(), few, [f64::recip, f32::recip];
        /// e^x − 1, accurate near 0
        exp_m1(): std(expm1, expm1f), double, [core_math::expm1, core_math::expm1f];
        /// ln(1 + x), accurate near 0
        ln_1p(): std(log1p, log1pf), double, [core_math::log1p, core_math::log1pf];
        /// 1 with the sign of x; NaN for NaN
        signum(): core(), few, [f64::signum, f32::signum];
        /// ⌊x⌋
        floor(): std(floor, floorf), few, [f64::floor, f32::floor];
        /// ⌈x⌉
        ceil(): std(ceil, ceilf), few, [f64::ceil, f32::ceil];
        /// The nearest integer, halves away from zero.
        round(): std(round, roundf), few, [f64::round, f32::round];
        /// 1 / (1 + e^−x), without overflow and without cancellation at both ends
        sigmoid(): own(), both, [reference::sigmoid, |x| reference::sigmoid(x.into()) as f32];
        /// ln(1 + e^x), without overflow and without cancellation at both ends
        softplus(): own(), double, [reference::softplus, |x| reference::softplus(x.into()) as f32];
        /// The error function.
        erf(): libm(erf, erff), each, [core_math::erf, core_math::erff];

        /// The angle of the point (x, y) = (`other`, `self`).
        atan2(other): std(atan2, atan2f), each, [core_math::atan2, core_math::atan2f];
        /// √(x² + y²), without overflow
        hypot(other): std(hypot, hypotf), each, [core_math::hypot, core_math::hypotf];
        /// x^y
        powf(exponent): own(), positive, [core_math::pow, core_math::powf];
        /// The larger; the other one where one is NaN
        max(other): core(), few, [f64::max, f32::max];
        /// The smaller; the other one where one is NaN
        min(other): core(), few, [f64::min, f32::min];
    } };
}

/// The functions of numbers that neither the standard library nor `libm` has, or has as exact.
macro_rules! formulas {
    ($t:ident) => {
        // Those of the standard library overflow, or lose digits near −1.
        #[inline]
        pub fn asinh(x: $t) -> $t {
            let a = Real::abs(x);
            let y = if a > Real::from_index(FAR) {
                Real::ln(a) + core::$t::consts::LN_2
            } else {
                // √(1 + a²) − 1 = a² / (1 + √(1 + a²))
                let square = a * a;
                Real::ln_1p(a + square / (1.0 + Real::sqrt(1.0 + square)))
            };
            y.copysign(x)
        }
        #[inline]
        pub fn acosh(x: $t) -> $t {
            if x < 1.0 {
                $t::NAN
            } else if x > Real::from_index(FAR) {
                Real::ln(x) + core::$t::consts::LN_2
            } else if x > 2.0 {
                Real::ln(x + Real::sqrt(x * x - 1.0))
            } else {
                // x² − 1 = t (t + 2)
                let t = x - 1.0;
                Real::ln_1p(t + Real::sqrt(t * (t + 2.0)))
            }
        }
        #[inline]
        pub fn atanh(x: $t) -> $t {
            let a = Real::abs(x);
            (0.5 * Real::ln_1p(2.0 * a / (1.0 - a))).copysign(x)
        }
        #[inline]
        pub fn sigmoid(x: $t) -> $t {
            // e^−|x| is at most 1: nothing overflows. x < 0: e^x / (1 + e^x).
            let e = Real::exp(-Real::abs(x));
            let s = 1.0 / (1.0 + e);
            if x < 0.0 { e * s } else { s }
        }
        #[inline]
        pub fn softplus(x: $t) -> $t {
            // ln(1 + e^x) = max(x, 0) + ln(1 + e^−|x|)
            $t::max(x, 0.0) + Real::ln_1p(Real::exp(-Real::abs(x)))
        }
        #[inline]
        pub fn powf(x: $t, exponent: $t) -> $t {
            #[cfg(feature = "std")]
            return x.powf(exponent);
            #[cfg(not(feature = "std"))]
            return $crate::simd::power(x.into(), exponent.into()) as $t;
        }
    };
}

/// Beyond, √(x² ± 1) is x.
const FAR: isize = 1 << 28;

mod double {
    use super::{FAR, Real};
    formulas! { f64 }
}

mod single {
    use super::{FAR, Real};
    formulas! { f32 }
}

/// Declares the functions of the table.
macro_rules! declared {
    (; $($(#[$doc:meta])* $name:ident ( $($arg:ident),* ): $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => { $(
        $(#[$doc])*
        #[must_use]
        fn $name(self $(, $arg: Self)*) -> Self;
    )* };
}

/// Defines them for `f64` or `f32`.
macro_rules! defined {
    ($t:ident; $($(#[$doc:meta])* $name:ident ( $($arg:ident),* ): $value:ident $of:tt, $lanes:ident, $exact:tt;)*) => { $(
        #[inline]
        fn $name(self $(, $arg: Self)*) -> Self {
            value! { $t $value $of $name self $($arg)* }
        }
    )* };
}

/// The value of a function of the table.
macro_rules! value {
    ($t:ident std ( $double:ident, $single:ident ) $name:ident $self:ident $($arg:ident)*) => {{
        #[cfg(feature = "std")]
        return $self.$name($($arg),*);
        #[cfg(not(feature = "std"))]
        return value! { $t libm ($double, $single) $name $self $($arg)* };
    }};
    (f64 libm ( $double:ident, $single:ident ) $name:ident $($arg:ident)*) => { libm::$double($($arg),*) };
    (f32 libm ( $double:ident, $single:ident ) $name:ident $($arg:ident)*) => { libm::$single($($arg),*) };
    ($t:ident core () $name:ident $($arg:ident)*) => { $t::$name($($arg),*) };
    (f64 own () $name:ident $($arg:ident)*) => { double::$name($($arg),*) };
    (f32 own () $name:ident $($arg:ident)*) => { single::$name($($arg),*) };
}

/// A real number type: `f64` or `f32`, with the functions of the language by their names in Rust's standard library.
///
/// With feature `std` most are those of the standard library, otherwise those of `libm`. Each is within the bound of its error that the manual
/// has a table of.
///
/// ```
/// # use tensor_kernels as tensor_rt;
/// use tensor_rt::math::Real;
/// assert_eq!(Real::clamp(5.0_f64, 0.0, 1.0), 1.0);
/// assert_eq!(Real::sigmoid(-1e9_f32), 0.0);
/// assert_eq!(Real::powi(2.0_f64, -2), 0.25);
/// ```
pub trait Real: Copy + PartialOrd + core::fmt::Debug + Send + Sync + 'static + private::Sealed {
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// ∞
    const INFINITY: Self;
    /// −∞
    const NEG_INFINITY: Self;
    /// Not a number
    const NAN: Self;

    /// The nearest floating-point number to an index.
    #[must_use]
    fn from_index(index: isize) -> Self;

    crate::scalar_functions! { declared }

    /// x^k: up to |k| = 2^31 by repeated squaring, as Rust's `powi`, beyond it by [`Real::powf`].
    #[must_use]
    fn powi(self, exponent: impl Into<i64>) -> Self;
    /// `self.max(low).min(high)`, which is `high` where `high < low`: it never panics.
    #[must_use]
    fn clamp(self, low: Self, high: Self) -> Self;
    /// x where it is finite, else 0.
    #[must_use]
    fn finite_or_zero(self) -> Self;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

macro_rules! real {
    ($t:ident) => {
        impl Real for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const INFINITY: $t = $t::INFINITY;
            const NEG_INFINITY: $t = $t::NEG_INFINITY;
            const NAN: $t = $t::NAN;

            crate::scalar_functions! { defined, $t }

            #[inline]
            fn from_index(index: isize) -> $t {
                index as $t
            }
            #[inline]
            fn powi(self, exponent: impl Into<i64>) -> $t {
                let exponent: i64 = exponent.into();
                match i32::try_from(exponent) {
                    #[cfg(feature = "std")]
                    Ok(k) => self.powi(k),
                    #[cfg(not(feature = "std"))]
                    Ok(k) => {
                        let p = power(self, k.unsigned_abs());
                        if k < 0 { 1.0 / p } else { p }
                    }
                    Err(_) => {
                        let (most, rest) = exponents(exponent);
                        let size = Real::abs(self);
                        let power = Real::powf(size, most as $t) * Real::powf(size, rest as $t);
                        if exponent % 2 == 0 { power } else { power.copysign(self) }
                    }
                }
            }
            #[inline]
            fn clamp(self, low: $t, high: $t) -> $t {
                $t::min($t::max(self, low), high)
            }
            #[inline]
            fn finite_or_zero(self) -> $t {
                if self.is_finite() { self } else { 0.0 }
            }
        }
    };
}

real! { f64 }
real! { f32 }

/// Two exponents of one sign, of which the sum is k, as numbers of double precision: x^k = x^a · x^b.
#[inline]
pub(crate) fn exponents(k: i64) -> (i64, i64) {
    let rest = k % 4096;
    (k - rest, rest)
}

/// x^k by squaring.
#[cfg(not(feature = "std"))]
fn power<T: Real + core::ops::Mul<Output = T>>(mut x: T, mut k: u32) -> T {
    let mut product = T::ONE;
    while k > 0 {
        if k % 2 == 1 {
            product = product * x;
        }
        x = x * x;
        k /= 2;
    }
    product
}

#[cfg(test)]
mod tests;
