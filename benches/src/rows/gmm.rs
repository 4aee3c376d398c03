//! The mixture of Gaussians of ADBench, on its data.

use super::{Row, Target};
use crate::bench::Bench;
use crate::programs::gmm::{gmm_grad_into, gmm_into};
use reverse::{Gradient, Tape, Var};
use tensor_rt::Workspace;

/// A file of `data`, with what ADBench finds for its objective and the norm of its gradient.
struct File {
    text: &'static str,
    objective: f64,
    norm: f64,
}

const D10: File = File {
    text: include_str!("../../data/gmm_d10_K25.txt"),
    objective: -25_649.652_621_2,
    norm: 2_662.398_601_31,
};

const D20: File = File {
    text: include_str!("../../data/gmm_d20_K50.txt"),
    objective: -65_629.506_871_3,
    norm: 4_951.819_612_19,
};

fn target(part: &str, _: usize) -> Target {
    Target::Ratio(if part == "value" { 0.5 } else { 0.3 })
}

pub(super) const D10_K25: Row = Row {
    name: "GMM, d = 10, K = 25",
    unit: "n",
    sizes: &[1000],
    slope: &[250, 1000, 4000],
    target,
    writes: &[],
    run: |bench, n| gmm_row(bench, n, &D10),
};

pub(super) const D20_K50: Row =
    Row { name: "GMM, d = 20, K = 50", run: |bench, n| gmm_row(bench, n, &D20), ..D10_K25 };

/// The problem, its strict triangles unpacked to matrices by rows.
struct Mixture {
    n: usize,
    k: usize,
    d: usize,
    alpha: Vec<f64>,
    mu: Vec<f64>,
    q: Vec<f64>,
    l: Vec<f64>,
    x: Vec<f64>,
    prior: [f64; 2],
}

/// Reads a file; its points are cut off or repeated, to make `n`.
fn read(file: &File, n: usize) -> Mixture {
    let mut words = file.text.split_ascii_whitespace().map(|w| w.parse::<f64>().expect("a number"));
    let [d, k, all] = [(); 3].map(|()| words.next().expect("a size") as usize);
    let mut take = |count: usize| -> Vec<f64> { words.by_ref().take(count).collect() };
    let (alpha, mu) = (take(k), take(k * d));
    let (mut q, mut l) = (Vec::new(), vec![0.0; k * d * d]);
    for c in 0..k {
        q.extend(take(d));
        for column in 0..d {
            for row in column + 1..d {
                l[(c * d + row) * d + column] = take(1)[0];
            }
        }
    }
    let points = take(all * d);
    let prior = take(2);
    let x = points.into_iter().cycle().take(n * d).collect();
    Mixture { n, k, d, alpha, mu, q, l, x, prior: [prior[0], prior[1]] }
}

impl Mixture {
    fn value(&self, work: &mut Workspace<f64>) -> Result<f64, tensor_rt::Error> {
        let Mixture { n, k, d, .. } = *self;
        let (mu, q, l) = (&(&self.mu[..], [k, d]), &(&self.q[..], [k, d]), &(&self.l[..], [k, d, d]));
        gmm_into(&self.alpha, mu, q, l, &(&self.x[..], [n, d]), self.prior[0], self.prior[1], work)
    }

    fn gradient(&self, out: &mut [f64], work: &mut Workspace<f64>) -> Result<f64, tensor_rt::Error> {
        let Mixture { n, k, d, .. } = *self;
        let (mu, q, l) = (&(&self.mu[..], [k, d]), &(&self.q[..], [k, d]), &(&self.l[..], [k, d, d]));
        let (dalpha, rest) = out.split_at_mut(k);
        let (dmu, rest) = rest.split_at_mut(k * d);
        let (dq, dl) = rest.split_at_mut(k * d);
        let (dmu, dq, dl) = (&mut (dmu, [k, d]), &mut (dq, [k, d]), &mut (dl, [k, d, d]));
        let (x, [gamma, m]) = (&(&self.x[..], [n, d]), self.prior);
        gmm_grad_into(&self.alpha, mu, q, l, x, gamma, m, dalpha, dmu, dq, dl, work)
    }

    fn outputs(&self) -> usize {
        self.k * (1 + 2 * self.d + self.d * self.d)
    }

