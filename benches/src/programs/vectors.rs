//! Dot products, sums of squares, logsumexp.

use tensor_rt::tensor;

tensor! {
    /// The dot product.
    pub fn dot<n>(a: [f64; n], b: [f64; n]) -> f64 { sum i { a[i] * b[i] } }
    /// Its value and its gradient by `a`.
    pub fn dot_grad = value_and_grad(dot, a);

    /// The sum of squares.
    pub fn squares<n>(a: [f64; n]) -> f64 { sum i { a[i].powi(2) } }
    /// Its value and its gradient.
    pub fn squares_grad = value_and_grad(squares);

    /// The logarithm of a sum of exponentials.
    pub fn log_sum<n>(x: [f64; n]) -> f64 { logsumexp i { x[i] } }
    /// Its value and its gradient.
    pub fn log_sum_grad = value_and_grad(log_sum);
}
