//! Twenty calls of one step of the classical Runge–Kutta method, one after the other, for n systems of Lorenz.

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
    /// The states after twenty steps.
    pub fn twenty<n>(x: [f64; n, 3], p: [f64; 3], t: f64) -> [f64; n, 3] {
        for i in 0..n, c in 0..3 {
            let x1 = step(x[i], p, t);
            let x2 = step(x1, p, t);
            let x3 = step(x2, p, t);
            let x4 = step(x3, p, t);
            let x5 = step(x4, p, t);
            let x6 = step(x5, p, t);
            let x7 = step(x6, p, t);
            let x8 = step(x7, p, t);
            let x9 = step(x8, p, t);
            let x10 = step(x9, p, t);
            let x11 = step(x10, p, t);
            let x12 = step(x11, p, t);
            let x13 = step(x12, p, t);
            let x14 = step(x13, p, t);
            let x15 = step(x14, p, t);
            let x16 = step(x15, p, t);
            let x17 = step(x16, p, t);
            let x18 = step(x17, p, t);
            let x19 = step(x18, p, t);
            let x20 = step(x19, p, t);
            x20[c]
        }
    }
}
