//! e^x and its kin.

use super::{c, even_odd};
use crate::simd::raw::Double;
use core::f64::consts::{LN_2, LOG2_E};

/// 1.5 · 2^52: added to a number, it rounds to an integer.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;
/// Added to an integer n, it leaves n + 1023, the exponent of 2^n, in the low bits.
const EXPONENT: f64 = ROUND + 1023.0;
/// ln 2 = `LN2_HIGH` + `LN2_LOW`; the product of `LN2_HIGH` and an integer below 2^20 is exact.
pub(super) const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
/// See [`LN2_HIGH`].
pub(super) const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 2^n for integers from −1022 to 1023.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn power_of_two<V: Double>(n: V) -> V {
    (n + c(n, EXPONENT)).bits_left(52)
}

/// x · 2^n, rounded once, for integers |n| ≤ 2040 and x neither tiny nor huge.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn scaled<V: Double>(x: V, n: V) -> V {
    let shifted = n.fused(c(n, 0.5), c(n, EXPONENT));
    let half = shifted - c(n, EXPONENT);
    x * shifted.bits_left(52) * power_of_two(n - half)
}

/// (n, r) with x = n ln 2 + r and |r| ≤ ln 2 / 2.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn reduced<V: Double>(x: V) -> (V, V) {
    let n = x.fused(c(x, LOG2_E), c(x, ROUND)) - c(x, ROUND);
    let r = n.fused(c(x, -LN2_HIGH), x);
    (n, n.fused(c(x, -LN2_LOW), r))
}

/// e^r − 1 for |r| ≤ ln 2 / 2.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn small_exp_m1<V: Double>(r: V) -> V {
    let z = r * r;
    let q = even_odd(
        r,
        z,
        &[
            [0.500_000_000_000_000_1, 0.166_666_666_666_666_69],
            [0.041_666_666_666_624_04, 0.008_333_333_333_330_055],
            [0.001_388_888_891_725_875_9, 0.000_198_412_698_630_882_55],
            [2.480_152_122_598_643_2e-5, 2.755_726_840_619_079_5e-6],
            [2.762_012_171_738_193_3e-7, 2.510_041_108_201_49e-8],
        ],
    );
    z.fused(q, r)
}

/// x, or the bound beyond which the result does not change; NaN stays.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn within<V: Double>(x: V, low: f64, high: f64) -> V {
    c(x, high).lesser(c(x, low).greater(x))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn exp<V: Double>(x: V) -> V {
    let (n, r) = reduced(within(x, -750.0, 750.0));
    (c(x, 1.0) + small_exp_m1(r)).scaled(n)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn exp2<V: Double>(x: V) -> V {
    let x = within(x, -1080.0, 1030.0);
    let n = (x + c(x, ROUND)) - c(x, ROUND);
    let r = x - n;
    let z = r * r;
    // (2^r − 1 − r ln 2) / r²
    let q = even_odd(
        r,
        z,
        &[
            [0.240_226_506_959_100_75, 0.055_504_108_664_821_58],
            [0.009_618_129_107_618_665, 0.001_333_355_814_642_321_3],
            [0.000_154_035_304_247_765_29, 1.525_273_382_079_580_3e-5],
            [1.321_545_163_322_143_4e-6, 1.017_806_726_744_942_7e-7],
            [7.070_977_866_508_138e-9, 4.454_103_410_587_04e-10],
        ],
    );
    (c(x, 1.0) + r.fused(c(x, LN_2), z * q)).scaled(n)
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn exp_m1<V: Double>(x: V) -> V {
    let (n, r) = reduced(within(x, -50.0, 750.0));
    // 2^n (e^r − 1 + (1 − 2^−n)); 1 − 2^−n rounds only where it does not matter.
    let u = power_of_two(-c(x, 70.0).lesser(n));
    let y = (small_exp_m1(r) + (c(x, 1.0) - u)).scaled(n);
    with_sign_of_zero(y, x)
}

/// y, which has the sign of x or is a zero that should have it.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn with_sign_of_zero<V: Double>(y: V, x: V) -> V {
    y.or(x.and(c(x, -0.0)))
}

/// 1 / (1 + e^−x), with e^−|x|, which does not overflow.
#[cfg_attr(not(unoptimized), inline(always))]
pub fn sigmoid<V: Double>(x: V) -> V {
    let e = exp_of_minus_abs(x);
    let one = c(x, 1.0);
    V::choose(x.is_lt(c(x, 0.0)), e, one) / (one + e)
}

/// e^−|x|
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn exp_of_minus_abs<V: Double>(x: V) -> V {
    let (n, r) = reduced(c(x, -750.0).greater(x.or(c(x, -0.0))));
    (c(x, 1.0) + small_exp_m1(r)).scaled(n)
}

/// t / (t + 2) for t = e^2|x| − 1
#[cfg_attr(not(unoptimized), inline(always))]
pub fn tanh<V: Double>(x: V) -> V {
    let twice = x.xor(x.and(c(x, -0.0))) * c(x, 2.0);
    let (n, r) = reduced(c(x, 44.0).lesser(twice));
    let s = power_of_two(n);
    let t = small_exp_m1(r).fused(s, s - c(x, 1.0));
    let y = t / (t + c(x, 2.0));
    with_sign_of_zero(y, x)
}
