//! Rows over vectors.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::vectors::*;
use reverse::{Gradient, Tape, Var};
use tensor_rt::Workspace;

fn streaming(part: &str, size: usize) -> Target {
    Target::Ratio(match part {
        "value" if size >= 1_000_000 => 1.05,
        "value" => 1.15,
        _ => 1.1,
    })
}

pub(super) const DOT: Row = Row {
    name: "dot",
    unit: "n",
    sizes: &[1000, 1_000_000],
    slope: &[62_500, 250_000, 1_000_000],
    target: streaming,
    writes: &["gradient"],
    run: dot_row,
};

fn dot_row(bench: &mut Bench, n: usize) {
    let (a, b) = (uniform(n, 1), uniform(n, 2));
    let (mut work, mut work2) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| dot_into(&a, &b, &mut work));
    value.c("dot", &[n], &[&a, &b], 0).run();
    let gradient = bench.case("gradient", n).ours(|out| dot_grad_into(&a, &b, out, &mut work2));
    gradient.c("dot_grad", &[n], &[&a, &b], 0).run();
}

pub(super) const SQUARES: Row = Row { name: "sum of squares", run: squares_row, ..DOT };

fn squares_row(bench: &mut Bench, n: usize) {
    let a = uniform(n, 1);
    let (mut work, mut work2) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| squares_into(&a, &mut work));
    value.c("squares", &[n], &[&a], 0).run();
    let gradient = bench.case("gradient", n).ours(|out| squares_grad_into(&a, out, &mut work2));
    gradient.c("squares_grad", &[n], &[&a], 0).run();
}

pub(super) const LOG_SUM: Row = Row {
    name: "logsumexp",
    unit: "n",
    sizes: &[40_000],
    slope: &[10_000, 40_000, 160_000],
    target: |_, _| Target::Ratio(0.7),
    writes: &[],
    run: log_sum_row,
};

fn log_sum_row(bench: &mut Bench, n: usize) {
    let x: Vec<f64> = uniform(n, 1).into_iter().map(|u| 10.0 * u).collect();
    let (mut work, mut work2) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| log_sum_into(&x, &mut work));
    value.c("logsumexp", &[n], &[&x], 0).run();
    let gradient = bench.case("gradient", n).ours(|out| log_sum_grad_into(&x, out, &mut work2));
    gradient.c("logsumexp_grad", &[n], &[&x], 0).rust("reverse", |out| log_sum_tape(&x, out)).run();
}

fn log_sum_tape(x: &[f64], out: &mut [f64]) -> f64 {
    let tape = Tape::new();
    let vars = tape.add_vars(x);
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let f = vars.iter().map(|v| (*v - top).exp()).sum::<Var>().ln() + top;
    out.copy_from_slice(&f.grad().wrt(&vars));
    f.val()
}
