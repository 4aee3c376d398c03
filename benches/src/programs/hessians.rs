//! Hessians, and a transpose.

use tensor_rt::tensor;

tensor! {
    /// The negative log-likelihood of a logistic regression.
    fn logistic<n, d>(x: [f64; n, d], y: [f64; n], w: [f64; d]) -> f64 {
        sum i in 0..n {
            let s = sum j { x[i, j] * w[j] };
            s.softplus() - y[i] * s
        }
    }
    /// Its Hessian by the weights, `Xᵀ D X`.
    pub fn logistic_hessian = hessian(logistic, w);

    /// The negative log-likelihood of a softmax regression.
    fn classes<n, d, k>(x: [f64; n, d], y: [f64; n, k], w: [f64; k, d]) -> f64 {
        let s = for i in 0..n, c in 0..k { sum j { x[i, j] * w[c, j] } };
        sum i in 0..n { (logsumexp c { s[i, c] }) - sum c { y[i, c] * s[i, c] } }
    }
    /// Its Hessian by the weights: blocks `Xᵀ D X`, one for each two classes.
    pub fn classes_hessian = hessian(classes, w);

    /// `½ ‖A x - b‖²`.
    fn least_squares<n, d>(a: [f64; n, d], b: [f64; n], x: [f64; d]) -> f64 {
        0.5 * sum i in 0..n { (sum j { a[i, j] * x[j] } - b[i]).powi(2) }
    }
    /// Its Hessian, `Aᵀ A`.
    pub fn least_squares_hessian = hessian(least_squares, x);

    /// The negative log-likelihood of a mixture of Gaussians of unit variance on a line.
    fn means<n, k>(x: [f64; n], alpha: [f64; k], mu: [f64; k]) -> f64 {
        sum i in 0..n { -logsumexp c in 0..k { alpha[c] - 0.5 * (x[i] - mu[c]).powi(2) } }
    }
    /// Its Hessian by the means.
    pub fn means_hessian = hessian(means, mu);
    /// Its Hessian by weights and means: four blocks.
    pub fn mixture_hessian = hessian(means, alpha, mu);

    fn log_sum_exp<n>(x: [f64; n]) -> f64 { logsumexp i { x[i] } }
    /// The Hessian of `logsumexp`: a diagonal less an outer product.
    pub fn log_sum_hessian = hessian(log_sum_exp);

    /// Smoothed distances between all pairs of points of the plane.
    fn pairs<n>(x: [f64; n, 2]) -> f64 {
        sum i in 0..n, j in 0..n if j < i { (1.0 + sum a { (x[i, a] - x[j, a]).powi(2) }).sqrt() }
    }
    /// Their sum with its gradient.
    pub fn pairs_grad = value_and_grad(pairs);
    /// Their Hessian: full, in blocks of two by two.
    pub fn pairs_hessian = hessian(pairs);

    /// Rosenbrock's function of n variables.
    fn rosenbrock<n>(x: [f64; n]) -> f64 {
        sum i in 0..n if i + 1 < n { 100.0 * (x[i + 1] - x[i].powi(2)).powi(2) + (1.0 - x[i]).powi(2) }
    }
    /// Its Hessian: three diagonals.
    pub fn rosenbrock_hessian = hessian(rosenbrock);

    /// `Aᵀ`.
    pub fn transposed<n, m>(a: [f64; n, m]) -> [f64; m, n] { for i in 0..m, j in 0..n { a[j, i] } }
}
