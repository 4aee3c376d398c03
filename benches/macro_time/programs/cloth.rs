//! A cloth of springs between neighbours, along both sides and both diagonals, that hangs.

use tensor_rt::tensor;

tensor! {
    fn spring(a: [f64; 3], b: [f64; 3], stiffness: f64, length: f64) -> f64 {
        0.5 * stiffness * ((sum c in 0..3 { (a[c] - b[c]).powi(2) }).sqrt() - length).powi(2)
    }
    /// Its energy.
    pub fn cloth<h, w>(x: [f64; h, w, 3], stretch: f64, shear: f64, side: f64, weight: f64) -> f64 {
        (sum i in 0..h, j in 0..w if i + 1 < h { spring(x[i + 1, j], x[i, j], stretch, side) })
            + (sum i in 0..h, j in 0..w if j + 1 < w { spring(x[i, j + 1], x[i, j], stretch, side) })
            + (sum i in 0..h, j in 0..w if i + 1 < h && j + 1 < w { spring(x[i + 1, j + 1], x[i, j], shear, 1.4142 * side) })
            + (sum i in 0..h, j in 0..w if i + 1 < h && j + 1 < w { spring(x[i + 1, j], x[i, j + 1], shear, 1.4142 * side) })
            + weight * sum i in 0..h, j in 0..w { x[i, j, 2] }
    }
    /// Energy and forces.
    pub fn cloth_grad = value_and_grad(cloth, x);
    /// Forces, and the stiffness times a direction.
    pub fn cloth_hvp = hvp(cloth, x);
}
