//! Logarithms: x = 2^k m with √½ ≤ m ≤ √2, and ln m = 2 artanh s with s = f / (2 + f), f = m − 1.

use super::exp::{LN2_HIGH, LN2_LOW, exp_of_minus_abs, power_of_two, with_sign_of_zero};
use super::{c, horner};
use crate::simd::raw::Double;

/// (m, k) with x = 2^k m and √½ ≤ m ≤ √2; k is −∞ for zeros, and not finite, or NaN, as is the logarithm for other special arguments.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn split<V: Double>(x: V) -> (V, V) {
    const TINY: f64 = f64::MIN_POSITIVE;
    const TWO_54: f64 = 1.801_439_850_948_198_4e+16;
    let zero = c(x, 0.0);
    let small = x.is_lt(c(x, TINY));
    let scaled = V::choose(small, x * c(x, TWO_54), x);
    // With the bits of √½ taken off, what is above bit 52 is k, modulo 2^12, and adding 2^10 there makes it positive.
    let half_root = c(x, core::f64::consts::FRAC_1_SQRT_2);
    let above = scaled.bits_sub(half_root).bits_add(c(x, f64::from_bits(1 << 62)));
    let k = above.bits_right(52).or(c(x, TWO_52)) - c(x, TWO_52 + 1024.0);
    let k = k - V::choose(small, c(x, 54.0), zero);
    let m =
        scaled.bits_sub(above.bits_sub(c(x, f64::from_bits(1 << 62))).and(c(x, f64::from_bits(0xfff << 52))));
    let special =
        V::choose(x.is_eq(zero), c(x, f64::NEG_INFINITY), V::choose(x.is_lt(zero), c(x, f64::NAN), x));
    let ordinary = zero.is_lt(x) & x.is_lt(c(x, f64::INFINITY));
    (m, V::choose(ordinary, k, special))
}

/// 2^52: its last bit is worth 1.
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// What ln(1 + f) / s is beyond f²/2 (from the fdlibm library), for z = s²; below 2^−58 away.
#[cfg_attr(not(unoptimized), inline(always))]
fn series<V: Double>(z: V) -> V {
    let w = z * z;
    let odd = horner(w, &[0.399_999_999_994_094_2, 0.222_221_984_321_497_84, 0.153_138_376_992_093_73]);
    let even = horner(
        w,
        &[
            0.666_666_666_666_673_5,
            0.285_714_287_436_623_9,
            0.181_835_721_616_180_5,
            0.147_981_986_051_165_86,
        ],
    );
    z.fused(even, w * odd)
}

/// k ln 2 + ln(1 + f)
#[cfg_attr(not(unoptimized), inline(always))]
fn sum<V: Double>(k: V, f: V) -> V {
    let s = f / (c(f, 2.0) + f);
    let r = series(s * s);
    let half_square = c(f, 0.5) * f * f;
    let low = s.fused(half_square + r, k * c(f, LN2_LOW));
    k.fused(c(f, LN2_HIGH), f - (half_square - low))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn ln<V: Double>(x: V) -> V {
    let (m, k) = x.split();
    sum(k, m - c(x, 1.0))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn ln_1p<V: Double>(x: V) -> V {
    let (zero, one) = (c(x, 0.0), c(x, 1.0));
    let u = one + x;
    // What u lacks: of two numbers of which the first is the greater.
    let (greater, lesser) = (one.greater(x), one.lesser(x));
    let lost = lesser - (u - greater);
    let lost = V::choose(u.is_lt(c(x, f64::INFINITY)), lost, zero);
    let (m, k) = u.split();
    // 2^−k, as far as it matters, and finite.
    let scale = power_of_two(c(x, -1000.0).greater(-k));
    // Where k = 0, the second argument is x, exactly.
    let y = sum(k, lost.fused(scale, m - one));
    with_sign_of_zero(y, V::choose(x.is_eq(zero), x, zero))
}

/// max(x, 0) + ln(1 + e), e = e^−|x|. If 1 + e > √2 it is 2 (1 + f) with f = (e − 1) / 2, else f = e.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn softplus<V: Double>(x: V) -> V {
    let (zero, one) = (c(x, 0.0), c(x, 1.0));
    let e = exp_of_minus_abs(x);
    let large = c(x, core::f64::consts::SQRT_2 - 1.0).is_lt(e);
    let f = V::choose(large, (e - one) * c(x, 0.5), e);
    zero.greater(x) + sum(V::choose(large, one, zero), f)
}

/// (k, high, low) with ln x = k ln 2 + high + low, and `high` of half a mantissa, so that its product with another such is exact.
#[cfg_attr(not(unoptimized), inline(always))]
fn in_two<V: Double>(x: V) -> (V, V, V) {
    let (m, k) = x.split();
    let f = m - c(x, 1.0);
    let s = f / (c(x, 2.0) + f);
    let r = series(s * s);
    let half_square = c(x, 0.5) * f * f;
    let high = (f - half_square).and(c(x, f64::from_bits(0xffff_ffff_0000_0000)));
    let low = s.fused(half_square + r, (f - high) - half_square);
    (k, high, low)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn log2<V: Double>(x: V) -> V {
    // 1 / ln 2
    const HIGH: f64 = 1.442_695_040_721_446_3;
    const LOW: f64 = 1.675_171_316_488_651_2e-10;
    let (k, high, low) = in_two(x);
    let product = high * c(x, HIGH);
    let rest = (low + high).fused(c(x, LOW), low * c(x, HIGH));
    // Of k and the product, k is the greater, or 0.
    let total = k + product;
    let lost = V::choose(k.is_eq(total), c(x, 0.0), (k - total) + product);
    total + (rest + lost)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn log10<V: Double>(x: V) -> V {
    // 1 / ln 10
    const HIGH: f64 = 0.434_294_481_878_168_9;
    const LOW: f64 = 2.508_294_671_164_527_5e-11;
    // log10 2
    const TWO_HIGH: f64 = 0.301_029_995_663_611_77;
    const TWO_LOW: f64 = 3.694_239_077_158_931e-13;
    let (k, high, low) = in_two(x);
    let product = high * c(x, HIGH);
    let k_high = k * c(x, TWO_HIGH);
    let rest = k.fused(c(x, TWO_LOW), (low + high) * c(x, LOW)) + low * c(x, HIGH);
    let total = k_high + product;
    let lost = V::choose(k_high.is_eq(total), c(x, 0.0), (k_high - total) + product);
    total + (rest + lost)
}
