//! The pathological programs of the paper.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::diagonal::*;
use tensor_rt::Workspace;

fn target(part: &str, size: usize) -> Target {
    if size == 8000 && part == "gradient" { Target::Below(50e-6) } else { Target::Free }
}

pub(super) const CORNER: Row = Row {
    name: "dot(diag(x)[:,0], diag(x)[0,:])",
    unit: "N",
    sizes: &[500, 2000, 8000],
    slope: &[500, 2000, 8000],
    target,
    writes: &["gradient"],
    run: corner_row,
};

fn corner_row(bench: &mut Bench, n: usize) {
    let x = uniform(n, 1);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| corner_into(&x, &mut w0));
    value.c("corner", &[n], &[&x], 0).run();
    let gradient = bench.case("gradient", n).ours(|out| corner_grad_into(&x, out, &mut w1));
    gradient.c("corner_grad", &[n], &[&x], 0).run();
}

pub(super) const TRACES: Row = Row { name: "four traces of diag(x)", run: traces_row, ..CORNER };

fn traces_row(bench: &mut Bench, n: usize) {
    let x = uniform(n, 1);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| traces_into(&x, &mut w0));
    value.c("traces", &[n], &[&x], 0).run();
    let gradient = bench.case("gradient", n).ours(|out| traces_grad_into(&x, out, &mut w1));
    gradient.c("traces_grad", &[n], &[&x], 0).run();
}
