//! In single precision: the functions that are needed most, by the formulas of double precision with shorter series.

use super::horner;
use crate::simd::raw::{Raw, Single};
use core::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

/// A constant in all lanes of a vector like `like`.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn c<V: Raw<f32>>(like: V, x: f32) -> V {
    V::all_of(like.isa(), x)
}

/// 1.5 · 2^23: added to a number, it rounds to an integer.
const ROUND: f32 = 12_582_912.0;
/// Added to an integer n, it leaves n + 127, the exponent of 2^n, in the low bits.
const EXPONENT: f32 = ROUND + 127.0;

/// 2^n for integers from −126 to 127.
#[cfg_attr(not(unoptimized), inline(always))]
fn power_of_two<V: Single>(n: V) -> V {
    (n + c(n, EXPONENT)).bits_left(23)
}

/// x · 2^n, rounded once, for integers |n| ≤ 250 and x neither tiny nor huge.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn scaled<V: Single>(x: V, n: V) -> V {
    let shifted = n.fused(c(n, 0.5), c(n, EXPONENT));
    let half = shifted - c(n, EXPONENT);
    x * shifted.bits_left(23) * power_of_two(n - half)
}

/// (n, r) with x = n ln 2 + r and |r| ≤ ln 2 / 2.
#[cfg_attr(not(unoptimized), inline(always))]
fn reduced<V: Single>(x: V) -> (V, V) {
    let n = x.fused(c(x, LOG2_E), c(x, ROUND)) - c(x, ROUND);
    // ln 2 in two parts; the first has 10 bits, so that the product is exact.
    let r = n.fused(c(x, -0.693_359_4), x);
    (n, n.fused(c(x, 2.121_944_4e-4), r))
}

/// e^r − 1 for |r| ≤ ln 2 / 2.
#[cfg_attr(not(unoptimized), inline(always))]
fn small_exp_m1<V: Single>(r: V) -> V {
    let q = horner(r, &[0.5, 0.166_665_77, 0.041_666_556, 0.008_363_195, 0.001_392_620_3]);
    (r * r).fused(q, r)
}

/// x, or the bound beyond which the result does not change; NaN stays.
#[cfg_attr(not(unoptimized), inline(always))]
fn within<V: Single>(x: V, low: f32, high: f32) -> V {
    c(x, high).lesser(c(x, low).greater(x))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn exp<V: Single>(x: V) -> V {
    let (n, r) = reduced(within(x, -110.0, 100.0));
    (c(x, 1.0) + small_exp_m1(r)).scaled(n)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn exp2<V: Single>(x: V) -> V {
    let x = within(x, -160.0, 140.0);
    let n = (x + c(x, ROUND)) - c(x, ROUND);
    let r = x - n;
    let q = horner(r, &[0.240_226_5, 0.055_503_81, 0.009_618_103, 0.001_338_130_3, 0.000_154_448_84]);
    (c(x, 1.0) + r.fused(c(x, LN_2), r * r * q)).scaled(n)
}

/// 1 / (1 + e^−x), with e^−|x|, which does not overflow.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn sigmoid<V: Single>(x: V) -> V {
    let (n, r) = reduced(c(x, -110.0).greater(x.or(c(x, -0.0))));
    let one = c(x, 1.0);
    let e = (one + small_exp_m1(r)).scaled(n);
    V::choose(x.is_lt(c(x, 0.0)), e, one) / (one + e)
}

/// t / (t + 2) for t = e^2|x| − 1
#[cfg_attr(not(unoptimized), inline(always))]
pub fn tanh<V: Single>(x: V) -> V {
    let sign = x.and(c(x, -0.0));
    let (n, r) = reduced(c(x, 20.0).lesser(x.xor(sign) * c(x, 2.0)));
    let s = power_of_two(n);
    let t = small_exp_m1(r).fused(s, s - c(x, 1.0));
    (t / (t + c(x, 2.0))).or(sign)
}

/// (m, k) as in double precision.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn split<V: Single>(x: V) -> (V, V) {
    const TWO_24: f32 = 16_777_216.0;
    const TWO_23: f32 = 8_388_608.0;
    let zero = c(x, 0.0);
    let small = x.is_lt(c(x, f32::MIN_POSITIVE));
    let scaled = V::choose(small, x * c(x, TWO_24), x);
    // With the bits of √½ taken off, what is above bit 23 is k, modulo 2^9, and adding 2^7 there makes it positive.
    let shift = c(x, f32::from_bits(1 << 30));
    let above = scaled.bits_sub(c(x, FRAC_1_SQRT_2)).bits_add(shift);
    let k = above.bits_right(23).or(c(x, TWO_23)) - c(x, TWO_23 + 128.0);
    let k = k - V::choose(small, c(x, 24.0), zero);
    let m = scaled.bits_sub(above.bits_sub(shift).and(c(x, f32::from_bits(0x1ff << 23))));
    let special =
        V::choose(x.is_eq(zero), c(x, f32::NEG_INFINITY), V::choose(x.is_lt(zero), c(x, f32::NAN), x));
    let ordinary = zero.is_lt(x) & x.is_lt(c(x, f32::INFINITY));
    (m, V::choose(ordinary, k, special))
}

/// ln x = k ln 2 + 2 artanh s, s = f / (2 + f), f = m − 1, with the series of fdlibm in single precision.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn ln<V: Single>(x: V) -> V {
    let (m, k) = x.split();
    let f = m - c(x, 1.0);
    let s = f / (c(x, 2.0) + f);
    let z = s * s;
    let r = z * horner(z, &[0.666_666_6, 0.400_009_72, 0.284_987_87, 0.242_790_79]);
    let half_square = c(x, 0.5) * f * f;
    let low = s.fused(half_square + r, k * c(x, 9.058_001e-6));
    k.fused(c(x, 0.693_138_1), f - (half_square - low))
}
