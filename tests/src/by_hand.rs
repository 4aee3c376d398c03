//! What tests of programs compare with what is computed by hand.

use tensor_rt::ndarray::{Array2, Array3};

/// Numbers between 0.2 and 1.2.
#[must_use]
pub fn noise(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|k| 0.2 + ((k + 1) as f64 * 0.754_877 + seed).fract()).collect()
}

/// Asserts that `a` is `b` up to `most` of what is 1 or more.
pub fn close(a: &[f64], b: &[f64], most: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= most * y.abs().max(1.0), "{a:?}\n{b:?}");
    }
}

/// The gradient of `f` at `x` by central differences: about nine digits of it.
pub fn differences(x: &[f64], f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let h = 1e-5;
    let at = |k: usize, by: f64| {
        let mut x = x.to_vec();
        x[k] += by;
        f(&x)
    };
    (0..x.len()).map(|k| (at(k, h) - at(k, -h)) / (2.0 * h)).collect()
}

/// Elements by rows.
#[must_use]
pub fn matrix(rows: usize, columns: usize, all: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), all.to_vec()).expect("as many as there are")
}

/// Likewise, of three dimensions.
#[must_use]
pub fn cube(shape: (usize, usize, usize), all: &[f64]) -> Array3<f64> {
    Array3::from_shape_vec(shape, all.to_vec()).expect("as many as there are")
}
