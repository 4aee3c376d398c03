//! The Hessian of springs between points in space.

use tensor_rt::tensor;

tensor! {
    /// Springs from each of a row of points in space to the next one and to that after it.
    fn springs<n>(x: [f64; n, 3]) -> f64 {
        (sum i in 0..n if i + 1 < n { ((sum a { (x[i + 1, a] - x[i, a]).powi(2) }).sqrt() - 1.0).powi(2) })
            + sum i in 0..n if i + 2 < n { ((sum a { (x[i + 2, a] - x[i, a]).powi(2) }).sqrt() - 1.5).powi(2) }
    }
    /// Their Hessian: a band of blocks of three by three.
    pub fn springs_hessian = hessian(springs, x);
}
