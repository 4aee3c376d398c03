//! Matrix times vector, and matrix times matrix, with the adjoints of each.

use tensor_rt::tensor;

tensor! {
    /// `A x`.
    pub fn matvec<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] { for i { sum j { a[i, j] * x[j] } } }
    /// `⟨y_bar, A x⟩`, whose gradients are the adjoints.
    pub fn matvec_paired<n, m>(a: [f64; n, m], x: [f64; m], y_bar: [f64; n]) -> f64 {
        let y = matvec(a, x);
        sum i { y_bar[i] * y[i] }
    }
    /// The adjoint by the matrix.
    pub fn matvec_a = grad(matvec_paired, a);
    /// The adjoint by the vector.
    pub fn matvec_x = grad(matvec_paired, x);

    /// `A B`.
    pub fn matmul<n, k, m>(a: [f64; n, k], b: [f64; k, m]) -> [f64; n, m] {
        for i, j { sum p { a[i, p] * b[p, j] } }
    }
    /// `⟨y_bar, A B⟩`, whose gradients are the adjoints.
    pub fn matmul_paired<n, k, m>(a: [f64; n, k], b: [f64; k, m], y_bar: [f64; n, m]) -> f64 {
        let y = matmul(a, b);
        sum i, j { y_bar[i, j] * y[i, j] }
    }
    /// The adjoint by the first matrix.
    pub fn matmul_a = grad(matmul_paired, a);
    /// The adjoint by the second matrix.
    pub fn matmul_b = grad(matmul_paired, b);
}
