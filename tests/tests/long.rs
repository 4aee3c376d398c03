//! A body so long that it is several functions, which keep vectors for each other.

use approx::assert_relative_eq;
use tensor_rt::ndarray::Array2;
use tensor_rt::tensor;

/// Twenty steps of Runge and Kutta, of Lorenz's equations, by as many lines.
macro_rules! steps {
    ($($length:literal)*) => {
        tensor! {
            fn slope(x: [f64; 3], p: [f64; 3]) -> [f64; 3] {
                [p[0] * (x[1] - x[0]), x[0] * (p[1] - x[2]) - x[1], x[0] * x[1] - p[2] * x[2]]
            }
            fn along(x: [f64; 3], t: f64, k: [f64; 3]) -> [f64; 3] { for c in 0..3 { x[c] + t * k[c] } }
            fn step(x: [f64; 3], p: [f64; 3], t: f64) -> [f64; 3] {
                let k1 = slope(x, p);
                let k2 = slope(along(x, 0.5 * t, k1), p);
                let k3 = slope(along(x, 0.5 * t, k2), p);
                let k4 = slope(along(x, t, k3), p);
                for c in 0..3 { x[c] + t / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]) }
            }
            fn after<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> [f64; n, 3] {
                for i in 0..n, c in 0..3 {
                    let y = x[i];
                    $(let y = step(y, p, $length * t);)*
                    y[c]
                }
            }
            fn distance<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> f64 {
                let y = after(x, p, t);
                sum i, c { y[i, c] * y[i, c] }
            }
            fn distance_grad = value_and_grad(distance, x, t);
        }
        const LENGTHS: &[f64] = &[$($length),*];
    };
}
steps! { 1.0 2.0 3.0 4.0 5.0 1.0 2.0 3.0 4.0 5.0 1.0 2.0 3.0 4.0 5.0 1.0 2.0 3.0 4.0 5.0 }

const P: [f64; 3] = [10.0, 28.0, 8.0 / 3.0];

fn slope_of(x: [f64; 3]) -> [f64; 3] {
    [P[0] * (x[1] - x[0]), x[0] * (P[1] - x[2]) - x[1], x[0] * x[1] - P[2] * x[2]]
}

/// Where a point is at the end.
fn by_hand(mut x: [f64; 3], t: f64) -> [f64; 3] {
    let along = |x: [f64; 3], t: f64, k: [f64; 3]| std::array::from_fn(|c| x[c] + t * k[c]);
    for t in LENGTHS.iter().map(|length| length * t) {
        let k1 = slope_of(x);
        let k2 = slope_of(along(x, 0.5 * t, k1));
        let k3 = slope_of(along(x, 0.5 * t, k2));
        let k4 = slope_of(along(x, t, k3));
        x = std::array::from_fn(|c| x[c] + t / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]));
    }
    x
}

fn squared(x: [f64; 3], t: f64) -> f64 {
    by_hand(x, t).iter().map(|x| x * x).sum()
}

/// A value, and half of its change by so much, times two: second order.
fn slope_by_differences(f: impl Fn(f64) -> f64, by: f64) -> f64 {
    (f(by) - f(-by)) / (2.0 * by)
}

#[test]
fn as_by_hand_and_by_differences() {
    let t = 1e-3;
    for _level in tensor_tests::levels() {
        for n in (0..20).chain([33, 64, 101]) {
            let x = Array2::from_shape_fn((n, 3), |(i, c)| 1.0 + (0.7 * i as f64 + 1.9 * c as f64).sin());
            let row = |i: usize| [x[[i, 0]], x[[i, 1]], x[[i, 2]]];
            let y = after(&x, &P, t).unwrap();
            let (value, (by_x, by_t)) = distance_grad(&x, &P, t).unwrap();
            let mut sums = [0.0; 2];
            for i in 0..n {
                let expected = by_hand(row(i), t);
                for c in 0..3 {
                    assert_relative_eq!(y[[i, c]], expected[c], max_relative = 1e-12);
                    let moved = |d: f64| {
                        let mut x = row(i);
                        x[c] += d;
                        squared(x, t)
                    };
                    assert_relative_eq!(by_x[[i, c]], slope_by_differences(moved, 1e-5), max_relative = 1e-6);
                }
                sums[0] += squared(row(i), t);
                sums[1] += slope_by_differences(|d| squared(row(i), t + d), 1e-8);
            }
            assert_relative_eq!(value, sums[0], max_relative = 1e-12);
            assert_relative_eq!(by_t, sums[1], max_relative = 1e-5);
        }
    }
}
