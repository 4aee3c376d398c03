//! Convolutions, stencils on images, springs.

use tensor_rt::tensor;

tensor! {
    /// The convolution of a signal with a kernel.
    pub fn conv<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] { for i in 0..n { sum j in 0..m { x[i + j] * w[j] } } }
    /// `⟨y_bar, conv(x, w)⟩`, whose gradients are the adjoints.
    pub fn conv_paired<n, m>(x: [f64; n + m - 1], w: [f64; m], y_bar: [f64; n]) -> f64 {
        let y = conv(x, w);
        sum i in 0..n { y_bar[i] * y[i] }
    }
    /// The adjoint by the signal.
    pub fn conv_x = grad(conv_paired, x);
    /// The adjoint by the kernel.
    pub fn conv_w = grad(conv_paired, w);

    /// The 5-point energy of an image: squares of differences, and of the distance to `z`.
    pub fn energy<h, w>(x: [f64; h, w], z: [f64; h, w]) -> f64 {
        sum i in 0..h, j in 0..w {
            0.5 * (x[i, j] - z[i, j]).powi(2)
                + [i + 1 < h] * (x[i + 1, j] - x[i, j]).powi(2)
                + [j + 1 < w] * (x[i, j + 1] - x[i, j]).powi(2)
        }
    }
    /// Its value, and its gradient by the image.
    pub fn energy_grad = value_and_grad(energy, x);

    /// The Laplacian of an image that is zero outside.
    pub fn laplacian<h, w>(x: [f64; h, w]) -> [f64; h, w] {
        for i in 0..h, j in 0..w {
            [i >= 1] * x[i - 1, j] + [i + 1 < h] * x[i + 1, j] + [j >= 1] * x[i, j - 1] + [j + 1 < w] * x[i, j + 1] - 4.0 * x[i, j]
        }
    }
    /// `½ ‖Δx - z‖²`.
    pub fn laplace<h, w>(x: [f64; h, w], z: [f64; h, w]) -> f64 {
        let y = laplacian(x);
        0.5 * sum i, j { (y[i, j] - z[i, j]).powi(2) }
    }
    /// Its value, and its gradient by the image.
    pub fn laplace_grad = value_and_grad(laplace, x);

    /// The blur of an image by ¼ [1 2 1] both ways.
    pub fn blur<h, w>(x: [f64; h, w]) -> [f64; h, w] {
        let rows = for j in 0..h, i in 0..w { 0.5 * x[j, i] + 0.25 * ([i >= 1] * x[j, i - 1] + [i + 1 < w] * x[j, i + 1]) };
        for j in 0..h, i in 0..w { 0.5 * rows[j, i] + 0.25 * ([j >= 1] * rows[j - 1, i] + [j + 1 < h] * rows[j + 1, i]) }
    }
    /// `⟨y_bar, blur(x)⟩`.
    pub fn blur_paired<h, w>(x: [f64; h, w], y_bar: [f64; h, w]) -> f64 {
        let y = blur(x);
        sum i, j { y_bar[i, j] * y[i, j] }
    }
    /// The adjoint of the blur.
    pub fn blur_x = grad(blur_paired, x);

    /// Energy of springs between consecutive points of the plane.
    pub fn springs<n>(x: [f64; n, 2], stiffness: f64, width: f64) -> f64 {
        sum i in 0..n if i + 1 < n {
            let d = for a in 0..2 { x[i, a] - x[i + 1, a] };
            stiffness * (max(1e-6, sum a { d[a].powi(2) }).sqrt() - width).powi(2)
        }
    }
    /// Its value, and its gradient by the points.
    pub fn springs_grad = value_and_grad(springs, x);
}
