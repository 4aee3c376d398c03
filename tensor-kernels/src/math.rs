//! The scalar functions of the language, for `f64` and `f32`.

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

    /// `self as i`, the nearest number to an index.
    #[must_use]
    fn from_index(index: isize) -> Self;

    /// e^x
    #[must_use]
    fn exp(self) -> Self;
    /// 2^x
    #[must_use]
    fn exp2(self) -> Self;
    /// The natural logarithm.
    #[must_use]
    fn ln(self) -> Self;
    /// The logarithm to base 2.
    #[must_use]
    fn log2(self) -> Self;
    /// The logarithm to base 10.
    #[must_use]
    fn log10(self) -> Self;
    /// √x
    #[must_use]
    fn sqrt(self) -> Self;
    /// ∛x
    #[must_use]
    fn cbrt(self) -> Self;
    /// sin x
    #[must_use]
    fn sin(self) -> Self;
    /// cos x
    #[must_use]
    fn cos(self) -> Self;
    /// tan x
    #[must_use]
    fn tan(self) -> Self;
    /// arcsin x
    #[must_use]
    fn asin(self) -> Self;
    /// arccos x
    #[must_use]
    fn acos(self) -> Self;
    /// arctan x
    #[must_use]
    fn atan(self) -> Self;
    /// sinh x
    #[must_use]
    fn sinh(self) -> Self;
    /// cosh x
    #[must_use]
    fn cosh(self) -> Self;
    /// tanh x
    #[must_use]
    fn tanh(self) -> Self;
    /// arsinh x
    #[must_use]
    fn asinh(self) -> Self;
    /// arcosh x
    #[must_use]
    fn acosh(self) -> Self;
    /// artanh x
    #[must_use]
    fn atanh(self) -> Self;
    /// |x|
    #[must_use]
    fn abs(self) -> Self;
    /// 1/x
    #[must_use]
    fn recip(self) -> Self;
    /// e^x − 1, accurate near 0
    #[must_use]
    fn exp_m1(self) -> Self;
    /// ln(1 + x), accurate near 0
    #[must_use]
    fn ln_1p(self) -> Self;
    /// 1 with the sign of x; NaN for NaN
    #[must_use]
    fn signum(self) -> Self;
    /// ⌊x⌋
    #[must_use]
    fn floor(self) -> Self;
    /// ⌈x⌉
    #[must_use]
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from zero.
    #[must_use]
    fn round(self) -> Self;
    /// 1 / (1 + e^−x), without overflow and without cancellation at both ends
    #[must_use]
    fn sigmoid(self) -> Self;
    /// ln(1 + e^x), without overflow and without cancellation at both ends
    #[must_use]
    fn softplus(self) -> Self;
    /// The error function.
    #[must_use]
    fn erf(self) -> Self;

    /// The angle of the point (x, y) = (`other`, `self`).
    #[must_use]
    fn atan2(self, other: Self) -> Self;
    /// √(x² + y²), without overflow
    #[must_use]
    fn hypot(self, other: Self) -> Self;
    /// x^y
    #[must_use]
    fn powf(self, exponent: Self) -> Self;
    /// x^k: up to |k| = 2^31 by repeated squaring, as Rust's `powi`, beyond it by [`Real::powf`].
    #[must_use]
    fn powi(self, exponent: impl Into<i64>) -> Self;
    /// The larger; the other one where one is NaN
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The smaller; the other one where one is NaN
    #[must_use]
    fn min(self, other: Self) -> Self;
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

/// One method that is a method of the standard library, or a function of `libm` without it.
macro_rules! of_std {
    ($($name:ident = $libm:ident ( $($arg:ident),* );)*) => {
        $(
            #[inline]
            fn $name(self $(, $arg: Self)*) -> Self {
                #[cfg(feature = "std")]
                return self.$name($($arg),*);
                #[cfg(not(feature = "std"))]
                return libm::$libm(self $(, $arg)*);
            }
        )*
    };
}

