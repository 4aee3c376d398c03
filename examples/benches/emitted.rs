//! Times of the emitted code alone, value and gradient of programs of `benches`, by medians: `cargo bench -p tensor-examples [-- words]`.

use std::hint::black_box;
use std::time::Instant;
use tensor_rt::{Error, Workspace};

#[path = "../../benches/src/programs/gmm.rs"]
mod gmm;
#[path = "../../benches/src/programs/matrices.rs"]
mod matrices;
#[path = "../../benches/src/programs/models.rs"]
mod models;
#[path = "../../benches/src/programs/stencils.rs"]
mod stencils;
#[path = "../../benches/src/programs/vectors.rs"]
mod vectors;

type Rank2<'a> = (&'a [f64], [usize; 2]);

/// `n` numbers between -1 and 1.
fn ramp(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.37).sin()).collect()
}

fn rows(x: &[f64], columns: usize) -> Rank2<'_> {
    (x, [x.len() / columns, columns])
}

/// Prints the median time of a call, where the name has one of the words asked for.
fn time(name: &str, mut call: impl FnMut() -> Result<f64, Error>) {
    let words: Vec<String> = std::env::args().skip(1).filter(|w| !w.starts_with("--")).collect();
    if !words.is_empty() && !words.iter().any(|w| name.contains(w.as_str())) {
        return;
    }
    let mut sample = |calls: u32| {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(call().expect("the shapes fit"));
        }
        start.elapsed() / calls
    };
    let once = sample(1).max(sample(1));
    let calls = (2e-3 / once.as_secs_f64()).ceil() as u32;
    let mut samples: Vec<_> = (0..21).map(|_| sample(calls)).collect();
    samples.sort();
    println!("{name:<32} {:>12.3?}", samples[10]);
}

fn main() {
    streams();
    products();
    images();
    layers();
    mixture(1000, 25, 10);
}

fn streams() {
    let (a, b) = (ramp(100_000), ramp(100_000));
    let (mut out, mut work) = (ramp(100_000), Workspace::new());
    time("dot", || vectors::dot_into(&a, &b, &mut work));
    time("dot gradient", || vectors::dot_grad_into(&a, &b, &mut out, &mut work));
    time("logsumexp", || vectors::log_sum_into(&a, &mut work));
    time("logsumexp gradient", || vectors::log_sum_grad_into(&a, &mut out, &mut work));
    let (x, w, y_bar) = (ramp(100_015), ramp(16), ramp(100_000));
    let (mut dx, mut dw) = (ramp(100_015), ramp(16));
    time("convolution", || stencils::conv_into(&x, &w, &mut out, &mut work).map(|()| 0.0));
    time("convolution by x", || stencils::conv_x_into(&x, &w, &y_bar, &mut dx, &mut work).map(|()| 0.0));
    time("convolution by w", || stencils::conv_w_into(&x, &w, &y_bar, &mut dw, &mut work).map(|()| 0.0));
}

fn products() {
    let n = 256;
    let (a, b, c) = (ramp(n * n), ramp(n * n), ramp(n * n));
    let (a, b, c) = (&rows(&a, n), &rows(&b, n), &rows(&c, n));
    let (x, mut y) = (ramp(n), ramp(n));
    let (mut out, mut work) = (ramp(n * n), Workspace::new());
    let out = &mut (&mut out[..], [n, n]);
    time("matvec", || matrices::matvec_into(a, &x, &mut y, &mut work).map(|()| 0.0));
    time("matmul", || matrices::matmul_into(a, b, out, &mut work).map(|()| 0.0));
    time("matmul by A", || matrices::matmul_a_into(a, b, c, out, &mut work).map(|()| 0.0));
    time("matmul by B", || matrices::matmul_b_into(a, b, c, out, &mut work).map(|()| 0.0));
}

fn images() {
    let n = 500;
    let (x, z) = (ramp(n * n), ramp(n * n));
    let (x, z) = (&rows(&x, n), &rows(&z, n));
    let (mut out, mut work) = (ramp(n * n), Workspace::new());
    let out = &mut (&mut out[..], [n, n]);
    time("stencil energy", || stencils::energy_into(x, z, &mut work));
    time("stencil energy gradient", || stencils::energy_grad_into(x, z, out, &mut work));
    time("laplacian", || stencils::laplace_into(x, z, &mut work));
    time("laplacian gradient", || stencils::laplace_grad_into(x, z, out, &mut work));
    time("blur", || stencils::blur_into(x, out, &mut work).map(|()| 0.0));
    let (points, mut force) = (ramp(100_000), ramp(100_000));
    let (points, force) = (&rows(&points, 2), &mut (&mut force[..], [50_000, 2]));
    time("springs", || stencils::springs_into(points, 0.7, 0.4, &mut work));
    time("springs gradient", || stencils::springs_grad_into(points, 0.7, 0.4, force, &mut work));
}

fn layers() {
    let (n, p, q, r) = (256, 784, 128, 10);
    let (x, y, w1, b1, w2, b2) = (ramp(n * p), ramp(n * r), ramp(q * p), ramp(q), ramp(r * q), ramp(r));
    let (mut dw1, mut db1, mut dw2, mut db2) = (ramp(q * p), ramp(q), ramp(r * q), ramp(r));
    let mut work = Workspace::new();
    let (x, y, w1, w2) = (&rows(&x, p), &rows(&y, r), &rows(&w1, p), &rows(&w2, q));
    let (dw1, dw2) = (&mut (&mut dw1[..], [q, p]), &mut (&mut dw2[..], [r, q]));
    time("perceptron", || models::perceptron_into(x, w1, &b1, w2, &b2, y, &mut work));
    time("perceptron gradient", || {
        models::perceptron_grad_into(x, w1, &b1, w2, &b2, y, dw1, &mut db1, dw2, &mut db2, &mut work)
    });
    let (w, mut dw) = (ramp(r * p), ramp(r * p));
    let (w, dw) = (&rows(&w, p), &mut (&mut dw[..], [r, p]));
    time("softmax", || models::softmax_into(x, w, &b2, y, &mut work));
    time("softmax gradient", || models::softmax_grad_into(x, w, &b2, y, dw, &mut db2.clone(), &mut work));
}

fn mixture(n: usize, k: usize, d: usize) {
    let (alpha, mu, q, l, x) = (ramp(k), ramp(k * d), ramp(k * d), ramp(k * d * d), ramp(n * d));
    let (mu, q, l, x) = (&rows(&mu, d), &rows(&q, d), &(&l[..], [k, d, d]), &rows(&x, d));
    let (mut dalpha, mut dmu, mut dq, mut dl) = (ramp(k), ramp(k * d), ramp(k * d), ramp(k * d * d));
    let (dmu, dq, dl) =
        (&mut (&mut dmu[..], [k, d]), &mut (&mut dq[..], [k, d]), &mut (&mut dl[..], [k, d, d]));
    let mut work = Workspace::new();
    time("GMM", || gmm::gmm_into(&alpha, mu, q, l, x, 1.0, 0.0, &mut work));
    time("GMM gradient", || {
        gmm::gmm_grad_into(&alpha, mu, q, l, x, 1.0, 0.0, &mut dalpha, dmu, dq, dl, &mut work)
    });
}
