//! What runs in steps: a recurrent network, filters, an integrator.

use tensor_rt::tensor;

tensor! {
    /// The long short-term memory of ADBench: minus the mean log-likelihood that `l` layers of `b` units give the next of `n` inputs `x`. Weights `w`
    /// and biases `c` of the gates forget, in, out and change; those of what enters and of what leaves; the states `h0` and `s0` before the first step.
    pub fn lstm<n, l, b>(
        w: [f64; l, 4, b], c: [f64; l, 4, b], w_in: [f64; b], w_out: [f64; b], b_out: [f64; b],
        h0: [f64; l, b], s0: [f64; l, b], x: [f64; n, b],
    ) -> f64 where n >= 2, l >= 1 {
        let (h, s) = rec t in 0..n - 1, k in 0..l {
            let y = if k == 0 { for u { w_in[u] * x[t, u] } } else { h[t, k - 1] };
            let h1 = if t == 0 { h0[k] } else { h[t - 1, k] };
            let s1 = if t == 0 { s0[k] } else { s[t - 1, k] };
            let cell = for u {
                let forget = (y[u] * w[k, 0, u] + c[k, 0, u]).sigmoid();
                let ingate = (h1[u] * w[k, 1, u] + c[k, 1, u]).sigmoid();
                let change = (h1[u] * w[k, 3, u] + c[k, 3, u]).tanh();
                s1[u] * forget + ingate * change
            };
            (for u { (y[u] * w[k, 2, u] + c[k, 2, u]).sigmoid() * cell[u].tanh() }, cell)
        };
        let z = for t in 0..n - 1, u in 0..b { h[t, l - 1, u] * w_out[u] + b_out[u] };
        let norm = for t { (2.0 + sum u { z[t, u].exp() }).ln() };
        -(sum t in 0..n - 1, u in 0..b { x[t + 1, u] * (z[t, u] - norm[t]) }) / ((n - 1) as f64 * b as f64)
    }
    /// Its value, and its gradient by all weights and biases.
    pub fn lstm_grad = value_and_grad(lstm, w, c, w_in, w_out, b_out);

    /// The Kalman filter of a local level: the log-likelihood of observations `y`, but for a constant. Mean and variance of the level before the first,
    /// the variance by which it moves from one to the next, and that of the noise of each.
    pub fn kalman<n>(y: [f64; n], a0: f64, p0: f64, q: f64, h: f64) -> f64 {
        let (_, _, l) = fold t in 0..n from (a, p, l) = (a0, p0, 0.0) {
            let v = y[t] - a;
            let f = p + h;
            let k = p / f;
            (a + k * v, p * (1.0 - k) + q, l - 0.5 * (f.ln() + v * v / f))
        };
        l
    }
    /// Its value, and its gradient by mean and variances.
    pub fn kalman_grad = value_and_grad(kalman, a0, p0, q, h);

    /// Prey and predators by Lotka and Volterra: how fast they become more. Rates of births, of being eaten, of growth by eating, and of deaths.
    fn lotka(y: [f64; 2], p: [f64; 4]) -> [f64; 2] {
        [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
    }
    /// Where `steps` of length `dt` of the method of Runge and Kutta lead.
    fn orbit(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> [f64; 2] {
        fold k in 0..steps from y = y0 {
            let k1 = lotka(y, p);
            let k2 = lotka(y + 0.5 * dt * k1, p);
            let k3 = lotka(y + 0.5 * dt * k2, p);
            let k4 = lotka(y + dt * k3, p);
            y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        }
    }
    /// The square of the distance of the last state from the origin.
    pub fn distance(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {
        let y = orbit(y0, p, dt, steps);
        sum a { y[a].powi(2) }
    }
    /// Its value, and its gradient by the first state, the rates and the length of a step.
    pub fn distance_grad = value_and_grad(distance, y0, p, dt);

    /// A filter of second order over channels: `b` weighs inputs, `a` outputs before.
    pub fn iir<n, c>(x: [f64; n, c], b: [f64; 3], a: [f64; 2]) -> [f64; n, c] {
        let y = rec t in 0..n {
            for k {
                b[0] * x[t, k] + [t >= 1] * (b[1] * x[t - 1, k] - a[0] * y[t - 1, k]) + [t >= 2] * (b[2] * x[t - 2, k] - a[1] * y[t - 2, k])
            }
        };
        y
    }
    /// The adjoint by the inputs.
    pub fn iir_x = transpose(iir, x);
}