/// One method that `core` has.
macro_rules! of_core {
    ($t:ident: $($name:ident ( $($arg:ident),* );)*) => {
        $(
            #[inline]
            fn $name(self $(, $arg: Self)*) -> Self {
                $t::$name(self $(, $arg)*)
            }
        )*
    };
}

/// Beyond, √(x² ± 1) is x.
const FAR: isize = 1 << 28;

macro_rules! real {
    ($t:ident, $erf:ident, { $($std:tt)* }) => {
        impl Real for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const INFINITY: $t = $t::INFINITY;
            const NEG_INFINITY: $t = $t::NEG_INFINITY;
            const NAN: $t = $t::NAN;

            of_std! { $($std)* }
            of_core! { $t: abs(); recip(); signum(); max(other); min(other); }

            #[inline]
            fn from_index(index: isize) -> $t {
                index as $t
            }
            // Those of the standard library overflow, or lose digits near −1.
            #[inline]
            fn asinh(self) -> $t {
                let a = Real::abs(self);
                let y = if a > Real::from_index(FAR) {
                    Real::ln(a) + core::$t::consts::LN_2
                } else {
                    // √(1 + a²) − 1 = a² / (1 + √(1 + a²))
                    let square = a * a;
                    Real::ln_1p(a + square / (1.0 + Real::sqrt(1.0 + square)))
                };
                y.copysign(self)
            }
            #[inline]
            fn acosh(self) -> $t {
                if self < 1.0 {
                    $t::NAN
                } else if self > Real::from_index(FAR) {
                    Real::ln(self) + core::$t::consts::LN_2
                } else if self > 2.0 {
                    Real::ln(self + Real::sqrt(self * self - 1.0))
                } else {
                    // x² − 1 = t (t + 2)
                    let t = self - 1.0;
                    Real::ln_1p(t + Real::sqrt(t * (t + 2.0)))
                }
            }
            #[inline]
            fn atanh(self) -> $t {
                let a = Real::abs(self);
                (0.5 * Real::ln_1p(2.0 * a / (1.0 - a))).copysign(self)
            }
            #[inline]
            fn powf(self, exponent: Self) -> $t {
                #[cfg(feature = "std")]
                return self.powf(exponent);
                #[cfg(not(feature = "std"))]
                return crate::simd::power(self.into(), exponent.into()) as $t;
            }
            #[inline]
            fn erf(self) -> $t {
                libm::$erf(self)
            }
            #[inline]
            fn sigmoid(self) -> $t {
                // e^−|x| is at most 1: nothing overflows. x < 0: e^x / (1 + e^x).
                let e = Real::exp(-Real::abs(self));
                let s = 1.0 / (1.0 + e);
                if self < 0.0 { e * s } else { s }
            }
            #[inline]
            fn softplus(self) -> $t {
                // ln(1 + e^x) = max(x, 0) + ln(1 + e^−|x|)
                $t::max(self, 0.0) + Real::ln_1p(Real::exp(-Real::abs(self)))
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

real! { f64, erf, {
    exp = exp(); exp2 = exp2(); ln = log(); log2 = log2(); log10 = log10(); sqrt = sqrt(); cbrt = cbrt();
    sin = sin(); cos = cos(); tan = tan(); asin = asin(); acos = acos(); atan = atan();
    sinh = sinh(); cosh = cosh(); tanh = tanh();
    exp_m1 = expm1(); ln_1p = log1p(); floor = floor(); ceil = ceil(); round = round();
    atan2 = atan2(other); hypot = hypot(other);
} }

real! { f32, erff, {
    exp = expf(); exp2 = exp2f(); ln = logf(); log2 = log2f(); log10 = log10f(); sqrt = sqrtf(); cbrt = cbrtf();
    sin = sinf(); cos = cosf(); tan = tanf(); asin = asinf(); acos = acosf(); atan = atanf();
    sinh = sinhf(); cosh = coshf(); tanh = tanhf();
    exp_m1 = expm1f(); ln_1p = log1pf(); floor = floorf(); ceil = ceilf(); round = roundf();
    atan2 = atan2f(other); hypot = hypotf(other);
} }

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
