//! A step of the classical Runge–Kutta method, for a system of Lorenz.

use tensor_rt::tensor;

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
}
