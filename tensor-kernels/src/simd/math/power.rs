//! x^y = e^(y ln x), where ln x and the product are sums of two numbers, of which the second is what the first lacks.

use super::exp::{power_of_two, reduced, small_exp_m1};
use super::{c, horner};
use crate::math::Real;
use crate::simd::Isa;
use crate::simd::raw::Double;

/// a + b, the sum and what it lacks, for |a| ≥ |b| or a = 0.
#[cfg_attr(not(unoptimized), inline(always))]
fn sum<V: Double>(a: V, b: V) -> (V, V) {
    let total = a + b;
    (total, (a - total) + b)
}

/// a · b, the product and what it lacks (Dekker's, where no operation rounds once).
#[cfg_attr(not(unoptimized), inline(always))]
fn product<V: Double>(a: V, b: V) -> (V, V) {
    let high = a * b;
    if V::Of::FMA {
        return (high, a.fused(b, -high));
    }
    let ((a, a_low), (b, b_low)) = (halves(a), halves(b));
    (high, a_low * b_low - (((high - a * b) - a_low * b) - a * b_low))
}

/// A number as a sum of two, each of half as many bits.
#[cfg_attr(not(unoptimized), inline(always))]
fn halves<V: Double>(x: V) -> (V, V) {
    let big = x * c(x, 134_217_729.0);
    let high = big - (big - x);
    (high, x - high)
}

/// ln x to a relative 2^−64: ln m = s (2 + z (2/3 + z p(z))), z = s², s = (m − 1) / (m + 1).
#[cfg_attr(not(unoptimized), inline(always))]
fn ln_in_two<V: Double>(x: V) -> (V, V) {
    let one = c(x, 1.0);
    let (m, k) = x.split();
    let f = m - one;
    let (d, d_low) = (m + one, m - ((m + one) - one));
    let inverse = one / d;
    let s = f * inverse;
    let (p, p_low) = product(s, d);
    let s_low = ((f - p) - p_low - s * d_low) * inverse;
    let (z, z_low) = product(s, s);
    let z_low = (s + s).fused(s_low, z_low);
    let tail = z * horner(
        z,
        &[
            0.4,
            0.285_714_285_714_293_7,
            0.222_222_222_216_547_33,
            0.181_818_183_356_541_6,
            0.153_845_949_345_979_17,
            0.133_348_062_121_006_03,
            0.117_061_956_898_813_64,
            0.117_236_036_229_054_11,
        ],
    );
    let (t, t_low) = sum(c(x, 2.0 / 3.0), tail);
    let t_low = t_low + c(x, 3.700_743_415_417_188e-17);
    let (v, v_low) = product(z, t);
    let v_low = v_low + z.fused(t_low, z_low * t);
    let (e, e_low) = product(s, v);
    let e_low = e_low + s.fused(v_low, s_low * v);
    // ln 2 = HIGH + LOW; HIGH has 42 bits
    const HIGH: f64 = 0.693_147_180_559_890_3;
    const LOW: f64 = 5.497_923_018_708_371e-14;
    let (h, h_low) = sum(k * c(x, HIGH), s + s);
    let (g, g_low) = sum(h, e);
    (g, h_low + g_low + ((s_low + s_low) + e_low) + k * c(x, LOW))
}

/// y ln x, for x > 0.
#[cfg_attr(not(unoptimized), inline(always))]
fn log_of_power<V: Double>(x: V, y: V) -> (V, V) {
    let (l, l_low) = ln_in_two(x);
    let (p, p_low) = product(y, l);
    (p, y.fused(l_low, p_low))
}

#[cfg_attr(not(unoptimized), inline(always))]
pub fn powf<V: Double>(x: V, y: V) -> V {
    let (p, p_low) = log_of_power(x, y);
    let (n, r) = reduced(p);
    let result = (c(x, 1.0) + small_exp_m1(r + p_low)) * power_of_two(n);
    let size = |v: V| v.xor(v.and(c(x, -0.0)));
    let ordinary = c(x, 0.0).is_lt(x) & x.is_lt(c(x, f64::INFINITY));
    let ordinary = ordinary & size(p).is_le(c(x, GREATEST)) & size(y).is_le(c(x, GREATEST_EXPONENT));
    if V::every(ordinary) {
        return result;
    }
    let mut all = result.to_array();
    let logs = V::choose(ordinary, p, c(x, f64::NAN));
    replace(x.to_array().as_ref(), y.to_array().as_ref(), logs.to_array().as_ref(), all.as_mut());
    V::from_array(x.isa(), &all)
}

/// The result is neither subnormal nor infinite if |y ln x| is at most this.
const GREATEST: f64 = 708.0;
/// Exponents beyond make every base but 1 huge or tiny.
const GREATEST_EXPONENT: f64 = 1e20;

/// The results of the lanes without ordinary logarithm.
#[cold]
#[inline(never)]
fn replace(x: &[f64], y: &[f64], logs: &[f64], results: &mut [f64]) {
    for (((x, y), log), result) in x.iter().zip(y).zip(logs).zip(results) {
        if log.is_nan() {
            *result = Real::powf(*x, *y);
        }
    }
}

/// x^y of scalars without the standard library. `libm` has the special cases; but of numbers next to 1, its great powers are far off.
#[cfg(not(feature = "std"))]
pub fn power(x: f64, y: f64) -> f64 {
    use crate::simd::raw::Raw;
    use crate::simd::{Baseline, Scalar};
    if x == 0.0 || !x.is_finite() || y.is_nan() || y.abs() > GREATEST_EXPONENT {
        return libm::pow(x, y);
    }
    // NaN if there is no such power.
    let sign = if x > 0.0 { 1.0 } else { libm::pow(-1.0, y) };
    let of = |x: f64| Scalar::all_of(Baseline::new(), x);
    let (p, p_low) = log_of_power(of(x.abs()), of(y));
    let [log] = p.to_array();
    let [size] = if log.abs() <= 750.0 {
        let (n, r) = reduced(p);
        (of(1.0) + small_exp_m1(r + p_low)).scaled(n).to_array()
    } else {
        [if log > 0.0 { f64::INFINITY } else { 0.0 }]
    };
    sign * size
}
