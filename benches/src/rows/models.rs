//! Softmax regression, and a perceptron.

use super::{Row, Target, dense};
use crate::bench::Bench;
use crate::data::{one_hot, uniform};
use crate::programs::models::*;
use tensor_rt::Workspace;

const CLASSES: usize = 10;
const PIXELS: usize = 784;
const HIDDEN: usize = 128;

fn scaled(n: usize, scale: f64, seed: u64) -> Vec<f64> {
    uniform(n, seed).into_iter().map(|u| scale * u).collect()
}

pub(super) const SOFTMAX: Row = Row {
    name: "softmax cross-entropy, 784 → 10",
    unit: "batch",
    sizes: &[256],
    slope: &[64, 256, 1024],
    target: |_, _| Target::Ratio(1.0),
    writes: &[],
    run: softmax_row,
};

fn softmax_row(bench: &mut Bench, n: usize) {
    let (d, k) = (PIXELS, CLASSES);
    let (x, w, b, y) = (uniform(n * d, 1), scaled(k * d, 0.1, 2), uniform(k, 3), one_hot(n, k));
    let (sx, sw, sy) = (&(&x[..], [n, d]), &(&w[..], [k, d]), &(&y[..], [n, k]));
    let (sizes, inputs): (_, [&[f64]; 4]) = (&[n, d, k], [&x, &w, &b, &y]);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| softmax_into(sx, sw, &b, sy, &mut w0));
    let value = value.c("softmax", sizes, &inputs, 4 * k);
    let value = value.variant("+ C", "softmax_blas", sizes, &inputs, n * k);
    dense::softmax(value, &inputs, *sizes).run();
    let gradient = bench.case("gradient", k * d + k).ours(|out| {
        let (dw, db) = out.split_at_mut(k * d);
        softmax_grad_into(sx, sw, &b, sy, &mut (dw, [k, d]), db, &mut w1)
    });
    let gradient = gradient.c("softmax_grad", sizes, &inputs, 4 * k);
    let gradient = gradient.variant("+ C", "softmax_blas_grad", sizes, &inputs, n * k);
    dense::softmax(gradient, &inputs, *sizes).run();
}

pub(super) const PERCEPTRON: Row = Row {
    name: "perceptron, 784 → 128 → 10",
    target: |_, _| Target::Ratio(1.1),
    run: perceptron_row,
    ..SOFTMAX
};

fn perceptron_row(bench: &mut Bench, n: usize) {
    let (p, q, r) = (PIXELS, HIDDEN, CLASSES);
    let (x, y) = (uniform(n * p, 1), one_hot(n, r));
    let (w1, b1) = (scaled(q * p, 0.05, 2), scaled(q, 0.1, 3));
    let (w2, b2) = (scaled(r * q, 0.1, 4), scaled(r, 0.1, 5));
    let (sx, sy) = (&(&x[..], [n, p]), &(&y[..], [n, r]));
    let (s1, s2) = (&(&w1[..], [q, p]), &(&w2[..], [r, q]));
    let sizes = &[n, p, q, r];
    let inputs: [&[f64]; 6] = [&x, &w1, &b1, &w2, &b2, &y];
    let (mut work, mut work2) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| perceptron_into(sx, s1, &b1, s2, &b2, sy, &mut work));
    let value = value.c("perceptron", sizes, &inputs, 16 * (2 * q + r));
    let value = value.variant("+ C", "perceptron_blas", sizes, &inputs, n * (2 * q + r));
    dense::perceptron(value, &inputs, *sizes).run();
    let gradient = bench.case("gradient", q * p + q + r * q + r).ours(|out| {
        let (dw1, rest) = out.split_at_mut(q * p);
        let (db1, rest) = rest.split_at_mut(q);
        let (dw2, db2) = rest.split_at_mut(r * q);
        let (dw1, dw2) = (&mut (dw1, [q, p]), &mut (dw2, [r, q]));
        perceptron_grad_into(sx, s1, &b1, s2, &b2, sy, dw1, db1, dw2, db2, &mut work2)
    });
    let gradient = gradient.c("perceptron_grad", sizes, &inputs, 16 * (2 * q + r));
    let gradient = gradient.variant("+ C", "perceptron_blas_grad", sizes, &inputs, n * (2 * q + r));
    dense::perceptron(gradient, &inputs, *sizes).run();
}
