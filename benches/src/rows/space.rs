//! The Hessian of springs between points in space.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::space::springs_hessian_into;
use tensor_rt::Workspace;

pub(super) const SPRINGS: Row = Row {
    name: "springs between points in space",
    unit: "points",
    sizes: &[10, 60, 400],
    slope: &[],
    target: |_, _| Target::Ratio(1.1),
    writes: &[],
    run: springs_row,
};

fn springs_row(bench: &mut Bench, n: usize) {
    let shift = uniform(3 * n, 1);
    let x: Vec<f64> = (0..3 * n).map(|k| 0.9 * (k / 3) as f64 + 0.3 * shift[k]).collect();
    let sx = &(&x[..], [n, 3]);
    let mut work = Workspace::new();
    let case = bench.case("Hessian", 9 * n * n);
    let case = case.ours(|out| springs_hessian_into(sx, &mut (out, [n, 3, n, 3]), &mut work).map(|()| 0.0));
    let case = case.c("springs_hessian", &[n], &[&x], 12 * n);
    case.variant("scatter", "springs_hessian_scatter", &[n], &[&x], 0).run();
}
