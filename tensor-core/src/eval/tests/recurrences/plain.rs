//! The longer programs, in Rust.

use super::programs::Input;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn logsumexp(all: impl Iterator<Item = f64>) -> f64 {
    all.map(f64::exp).sum::<f64>().ln()
}

pub fn lstm(i: &Input) -> Vec<f64> {
    let [n, l, b] = [i.sizes[0], i.sizes[1], i.sizes[2]];
    let [x, w, c, h0, s0, w_in, w_out, b_out] = *i.x else { return vec![] };
    let (mut h, mut s) = (h0.to_vec(), s0.to_vec());
    let mut total = 0.0;
    for t in 0..n - 1 {
        let mut y: Vec<f64> = (0..b).map(|u| w_in[u] * x[t * b + u]).collect();
        for k in 0..l {
            for u in 0..b {
                let gate = |g: usize, by: f64| by * w[(k * 4 + g) * b + u] + c[(k * 4 + g) * b + u];
                let (was, old) = (h[k * b + u], s[k * b + u]);
                let cell = old * sigmoid(gate(0, y[u])) + sigmoid(gate(1, was)) * gate(3, was).tanh();
                (s[k * b + u], h[k * b + u]) = (cell, sigmoid(gate(2, y[u])) * cell.tanh());
            }
            y = h[k * b..(k + 1) * b].to_vec();
        }
        let z: Vec<f64> = (0..b).map(|u| y[u] * w_out[u] + b_out[u]).collect();
        let norm = (2.0 + z.iter().map(|z| z.exp()).sum::<f64>()).ln();
        total += (0..b).map(|u| x[(t + 1) * b + u] * (z[u] - norm)).sum::<f64>();
    }
    vec![-total / ((n - 1) as f64 * b as f64)]
}

pub fn orbit(i: &Input) -> Vec<f64> {
    let (p, dt) = (i.x[1], i.x[2][0]);
    let f = |y: [f64; 2]| [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]];
    let along = |y: [f64; 2], s: f64, k: [f64; 2]| [y[0] + s * k[0], y[1] + s * k[1]];
    let mut y = [i.x[0][0], i.x[0][1]];
    for _ in 0..i.sizes[0] {
        let k1 = f(y);
        let k2 = f(along(y, 0.5 * dt, k1));
        let k3 = f(along(y, 0.5 * dt, k2));
        let k4 = f(along(y, dt, k3));
        y = [0, 1].map(|c| y[c] + dt / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]));
    }
    y.to_vec()
}

pub fn hmm(i: &Input) -> Vec<f64> {
    let (n, s) = (i.sizes[0], i.sizes[1]);
    let mut a: Vec<f64> = (0..s).map(|k| i.x[2][k] + i.x[0][k]).collect();
    for t in 1..n {
        let next = |k: usize| i.x[2][t * s + k] + logsumexp((0..s).map(|j| a[j] + i.x[1][j * s + k]));
        a = (0..s).map(next).collect();
    }
    vec![logsumexp(a.into_iter())]
}

pub fn iir(i: &Input) -> Vec<f64> {
    let (n, c) = (i.sizes[0], i.sizes[1]);
    let (x, b, a) = (i.x[0], i.x[1], i.x[2]);
    let mut y = vec![0.0; n * c];
    for at in 0..n * c {
        y[at] = b[0] * x[at];
        for back in [1, 2] {
            if at >= back * c {
                y[at] += b[back] * x[at - back * c] - a[back - 1] * y[at - back * c];
            }
        }
    }
    y
}

/// ln det of I + I + G Gᵀ, by elimination.
pub fn log_det(i: &Input) -> Vec<f64> {
    let (n, g) = (i.sizes[0], i.x[0]);
    let dot = |r: usize, c: usize| (0..n).map(|k| g[r * n + k] * g[c * n + k]).sum::<f64>();
    let one = |r: usize, c: usize| dot(r, c) + if r == c { 2.0 } else { 0.0 };
    let mut a: Vec<Vec<f64>> = (0..n).map(|r| (0..n).map(|c| one(r, c)).collect()).collect();
    let mut out = 0.0;
    for p in 0..n {
        let pivot = a[p].clone();
        out += pivot[p].ln();
        for row in &mut a[p + 1..] {
            let by = row[p] / pivot[p];
            row.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= by * y);
        }
    }
    vec![out]
}

pub fn soft_dtw(i: &Input) -> Vec<f64> {
    let (n, m, g) = (i.sizes[0], i.sizes[1], i.x[2][0]);
    let mut r = vec![vec![f64::INFINITY; m + 1]; n + 1];
    r[0][0] = 0.0;
    for a in 0..n {
        for b in 0..m {
            let around = [r[a][b + 1], r[a + 1][b], r[a][b]];
            r[a + 1][b + 1] = (i.x[0][a] - i.x[1][b]).powi(2) - g * logsumexp(around.iter().map(|r| -r / g));
        }
    }
    vec![r[n][m]]
}

pub fn gru_loss(i: &Input) -> Vec<f64> {
    let [batch, n, m, k] = [i.sizes[0], i.sizes[1], i.sizes[2], i.sizes[3]];
    let [x, y, u, w, h0] = *i.x else { return vec![] };
    let mut loss = 0.0;
    for s in 0..batch {
        let mut h = h0.to_vec();
        for t in 0..n {
            let input = |g: usize, r: usize| {
                (0..m).map(|j| u[(g * k + r) * m + j] * x[(s * n + t) * m + j]).sum::<f64>()
            };
            let state = |g: usize, r: usize| (0..k).map(|j| w[(g * k + r) * k + j] * h[j]).sum::<f64>();
            let next = |r: usize| {
                let (keep, reset) = (sigmoid(input(0, r) + state(0, r)), sigmoid(input(1, r) + state(1, r)));
                (1.0 - keep) * (input(2, r) + reset * state(2, r)).tanh() + keep * h[r]
            };
            h = (0..k).map(next).collect();
        }
        loss += (0..k).map(|r| (h[r] - y[s * k + r]).powi(2)).sum::<f64>();
    }
    vec![loss]
}

pub fn bodies(i: &Input) -> Vec<f64> {
    let (n, steps, mass, dt) = (i.sizes[0], i.sizes[1], i.x[2], i.x[3][0]);
    let (mut x, mut v) = (i.x[0].to_vec(), i.x[1].to_vec());
    for _ in 0..steps {
        x.iter_mut().zip(&v).for_each(|(x, v)| *x += dt * v);
        for a in 0..n {
            for b in (0..n).filter(|b| *b != a) {
                let r2 = 0.01 + (0..3).map(|e| (x[b * 3 + e] - x[a * 3 + e]).powi(2)).sum::<f64>();
                for c in 0..3 {
                    v[a * 3 + c] += dt * mass[b] * (x[b * 3 + c] - x[a * 3 + c]) / (r2 * r2.sqrt());
                }
            }
        }
    }
    [x, v].concat()
}

pub fn all_pairs(i: &Input) -> Vec<f64> {
    let (n, x) = (i.sizes[0], i.x[0]);
    let product: f64 = (0..n * n).filter(|k| k / n != k % n).map(|k| x[k]).product();
    let (mut sum, mut times) = (0.0, 1.0);
    let mut out = vec![0.0; n];
    for k in (0..n).rev() {
        let d = x[k * n + k];
        if d > 0.5 {
            (sum, times) = (sum + d, times * d);
        }
        out[k] = sum * times;
    }
    [vec![product], out].concat()
}
