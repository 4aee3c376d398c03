//! Recurrences of many series: values and derivatives against Rust by hand and differences, in a memory that their steps fit in.

use tensor_rt::ndarray::Array2;
use tensor_rt::tensor;
use tensor_tests::by_hand::{close, differences, matrix, noise};

tensor! {
    /// Holt's linear smoothing: the squared errors of its forecasts of one step, of each product.
    pub fn holt<p, n>(y: [f64; p, n], alpha: [f64; p], beta: [f64; p]) -> f64 where n >= 2 {
        sum i {
            let (_, _, e) = fold t in 1..n from (level, trend, e) = (y[i, 0], y[i, 1] - y[i, 0], 0.0) {
                let forecast = level + trend;
                let error = y[i, t] - forecast;
                let next = forecast + alpha[i] * error;
                (next, beta[i] * (next - level) + (1.0 - beta[i]) * trend, e + error * error)
            };
            e
        }
    }
    pub fn holt_grad = value_and_grad(holt, alpha, beta);

    fn flow(s: f64, i: f64, beta: f64, gamma: f64) -> (f64, f64) { (-beta * s * i, beta * s * i - gamma * i) }
    /// Who is infected in each region, on each day, by Heun's method.
    pub fn epidemic<r>(beta: [f64; r], gamma: f64, start: [f64; r], days: usize) -> [f64; r, days] {
        for k {
            let path = scan d in 0..days from (s, i) = (1.0 - start[k], start[k]) {
                let (ds, di) = flow(s, i, beta[k], gamma);
                let (es, ei) = flow(s + ds, i + di, beta[k], gamma);
                (s + 0.5 * (ds + es), i + 0.5 * (di + ei))
            };
            for d { path[d].1 }
        }
    }
    fn misfit<r, n>(beta: [f64; r], gamma: f64, start: [f64; r], seen: [f64; r, n]) -> f64 {
        let path = epidemic(beta, gamma, start, n);
        sum k, d { (path[k, d] - seen[k, d]).powi(2) }
    }
    pub fn misfit_grad = value_and_grad(misfit, beta, gamma);

    /// The exponential average of each series, through a function of one.
    fn average<n>(x: [f64; n], a: f64) -> [f64; n] { scan t in 0..n from m = 0.0 { (1.0 - a) * m + a * x[t] } }
    pub fn averages<s, n>(x: [f64; s, n], a: f64) -> [f64; s, n] { for i { average(x[i], a) } }
    pub fn averages_vjp = vjp(averages);
}

/// Shapes below and beyond what runs in lanes at once.
const SHAPES: [[usize; 2]; 4] = [[1, 2], [3, 7], [37, 20], [70, 5]];

#[test]
fn smoothing() {
    for [p, n] in SHAPES {
        let y = matrix(p, n, &noise(p * n, 0.3));
        let [alpha, beta] = [0.4, 0.5].map(|seed| noise(p, seed));
        let value = |alpha: &[f64], beta: &[f64]| holt(&y, alpha, beta).expect("the shapes fit");
        let (found, (by_alpha, by_beta)) = holt_grad(&y, &alpha, &beta).expect("the shapes fit");
        assert!((found - value(&alpha, &beta)).abs() <= 1e-12 * found.abs() + 1e-15);
        close(&by_alpha.to_vec(), &differences(&alpha, |alpha| value(alpha, &beta)), 1e-6);
        close(&by_beta.to_vec(), &differences(&beta, |beta| value(&alpha, beta)), 1e-6);
    }
}

#[test]
fn regions() {
    let gamma = 0.1;
    for [r, days] in SHAPES {
        let beta: Vec<f64> = (0..r).map(|k| 0.2 + 0.3 * (k as f64).sin().abs()).collect();
        let start = vec![0.01; r];
        let path = epidemic(&beta, gamma, &start, days).expect("the shapes fit");
        let mut by_hand = vec![];
        for b in &beta {
            let flow = |(s, i): (f64, f64)| (-b * s * i, b * s * i - gamma * i);
            let (mut s, mut i) = (0.99, 0.01);
            for _ in 0..days {
                let (ds, di) = flow((s, i));
                let (es, ei) = flow((s + ds, i + di));
                (s, i) = (s + 0.5 * (ds + es), i + 0.5 * (di + ei));
                by_hand.push(i);
            }
        }
        close(&path.into_raw_vec_and_offset().0, &by_hand, 1e-13);
        let seen = matrix(r, days, &noise(r * days, 0.7));
        let value =
            |beta: &[f64], gamma: f64| misfit_grad(beta, gamma, &start, &seen).expect("the shapes fit").0;
        let (_, (by_beta, by_gamma)) = misfit_grad(&beta, gamma, &start, &seen).expect("the shapes fit");
        close(&by_beta.to_vec(), &differences(&beta, |beta| value(beta, gamma)), 1e-6);
        close(&[by_gamma], &differences(&[gamma], |gamma| value(&beta, gamma[0])), 1e-6);
    }
}

/// The square of so many steps would not fit into any memory.
#[test]
fn long_series() {
    const STEPS: usize = 400_000;
    let x = Array2::from_shape_fn((3, STEPS), |(i, t)| (i + t % 5) as f64);
    let found = averages(&x, 0.5).expect("the shapes fit");
    let (_, (x_bar, _)) = averages_vjp(&x, 0.5, &Array2::ones((3, STEPS))).expect("the shapes fit");
    for i in 0..3 {
        let mut mean = 0.0;
        for t in 0..STEPS {
            mean = 0.5 * mean + 0.5 * x[[i, t]];
            assert!((found[[i, t]] - mean).abs() < 1e-12);
        }
        assert!((x_bar[[i, 0]] - 1.0).abs() < 1e-12);
        assert!((x_bar[[i, STEPS - 1]] - 0.5).abs() < 1e-12);
    }
}
