//! Programs with recurrences, each beside the same in Rust.

use super::plain::{all_pairs, bodies, gru_loss, hmm, iir, log_det, lstm, orbit, soft_dtw};

/// What a program is given.
pub struct Input<'a> {
    /// Its sizes, in the order of the checked program.
    pub sizes: &'a [usize],
    /// The leaves of its arguments, row-major.
    pub x: &'a [&'a [f64]],
}

/// A program.
pub struct Program {
    /// Its last function is called.
    pub source: &'static str,
    /// With these sizes.
    pub sizes: &'static [&'static [usize]],
    /// The shapes of its arguments.
    pub shapes: fn(&[usize]) -> Vec<Vec<usize>>,
    /// The leaves of the result, one after the other.
    pub plain: fn(&Input) -> Vec<f64>,
}

pub const PROGRAMS: &[Program] = &[
    Program {
        source: LSTM,
        sizes: &[&[2, 1, 1], &[5, 2, 3], &[4, 3, 2]],
        shapes: |s| {
            let (n, l, b) = (s[0], s[1], s[2]);
            vec![vec![n, b], vec![l, 4, b], vec![l, 4, b], vec![l, b], vec![l, b], vec![b], vec![b], vec![b]]
        },
        plain: lstm,
    },
    Program {
        source: ORBIT,
        sizes: &[&[0], &[1], &[7]],
        shapes: |_| vec![vec![2], vec![4], vec![]],
        plain: orbit,
    },
    Program {
        source: "fn log_likelihood<n>(y: [f64; n], a0: f64, p0: f64, q: f64, h: f64) -> f64 {
            let (_, _, l) = fold t in 0..n from (a, p, l) = (a0, p0, 0.0) {
                let v = y[t] - a;
                let f = p + h;
                let k = p / f;
                (a + k * v, p * (1.0 - k) + q, l - 0.5 * (f.ln() + v * v / f))
            };
            l
        }",
        sizes: &[&[0], &[1], &[6]],
        shapes: |s| vec![vec![s[0]], vec![], vec![], vec![], vec![]],
        plain: |i| {
            let (mut a, mut p, mut l) = (i.x[1][0], i.x[2][0], 0.0);
            for y in i.x[0] {
                let (v, f) = (y - a, p + i.x[4][0]);
                let k = p / f;
                (a, p, l) = (a + k * v, p * (1.0 - k) + i.x[3][0], l - 0.5 * (f.ln() + v * v / f));
            }
            vec![l]
        },
    },
    Program {
        source: "fn hmm<n, s>(start: [f64; s], step: [f64; s, s], emit: [f64; n, s]) -> f64 where n >= 1 {
            let a = rec t in 0..n { for k { emit[t, k] + if t == 0 { start[k] } else { logsumexp j { a[t - 1, j] + step[j, k] } } } };
            logsumexp k { a[n - 1, k] }
        }",
        sizes: &[&[1, 1], &[1, 3], &[5, 3]],
        shapes: |s| vec![vec![s[1]], vec![s[1], s[1]], vec![s[0], s[1]]],
        plain: hmm,
    },
    Program {
        source: "fn iir<n, c>(x: [f64; n, c], b: [f64; 3], a: [f64; 2]) -> [f64; n, c] {
            let y = rec t in 0..n {
                for k {
                    b[0] * x[t, k] + [t >= 1] * (b[1] * x[t - 1, k] - a[0] * y[t - 1, k]) + [t >= 2] * (b[2] * x[t - 2, k] - a[1] * y[t - 2, k])
                }
            };
            y
        }",
        sizes: &[&[0, 2], &[1, 0], &[1, 1], &[2, 3], &[7, 2]],
        shapes: |s| vec![vec![s[0], s[1]], vec![3], vec![2]],
        plain: iir,
    },
    Program {
        source: "fn solve_lower<n>(l: [f64; n, n], b: [f64; n]) -> [f64; n] {
            let x = rec i in 0..n { (b[i] - sum j in 0..i { l[i, j] * x[j] }) / l[i, i] };
            x
        }",
        sizes: &[&[0], &[1], &[5]],
        shapes: |s| vec![vec![s[0], s[0]], vec![s[0]]],
        plain: |i| {
            let n = i.sizes[0];
            let mut x = vec![0.0; n];
            for r in 0..n {
                let known: f64 = (0..r).map(|j| i.x[0][r * n + j] * x[j]).sum();
                x[r] = (i.x[1][r] - known) / i.x[0][r * n + r];
            }
            x
        },
    },
    Program {
        source: "fn solve_upper<n>(l: [f64; n, n], b: [f64; n]) -> [f64; n] {
            let x = rec i in (0..n).rev() { (b[i] - sum j in i + 1..n { l[j, i] * x[j] }) / l[i, i] };
            x
        }",
        sizes: &[&[0], &[1], &[5]],
        shapes: |s| vec![vec![s[0], s[0]], vec![s[0]]],
        plain: |i| {
            let n = i.sizes[0];
            let mut x = vec![0.0; n];
            for r in (0..n).rev() {
                let known: f64 = (r + 1..n).map(|j| i.x[0][j * n + r] * x[j]).sum();
                x[r] = (i.x[1][r] - known) / i.x[0][r * n + r];
            }
            x
        },
    },
    Program {
        source: "fn log_det<n>(g: [f64; n, n]) -> f64 {
            let a = for i, j { [i == j] * 2.0 + sum k { g[i, k] * g[j, k] } };
            let l = rec i in 0..n, j in 0..n if j <= i {
                let s = a[i, j] - sum k in 0..j { l[i, k] * l[j, k] };
                if i == j { s.sqrt() } else { s / l[j, j] }
            };
            2.0 * sum i { l[i, i].ln() }
        }",
        sizes: &[&[0], &[1], &[4]],
        shapes: |s| vec![vec![s[0], s[0]]],
        plain: log_det,
    },
    Program {
        source: "fn soft_dtw<n, m>(x: [f64; n], y: [f64; m], g: f64) -> f64 where n >= 1, m >= 1 {
            let r = rec i in 0..n, j in 0..m {
                let up = if i >= 1 { -r[i - 1, j] / g } else { NEG_INFINITY };
                let left = if j >= 1 { -r[i, j - 1] / g } else { NEG_INFINITY };
                let both = if i >= 1 && j >= 1 { -r[i - 1, j - 1] / g } else if i == j { 0.0 } else { NEG_INFINITY };
                (x[i] - y[j]).powi(2) - g * logsumexp k in 0..3 { [up, left, both][k] }
            };
            r[n - 1, m - 1]
        }",
        sizes: &[&[1, 1], &[1, 3], &[4, 1], &[4, 5]],
        shapes: |s| vec![vec![s[0]], vec![s[1]], vec![]],
        plain: soft_dtw,
    },
    Program {
        source: "fn horner<n>(c: [f64; n], x: f64) -> f64 { fold k in (0..n).rev() from p = 0.0 { p * x + c[k] } }",
        sizes: &[&[0], &[1], &[5]],
        shapes: |s| vec![vec![s[0]], vec![]],
        plain: |i| vec![i.x[0].iter().rev().fold(0.0, |p, c| p * i.x[1][0] + c)],
    },
    Program {
        source: "fn running_max<n>(x: [f64; n]) -> [f64; n] { scan i in 0..n from m = NEG_INFINITY { max(m, x[i]) } }",
        sizes: &[&[0], &[1], &[6]],
        shapes: |s| vec![vec![s[0]]],
        plain: |i| {
            (0..i.sizes[0]).map(|k| i.x[0][..=k].iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect()
        },
    },
    Program {
        source: "fn logistic(x0: f64, r: f64) -> f64 { fold k in 0..100 from x = x0 { r * x * (1.0 - x) } }",
        sizes: &[&[]],
        shapes: |_| vec![vec![], vec![]],
        plain: |i| vec![(0..100).fold(i.x[0][0], |x, _| i.x[1][0] * x * (1.0 - x))],
    },
    Program {
        source: "fn weights<n>(x: [f64; n]) -> f64 { prod i if x[i] > 0.6 { 1.0 + x[i] } }",
        sizes: &[&[0], &[1], &[6]],
        shapes: |s| vec![vec![s[0]]],
        plain: |i| vec![i.x[0].iter().filter(|x| **x > 0.6).map(|x| 1.0 + x).product()],
    },
    Program {
        source: GRU,
        sizes: &[&[0, 2, 2, 2], &[2, 0, 1, 2], &[1, 1, 1, 1], &[2, 4, 3, 2]],
        shapes: |s| {
            let (b, n, m, k) = (s[0], s[1], s[2], s[3]);
            vec![vec![b, n, m], vec![b, k], vec![3, k, m], vec![3, k, k], vec![k]]
        },
        plain: gru_loss,
    },
    Program {
        source: BODIES,
        sizes: &[&[1, 1], &[3, 0], &[3, 1], &[3, 4], &[0, 2]],
        shapes: |s| vec![vec![s[0], 3], vec![s[0], 3], vec![s[0]], vec![]],
        plain: bodies,
    },
    Program {
        source: "fn composed<n>(a: [f64; n], b: [f64; n]) -> (f64, f64) {
            reduce i in 0..n with |p, q| { (p.0 * q.0, q.0 * p.1 + q.1) } from (1.0, 0.0) { (a[i], b[i]) }
        }",
        sizes: &[&[0], &[1], &[5]],
        shapes: |s| vec![vec![s[0]], vec![s[0]]],
        plain: |i| {
            let both = i.x[0].iter().zip(i.x[1]);
            let (a, b) = both.fold((1.0, 0.0), |p, (a, b)| (p.0 * a, a * p.1 + b));
            vec![a, b]
        },
    },
    Program {
        source: "fn implicit<n>(y0: f64, force: [f64; n], dt: f64) -> f64 {
            fold t in 0..n from y = y0 {
                fold k in 0..20 from z = y if (z - y - dt * (force[t] - z.powi(3))).abs() > 1e-12 {
                    z - (z - y - dt * (force[t] - z.powi(3))) / (1.0 + 3.0 * dt * z * z)
                }
            }
        }",
        sizes: &[&[0], &[1], &[4]],
        shapes: |s| vec![vec![], vec![s[0]], vec![]],
        plain: |i| {
            let dt = i.x[2][0];
            let step = |y: f64, f: f64| {
                let miss = |z: f64| z - y - dt * (f - z.powi(3));
                let newton = |z: f64| z - miss(z) / (1.0 + 3.0 * dt * z * z);
                (0..20).fold(y, |z, _| if miss(z).abs() > 1e-12 { newton(z) } else { z })
            };
            vec![i.x[1].iter().fold(i.x[0][0], |y, f| step(y, *f))]
        },
    },
    // Beside those: ranges that end before they begin, that begin elsewhere, that are reversed.
    Program {
        source: "fn between(x0: f64, a: usize, b: usize) -> f64 { fold t in a..b from x = x0 { 0.5 * x + t as f64 } }",
        sizes: &[&[3, 1], &[2, 2], &[1, 2], &[2, 6]],
        shapes: |_| vec![vec![]],
        plain: |i| vec![(i.sizes[0]..i.sizes[1]).fold(i.x[0][0], |x, t| 0.5 * x + t as f64)],
    },
    Program {
        source: "fn none(x0: f64) -> f64 { fold t in 5..3 from x = x0 { 2.0 * x } }",
        sizes: &[&[]],
        shapes: |_| vec![vec![]],
        plain: |i| vec![i.x[0][0]],
    },
    Program {
        source: "fn from_the_end<n>(x: [f64; n]) -> [f64; n - 1] where n >= 1 {
            scan t in (1..n).rev() from s = 1.0 { 0.5 * s + x[t] }
        }",
        sizes: &[&[1], &[2], &[5]],
        shapes: |s| vec![vec![s[0]]],
        plain: |i| {
            let mut out = vec![0.0; i.sizes[0] - 1];
            let mut s = 1.0;
            for t in (1..i.sizes[0]).rev() {
                s = 0.5 * s + i.x[0][t];
                out[t - 1] = s;
            }
            out
        },
    },
    Program {
        source: "fn all_pairs<n>(x: [f64; n, n]) -> (f64, [f64; n]) {
            let p = prod i, j if i != j { x[i, j] };
            let s = scan i in (0..n).rev() with |(a, b), q| { (a + q.0, b * q.1) } from (0.0, 1.0) if x[i, i] > 0.5 { (x[i, i], x[i, i]) };
            let (sums, products) = s;
            (p, for i { sums[i] * products[i] })
        }",
        sizes: &[&[0], &[1], &[3]],
        shapes: |s| vec![vec![s[0], s[0]]],
        plain: all_pairs,
    },
    Program {
        source: "fn intervals<n>(w: [f64; n]) -> f64 where n >= 1 {
            let e = rec i in (0..n).rev(), j in 0..n if i <= j {
                if i == j { w[i] } else { min k in i..j { e[i, k] + e[k + 1, j] + w[i] * w[j] } }
            };
            e[0, n - 1]
        }",
        sizes: &[&[1], &[2], &[5]],
        shapes: |s| vec![vec![s[0]]],
        plain: |i| {
            let (n, w) = (i.sizes[0], i.x[0]);
            let mut e = vec![vec![0.0; n]; n];
            for a in (0..n).rev() {
                e[a][a] = w[a];
                for b in a + 1..n {
                    let split = (a..b).map(|k| e[a][k] + e[k + 1][b] + w[a] * w[b]);
                    e[a][b] = split.fold(f64::INFINITY, f64::min);
                }
            }
            vec![e[0][n - 1]]
        },
    },
    Program {
        source: "fn mixed<n>(x: [f64; n]) -> [f64; n] {
            let y: [(f64, [f64; 2]); n] = rec t in 0..n {
                let s = if t >= 1 { y[t - 1].0 } else { 0.0 };
                let k = t / 2;
                let v = if t >= 2 { y[k].1[1] } else { 1.0 };
                (s + x[t], [v, s * v])
            };
            for t { y[t].0 + y[t].1[0] }
        }",
        sizes: &[&[0], &[1], &[6]],
        shapes: |s| vec![vec![s[0]]],
        plain: |i| {
            let mut y: Vec<(f64, [f64; 2])> = vec![];
            for t in 0..i.sizes[0] {
                let s = if t >= 1 { y[t - 1].0 } else { 0.0 };
                let v = if t >= 2 { y[t / 2].1[1] } else { 1.0 };
                y.push((s + i.x[0][t], [v, s * v]));
            }
            y.iter().map(|(a, b)| a + b[0]).collect()
        },
    },
];