    /// ADBench's constants: what the programs leave out of the objective.
    fn constants(&self) -> f64 {
        let (n, k, d, [gamma, m]) = (self.n as f64, self.k as f64, self.d as f64, self.prior);
        let nu = d + m + 1.0;
        // ν/2 + (1 - j)/2 is a multiple of ½: ln Γ by its recurrence from Γ(½) = √π or Γ(1) = 1.
        let ln_gamma = |twice: i64| -> f64 {
            let (mut at, mut sum) =
                if twice % 2 == 0 { (2, 0.0) } else { (1, 0.5 * std::f64::consts::PI.ln()) };
            while at < twice {
                sum += (at as f64 / 2.0).ln();
                at += 2;
            }
            sum
        };
        let multivariate: f64 = 0.25 * d * (d - 1.0) * std::f64::consts::PI.ln()
            + (1..=self.d as i64).map(|j| ln_gamma(nu as i64 + 1 - j)).sum::<f64>();
        let c = nu * d * (gamma.ln() - 0.5 * 2.0_f64.ln()) - multivariate;
        -n * d * 0.5 * (2.0 * std::f64::consts::PI).ln() - k * c
    }
}

fn gmm_row(bench: &mut Bench, n: usize, file: &File) {
    let g = read(file, n);
    if n == 1000 {
        verify(bench, &g, file);
    }
    let (k, d) = (g.k, g.d);
    let sizes = &[n, k, d];
    let inputs: [&[f64]; 6] = [&g.alpha, &g.mu, &g.q, &g.l, &g.x, &g.prior];
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| g.value(&mut w0));
    let work = 4 * k * d + 4 * k + 2 * d + k * d * d;
    value.c("gmm", sizes, &inputs, work).variant("columns", "gmm_columns", sizes, &inputs, work).run();
    let gradient = bench.case("gradient", g.outputs()).ours(|out| g.gradient(out, &mut w1));
    let gradient = gradient.c("gmm_grad", sizes, &inputs, work);
    let gradient = gradient.variant("columns", "gmm_columns_grad", sizes, &inputs, work);
    // Some 10⁷ nodes for the larger problems: the smallest one tells.
    let gradient = if n * k <= 25_000 { gradient.rust("reverse", |out| tape(&g, out)) } else { gradient };
    gradient.run();
}

fn log_sum<'t>(x: &[Var<'t>]) -> Var<'t> {
    let top = x.iter().map(Var::val).fold(f64::NEG_INFINITY, f64::max);
    x.iter().map(|v| (*v - top).exp()).sum::<Var>().ln() + top
}

/// Value and gradient by a tape.
fn tape(g: &Mixture, out: &mut [f64]) -> f64 {
    let Mixture { k, d, .. } = *g;
    let tape = Tape::new();
    let [alpha, mu, q, l] = [&g.alpha, &g.mu, &g.q, &g.l].map(|x| tape.add_vars(x));
    let eq: Vec<Var> = q.iter().map(Var::exp).collect();
    let log_det: Vec<Var> = q.chunks(d).map(|q| q.iter().copied().sum()).collect();
    let mut total = log_sum(&alpha) * -(g.n as f64);
    for x in g.x.chunks(d) {
        let exponent = |c: usize| {
            let r: Vec<Var> = (0..d).map(|a| x[a] - mu[c * d + a]).collect();
            let z = |a: usize| {
                let row = &l[(c * d + a) * d..][..a];
                row.iter().zip(&r).fold(eq[c * d + a] * r[a], |s, (l, r)| s + *l * *r)
            };
            let squares = (0..d).map(z).map(|z| z * z).sum::<Var>();
            alpha[c] + log_det[c] - squares * 0.5
        };
        total = total + log_sum(&(0..k).map(exponent).collect::<Vec<_>>());
    }
    let [gamma, m] = g.prior;
    let diagonal = eq.iter().map(|e| *e * *e).sum::<Var>();
    let below = l.iter().filter(|l| l.val() != 0.0).map(|l| *l * *l).sum::<Var>();
    let f = total + (diagonal + below) * (0.5 * gamma * gamma) - log_det.iter().copied().sum::<Var>() * m;
    let all = f.grad();
    let parts = [&alpha, &mu, &q, &l].map(|v| all.wrt(v));
    out.copy_from_slice(&parts.concat());
    f.val()
}

/// Objective and gradient are ADBench's.
fn verify(bench: &mut Bench, g: &Mixture, file: &File) {
    let mut out = vec![0.0; g.outputs()];
    let value = g.gradient(&mut out, &mut Workspace::new()).expect("the shapes fit") + g.constants();
    let norm = out.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (what, found, expected) in [("objective", value, file.objective), ("gradient", norm, file.norm)] {
        if (found - expected).abs() > 1e-10 * expected.abs() {
            bench.fail(format!("GMM, d = {}: {what} {found} where ADBench has {expected}", g.d));
        }
    }
}

/// Bytes that a fresh workspace of the gradient of the first file takes for `n` points.
pub fn memory(n: usize) -> u64 {
    let g = read(&D10, n);
    let mut out = vec![0.0; g.outputs()];
    let mut work = Workspace::new();
    let run = || assert!(g.gradient(&mut out, &mut work).is_ok(), "the shapes fit");
    allocation_counter::measure(run).bytes_max
}
