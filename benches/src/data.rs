//! Reproducible inputs.

/// `n` numbers, uniform in -1..1 (a 64-bit linear congruential generator by Knuth).
pub fn uniform(n: usize, seed: u64) -> Vec<f64> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (s >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    next();
    (0..n).map(|_| next()).collect()
}

/// `n` numbers, uniform in `low..high`.
pub fn between(n: usize, low: f64, high: f64, seed: u64) -> Vec<f64> {
    uniform(n, seed).into_iter().map(|u| low + 0.5 * (u + 1.0) * (high - low)).collect()
}

/// One row of `k` for each of `n` samples, with a single 1.
pub fn one_hot(n: usize, k: usize) -> Vec<f64> {
    let mut y = vec![0.0; n * k];
    for i in 0..n {
        y[i * k + (i * 7 + i / 3) % k] = 1.0;
    }
    y
}
