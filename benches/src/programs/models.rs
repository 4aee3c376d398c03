//! Softmax regression, and a perceptron of two layers.

use tensor_rt::tensor;

tensor! {
    /// Cross-entropy of the softmax of a linear layer.
    pub fn softmax<n, d, k>(x: [f64; n, d], w: [f64; k, d], b: [f64; k], y: [f64; n, k]) -> f64 {
        sum i in 0..n {
            let score = for c in 0..k { b[c] + sum j { x[i, j] * w[c, j] } };
            let z = logsumexp c { score[c] };
            sum c { y[i, c] * (z - score[c]) }
        }
    }
    /// Its value, and its gradient by weights and biases.
    pub fn softmax_grad = value_and_grad(softmax, w, b);

    fn layer<n, p, q>(x: [f64; n, p], w: [f64; q, p], b: [f64; q]) -> [f64; n, q] {
        for i, o { b[o] + sum j { x[i, j] * w[o, j] } }
    }
    /// Half the squared error of two layers with `tanh` between.
    pub fn perceptron<n, p, q, r>(
        x: [f64; n, p], w1: [f64; q, p], b1: [f64; q], w2: [f64; r, q], b2: [f64; r], y: [f64; n, r],
    ) -> f64 {
        let h = layer(x, w1, b1);
        let a = for i in 0..n, o in 0..q { h[i, o].tanh() };
        let e = layer(a, w2, b2) - y;
        0.5 * sum i, o { e[i, o].powi(2) }
    }
    /// Its value, and its gradient by all parameters.
    pub fn perceptron_grad = value_and_grad(perceptron, w1, b1, w2, b2);
}
