//! Programs whose long loops are cut between threads, in every way that loops are.
#![forbid(unsafe_code)]

use tensor_rt::tensor;

tensor! {
    #![threads]

    /// Σ x²: a total, and rows of one element.
    pub fn square<n>(x: [f64; n]) -> f64 { sum i { x[i].powi(2) } }
    pub fn square_grad = value_and_grad(square);

    /// Σ x y
    pub fn dot<n>(x: [f64; n], y: [f64; n]) -> f64 { sum i { x[i] * y[i] } }

    /// Element by element.
    pub fn elementwise<n>(x: [f64; n]) -> [f64; n] { for i { x[i].exp() * x[i].sin() } }

    /// The greatest element.
    pub fn largest<n>(x: [f64; n]) -> f64 { max i { x[i] } }

    /// An extreme, a total, and rows.
    pub fn soft<n>(x: [f64; n]) -> f64 { logsumexp i { x[i] } }
    pub fn soft_grad = value_and_grad(soft);

    /// Squares of what a convolution leaves.
    pub fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
        let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
        sum i { (y[i] - z[i]).powi(2) }
    }
    pub fn misfit_by_x = value_and_grad(misfit, x);
    pub fn misfit_by_w = value_and_grad(misfit, w);
    pub fn misfit_grad = value_and_grad(misfit, x, w);

    /// Rows four at a time; its adjoint adds to an array.
    pub fn times<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] { for i { sum j { a[i, j] * x[j] } } }
    pub fn times_vjp = vjp(times);

    /// A matmul.
    pub fn product<n, m, k>(a: [f64; n, k], b: [f64; k, m]) -> [f64; n, m] { for i, j { sum l { a[i, l] * b[l, j] } } }
    pub fn product_vjp = vjp(product);

    /// Differences of neighbours.
    pub fn stencil<h, w>(x: [f64; h, w]) -> f64 {
        sum j in 0..h, i in 0..w {
            [i + 1 < w] * (x[j, i + 1] - x[j, i]).powi(2) + [j + 1 < h] * (x[j + 1, i] - x[j, i]).powi(2)
        }
    }
    pub fn stencil_grad = value_and_grad(stencil);

    /// A chain of springs: arrays with a copy for each lane.
    pub fn springs<n>(x: [f64; n, 2], stiffness: f64) -> f64 {
        sum i in 0..n if i + 1 < n {
            let d = for a in 0..2 { x[i, a] - x[i + 1, a] };
            stiffness * (max(1e-6, sum a { d[a].powi(2) }).sqrt() - 1.0).powi(2)
        }
    }
    pub fn springs_grad = value_and_grad(springs, x);

    /// Cross entropy of a linear layer: scratch inside rows, and sums.
    pub fn softmax<n, d, k>(x: [f64; n, d], w: [f64; k, d], b: [f64; k], y: [f64; n, k]) -> f64 {
        sum i in 0..n {
            let score = for c in 0..k { b[c] + sum j { x[i, j] * w[c, j] } };
            let z = logsumexp c { score[c] };
            sum c { y[i, c] * (z - score[c]) }
        }
    }
    pub fn softmax_grad = value_and_grad(softmax, w, b);

    /// A mixture of Gaussians: everything inside of one loop.
    pub fn mixture<n, k, d>(alpha: [f64; k], mu: [f64; k, d], q: [f64; k, d], l: [f64; k, d * (d - 1) / 2], x: [f64; n, d]) -> f64 {
        let log_det = for c in 0..k { sum j in 0..d { q[c, j] } };
        let normalizer = logsumexp c in 0..k { alpha[c] };
        let fits = sum i in 0..n {
            logsumexp c in 0..k {
                let r = for a in 0..d { x[i, a] - mu[c, a] };
                let z = for a in 0..d { q[c, a].exp() * r[a] + sum b in 0..a { l[c, a * (a - 1) / 2 + b] * r[b] } };
                alpha[c] + log_det[c] - 0.5 * sum a in 0..d { z[a].powi(2) }
            }
        };
        (n as f64) * (normalizer + 0.5 * (d as f64) * (2.0 * PI).ln()) - fits
    }
    pub fn mixture_grad = value_and_grad(mixture, alpha, mu, q, l);
}

/// The same in single precision.
pub mod single {
    use tensor_rt::tensor;

    tensor! {
        /// Σ e^x x²
        pub fn sum<n>(x: [f32; n]) -> f32 { sum i { x[i].exp() * x[i].powi(2) } }
        #[threads]
        pub fn sum_grad = value_and_grad(sum);
    }
}

/// Without the attribute.
pub mod plain {
    use tensor_rt::tensor;

    tensor! {
        /// As [`misfit`](crate::misfit).
        pub fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
            let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
            sum i { (y[i] - z[i]).powi(2) }
        }
        pub fn misfit_by_w = value_and_grad(misfit, w);

        /// As [`product`](crate::product).
        pub fn product<n, m, k>(a: [f64; n, k], b: [f64; k, m]) -> [f64; n, m] { for i, j { sum l { a[i, l] * b[l, j] } } }
    }
}
