//! The mixture of Gaussians of ADBench.

use tensor_rt::tensor;

tensor! {
    /// Log-likelihood with a Wishart prior, less its constants: weights `alpha`, means `mu`, and the triangular factors of the inverse
    /// covariances, `exp(q)` on the diagonal and `l` below.
    pub fn gmm<n, k, d>(
        alpha: [f64; k], mu: [f64; k, d], q: [f64; k, d], l: [f64; k, d, d], x: [f64; n, d], gamma: f64, m: f64,
    ) -> f64 {
        let eq = for c in 0..k, a in 0..d { q[c, a].exp() };
        let log_det = for c in 0..k { sum a in 0..d { q[c, a] } };
        let fits = sum i in 0..n {
            logsumexp c in 0..k {
                let r = for a in 0..d { x[i, a] - mu[c, a] };
                let z = for a in 0..d { eq[c, a] * r[a] + sum b in 0..a { l[c, a, b] * r[b] } };
                alpha[c] + log_det[c] - 0.5 * sum a in 0..d { z[a].powi(2) }
            }
        };
        let prior = sum c in 0..k {
            let squares = (sum a in 0..d { eq[c, a].powi(2) }) + sum a in 0..d, b in 0..a { l[c, a, b].powi(2) };
            0.5 * gamma * gamma * squares - m * log_det[c]
        };
        let normalizer = logsumexp c in 0..k { alpha[c] };
        fits - (n as f64) * normalizer + prior
    }
    /// Its value, and its gradient by all parameters.
    pub fn gmm_grad = value_and_grad(gmm, alpha, mu, q, l);
}
