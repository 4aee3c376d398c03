//! Sine and cosine: x = n π + r with |r| ≤ π/2, the sign from n.

use super::{c, horner};
use crate::math::Real;
use crate::simd::Isa;
use crate::simd::raw::Double;
use core::f64::consts::FRAC_1_PI;

use super::exp::ROUND;

/// Up to here `minus_multiple_of_pi` is exact enough; beyond, and for NaN, the functions of [`Real`] are called.
const RANGE: f64 = 1_000_000.0;

/// x − n π, for |n| < 2^20, or halves of odd numbers that small.
#[cfg_attr(not(unoptimized), inline(always))]
fn minus_multiple_of_pi<V: Double>(x: V, n: V) -> V {
    if V::Of::FMA {
        let r = n.fused(c(x, -core::f64::consts::PI), x);
        let r = n.fused(c(x, -1.224_646_799_147_353_2e-16), r);
        n.fused(c(x, 2.994_769_809_718_339_7e-33), r)
    } else {
        // Parts of 33 bits: their products with n are exact.
        let r = x - n * c(x, 3.141_592_653_468_251_2);
        let r = r - n * c(x, 1.215_420_101_260_793_2e-10);
        let r = r - n * c(x, 4.044_532_497_422_333e-21);
        r - n * c(x, 1.695_685_532_073_78e-31)
    }
}

/// sin r for |r| ≤ π/2, with its sign changed if the first bit of `sign` is set.
#[cfg_attr(not(unoptimized), inline(always))]
fn signed_sine<V: Double>(r: V, sign: V) -> V {
    let z = r * r;
    let w = z * z;
    let odd = horner(
        w,
        &[
            0.008_333_333_333_333_333,
            2.755_731_922_254_393_8e-6,
            1.605_899_068_505_839_8e-10,
            2.734_162_696_621_99e-15,
        ],
    );
    let even = horner(
        w,
        &[
            -0.166_666_666_666_666_66,
            -0.000_198_412_698_412_724_62,
            -2.505_210_791_312_180_2e-8,
            -7.644_273_093_961_839e-13,
        ],
    );
    let y = (z * r).fused(odd.fused(z, even), r);
    y.xor(sign)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn sin<V: Double>(x: V) -> V {
    // Of |x|: sums with zeros would lose the sign of a zero.
    let sign = x.and(c(x, -0.0));
    let size = x.xor(sign);
    let shifted = size.fused(c(x, FRAC_1_PI), c(x, ROUND));
    let n = shifted - c(x, ROUND);
    let y = signed_sine(minus_multiple_of_pi(size, n), shifted.bits_left(63).xor(sign));
    rare(x, size, y, Real::sin)
}

/// cos x = sin(x + π/2)
#[cfg_attr(not(unoptimized), inline(always))]
pub fn cos<V: Double>(x: V) -> V {
    let shifted = x.fused(c(x, FRAC_1_PI), c(x, 0.5)) + c(x, ROUND);
    let n = shifted - c(x, ROUND);
    let y = signed_sine(minus_multiple_of_pi(x, n - c(x, 0.5)), shifted.bits_left(63));
    rare(x, x.xor(x.and(c(x, -0.0))), y, Real::cos)
}

/// y, but `f(x)` in the lanes where x, of which this is the size, is out of range.
#[cfg_attr(not(unoptimized), inline(always))]
fn rare<V: Double>(x: V, size: V, y: V, f: fn(f64) -> f64) -> V {
    if V::every(size.is_le(c(x, RANGE))) {
        return y;
    }
    let mut all = y.to_array();
    replace(x.to_array().as_ref(), all.as_mut(), f);
    V::from_array(x.isa(), &all)
}

#[cold]
#[inline(never)]
fn replace(x: &[f64], y: &mut [f64], f: fn(f64) -> f64) {
    for (x, y) in x.iter().zip(y) {
        if !matches!(
            x.abs().partial_cmp(&RANGE),
            Some(core::cmp::Ordering::Less | core::cmp::Ordering::Equal)
        ) {
            *y = f(*x);
        }
    }
}
