//! The pathological programs of the paper: matrices that are never there.

use tensor_rt::tensor;

tensor! {
    /// `dot(diag(x)[:, 0], diag(x)[0, :])`.
    pub fn corner<n>(x: [f64; n]) -> f64 where n >= 1 {
        let a = for i in 0..n, j in 0..n { [i == j] * x[i] };
        sum i in 0..n { a[i, 0] * a[0, i] }
    }
    /// Its value and its gradient.
    pub fn corner_grad = value_and_grad(corner);

    /// Four traces of `diag(x)`.
    pub fn traces<n>(x: [f64; n]) -> f64 {
        let a = for i in 0..n, j in 0..n { [i == j] * x[i] };
        (sum i { a[i, i] }) + (sum i { a[i, i] }) + (sum i { a[i, i] }) + sum i { a[i, i] }
    }
    /// Its value and its gradient.
    pub fn traces_grad = value_and_grad(traces);
}
