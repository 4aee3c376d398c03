//! Functions of a few numbers.

use tensor_rt::tensor;

tensor! {
    /// Rosenbrock's function of two variables.
    pub fn rosenbrock(x: [f64; 2]) -> f64 { 100.0 * (x[1] - x[0].powi(2)).powi(2) + (1.0 - x[0]).powi(2) }
    /// Its value and its gradient.
    pub fn rosenbrock_grad = value_and_grad(rosenbrock);

    /// Energy of a spring between two points of space.
    pub fn spring(a: [f64; 3], b: [f64; 3], stiffness: f64, length: f64) -> f64 {
        let d = for i in 0..3 { a[i] - b[i] };
        0.5 * stiffness * ((sum i { d[i].powi(2) }).sqrt() - length).powi(2)
    }
    /// Its value, and its gradient by both points.
    pub fn spring_grad = value_and_grad(spring, a, b);
}
