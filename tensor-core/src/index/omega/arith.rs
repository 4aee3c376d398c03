//! Arithmetic on numbers and rows.
//!
//! The loops are written out: a proc macro runs without optimization, where an iterator costs calls.

use super::{BIG, R, Stop};

/// The greatest common divisor, not negative.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}
/// `⌊a / b⌋`, for `b ≠ 0`.
pub fn floor_div(a: i64, b: i64) -> i64 {
    let q = a / b;
    if a % b != 0 && ((a < 0) != (b < 0)) { q - 1 } else { q }
}
/// `⌈a / b⌉`, for `b ≠ 0`.
pub fn ceil_div(a: i64, b: i64) -> i64 {
    -floor_div(-a, b)
}
/// The nearest integer to `a / b`, for `b > 0`.
pub(crate) fn round_div(a: i64, b: i64) -> i64 {
    floor_div(2 * a + b, 2 * b)
}
/// The inverse of `a` modulo `k`, for `gcd(a, k) = 1`.
pub(crate) fn inverse(a: i64, k: i64) -> i64 {
    let (mut r0, mut r1, mut s0, mut s1) = (a.rem_euclid(k), k, 1i64, 0i64);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (s0, s1) = (s1, s0 - q * s1);
    }
    s0.rem_euclid(k)
}
pub(crate) fn content(row: &[i64]) -> i64 {
    let mut g = 0;
    let mut k = 0;
    while k < row.len() {
        let c = row[k];
        if c == 1 || c == -1 {
            return 1;
        }
        if c != 0 {
            g = gcd(g, c);
        }
        k += 1;
    }
    g
}
pub(crate) fn opposite(a: &[i64], b: &[i64]) -> bool {
    let mut k = 0;
    while k < a.len() {
        if a[k] != -b[k] {
            return false;
        }
        k += 1;
    }
    true
}
pub(crate) fn in_limits(row: &[i64]) -> R<()> {
    let mut k = 0;
    while k < row.len() {
        if row[k] > BIG || row[k] < -BIG {
            return Err(Stop::Unknown);
        }
        k += 1;
    }
    Ok(())
}
/// `out = a x + b y`.
pub(crate) fn combine(out: &mut [i64], a: i64, x: &[i64], b: i64, y: &[i64]) -> R<()> {
    let mut k = 0;
    while k < out.len() {
        let (x, y) = (x[k], y[k]);
        if x != 0 || y != 0 {
            let (Some(p), Some(q)) = (a.checked_mul(x), b.checked_mul(y)) else { return Err(Stop::Unknown) };
            let Some(s) = p.checked_add(q) else { return Err(Stop::Unknown) };
            out[k] = s;
        } else {
            out[k] = 0;
        }
        k += 1;
    }
    Ok(())
}

/// Divides by the content and tightens: `2i - 2j >= 1` becomes `i - j >= 1`.
pub(crate) fn tighten(row: &mut [i64]) -> R<bool> {
    let n = row.len() - 1;
    let g = content(&row[..n]);
    if g == 0 {
        return if row[n] >= 0 { Ok(false) } else { Err(Stop::Empty) };
    }
    if g > 1 {
        for c in &mut row[..n] {
            *c /= g;
        }
        row[n] = floor_div(row[n], g);
    }
    in_limits(row)?;
    Ok(true)
}

/// The value of a row at a point.
pub(crate) fn eval(row: &[i64], model: &[i64]) -> i128 {
    let n = row.len() - 1;
    let mut v = row[n] as i128;
    let mut k = 0;
    while k < n {
        if row[k] != 0 {
            v += row[k] as i128 * model[k] as i128;
        }
        k += 1;
    }
    v
}
