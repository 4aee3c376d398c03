//! Sigmoid, softplus and powers by great integers, rounded once, by sums of two numbers; random bits.

/// A sum of two numbers, the second below the last bit of the first.
#[derive(Clone, Copy)]
struct Sum(f64, f64);

impl Sum {
    fn of(a: f64, b: f64) -> Sum {
        let s = a + b;
        let t = s - a;
        Sum(s, (a - (s - t)) + (b - t))
    }
    fn plus(self, b: Sum) -> Sum {
        let Sum(h, l) = Sum::of(self.0, b.0);
        let Sum(m, n) = Sum::of(self.1, b.1);
        let Sum(h, l) = Sum::of(h, l + m);
        Sum::of(h, l + n)
    }
    fn times(self, b: Sum) -> Sum {
        let high = self.0 * b.0;
        let low = self.0.mul_add(b.0, -high) + self.0 * b.1 + self.1 * b.0;
        Sum::of(high, low)
    }
    /// Its square, rounded.
    fn squared(self) -> f64 {
        // Of greater numbers without what would be subnormal, or infinite on the way.
        let scale = if self.0 < 1.0 { 2_f64.powi(300) } else { 2_f64.powi(-300) };
        let Sum(high, low) = Sum(self.0 * scale, self.1 * scale).times(Sum(self.0 * scale, self.1 * scale));
        (high + low) / scale / scale
    }
    fn inverse(self) -> Sum {
        let x = Sum(1.0 / self.0, 0.0);
        let rest = Sum(1.0, 0.0).plus(Sum(-self.0, -self.1).times(x));
        let x = x.plus(x.times(rest));
        let rest = Sum(1.0, 0.0).plus(Sum(-self.0, -self.1).times(x));
        x.plus(x.times(rest))
    }
}

/// e^x by its series, for −700 < x < 700
fn exp(x: Sum) -> Sum {
    const LN_2: [f64; 3] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17, 5.707_708_438_416_212e-34];
    let n = (x.0 / LN_2[0]).round();
    let r = LN_2.iter().fold(x, |x, &part| x.plus(Sum(-n, 0.0).times(Sum(part, 0.0))));
    let r = Sum(r.0 / 256.0, r.1 / 256.0);
    let mut e = Sum(1.0, 0.0);
    for k in (1..=16).rev() {
        e = Sum(1.0, 0.0).plus(e.times(r).times(Sum(f64::from(k), 0.0).inverse()));
    }
    for _ in 0..8 {
        e = e.times(e);
    }
    let scale = n.exp2();
    Sum(e.0 * scale, e.1 * scale)
}

/// 1 / (1 + e^−x)
pub fn sigmoid(x: f64) -> f64 {
    if x < -40.0 {
        core_math::exp(x)
    } else if x.is_nan() {
        x
    } else if x > 40.0 {
        1.0
    } else {
        Sum(1.0, 0.0).plus(exp(Sum(-x, 0.0))).inverse().0
    }
}

/// ln(1 + e^x), by a step of Newton's method
pub fn softplus(x: f64) -> f64 {
    if x < -40.0 {
        return core_math::exp(x);
    } else if x > 40.0 || x.is_nan() {
        return x;
    }
    let u = Sum(1.0, 0.0).plus(exp(Sum(x, 0.0)));
    let near = core_math::log1p(core_math::exp(x));
    let rest = u.times(exp(Sum(-near, 0.0))).plus(Sum(-1.0, 0.0));
    Sum(near, 0.0).plus(rest).0
}

/// x^k for |k| of at least 2^31: all but what is next to ±1 becomes 0 or infinite. There it is e^(k ln |x|), by the series of ln(1 + d).
pub fn power(x: f64, k: i64) -> f64 {
    let size = if k % 2 == 0 { 1.0 } else { 1_f64.copysign(x) };
    let d = x.abs() - 1.0;
    if x.is_nan() || d == 0.0 {
        return size * x.abs();
    }
    if d.abs() >= 1e-6 {
        return size * if (d > 0.0) == (k > 0) { f64::INFINITY } else { 0.0 };
    }
    let d = Sum(d, 0.0);
    let mut series = Sum(0.0, 0.0);
    for term in (1..=8).rev() {
        let sign = if term % 2 == 1 { 1.0 } else { -1.0 };
        series = series.times(d).plus(Sum(sign, 0.0).times(Sum(f64::from(term), 0.0).inverse()));
    }
    let high = k as f64;
    let log = series.times(d).times(Sum(high, (i128::from(k) - high as i128) as f64));
    size * match log.0 {
        log if log > 710.0 => f64::INFINITY,
        log if log < -750.0 => 0.0,
        // In two steps: the first has no subnormal number in it.
        _ => exp(Sum(log.0 / 2.0, log.1 / 2.0)).squared(),
    }
}

/// A step of splitmix64.
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