const LSTM: &str =
    "fn lstm<n, l, b>(x: [f64; n, b], w: [f64; l, 4, b], c: [f64; l, 4, b], h0: [f64; l, b], s0: [f64; l, b],
                 w_in: [f64; b], w_out: [f64; b], b_out: [f64; b]) -> f64 where n >= 2, l >= 1 {
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
}";

const ORBIT: &str = "fn lotka(y: [f64; 2], p: [f64; 4]) -> [f64; 2] { [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]] }
fn orbit(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> [f64; 2] {
    #[checkpoint(sqrt)]
    fold k in 0..steps from y = y0 {
        let k1 = lotka(y, p);
        let k2 = lotka(y + 0.5 * dt * k1, p);
        let k3 = lotka(y + 0.5 * dt * k2, p);
        let k4 = lotka(y + dt * k3, p);
        y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    }
}";

const GRU: &str = "fn gru<n, m, k>(x: [f64; n, m], u: [f64; 3, k, m], w: [f64; 3, k, k], h0: [f64; k]) -> [f64; k] {
    fold t in 0..n from h = h0 {
        let gate = for g in 0..2, i in 0..k { (sum j { u[g, i, j] * x[t, j] } + sum j { w[g, i, j] * h[j] }).sigmoid() };
        let new = for i { (sum j { u[2, i, j] * x[t, j] } + gate[1, i] * sum j { w[2, i, j] * h[j] }).tanh() };
        for i { (1.0 - gate[0, i]) * new[i] + gate[0, i] * h[i] }
    }
}
fn gru_loss<b, n, m, k>(x: [f64; b, n, m], y: [f64; b, k], u: [f64; 3, k, m], w: [f64; 3, k, k], h0: [f64; k]) -> f64 {
    sum s { let h = gru(x[s], u, w, h0); sum i { (h[i] - y[s, i]).powi(2) } }
}";

const BODIES: &str = "fn bodies<n>(x0: [f64; n, 3], v0: [f64; n, 3], mass: [f64; n], dt: f64, steps: usize) -> ([f64; n, 3], [f64; n, 3]) {
    #[checkpoint(100)]
    fold t in 0..steps from (x, v) = (x0, v0) {
        let x = x + dt * v;
        let a = for i in 0..n, c in 0..3 {
            sum j in 0..n if j != i {
                let r2 = 0.01 + sum e in 0..3 { (x[j, e] - x[i, e]).powi(2) };
                mass[j] * (x[j, c] - x[i, c]) / (r2 * r2.sqrt())
            }
        };
        (x, v + dt * a)
    }
}";
