//! Rows over dense matrices.

use super::{Row, Target, dense};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::matrices::*;
use tensor_rt::Workspace;

pub(super) const MATVEC: Row = Row {
    name: "y = A x",
    unit: "n",
    sizes: &[64, 512, 2048],
    slope: &[128, 512, 2048],
    target: |_, _| Target::Ratio(1.1),
    writes: &["by A"],
    run: matvec_row,
};

fn matvec_row(bench: &mut Bench, n: usize) {
    let (a, x, b) = (uniform(n * n, 1), uniform(n, 2), uniform(n, 3));
    let square = &(&a[..], [n, n]);
    let mut work = [(); 3].map(|()| Workspace::new());
    let [w0, w1, w2] = &mut work;
    let value = bench.case("value", n).ours(|out| matvec_into(square, &x, out, w0).map(|()| 0.0));
    value.c("matvec", &[n, n], &[&a, &x], 0).variant("rows", "matvec_rows", &[n, n], &[&a, &x], 0).run();
    let by_a = bench.case("by A", n * n);
    let by_a = by_a.ours(|out| matvec_a_into(square, &x, &b, &mut (out, [n, n]), w1).map(|()| 0.0));
    by_a.c("matvec_a", &[n, n], &[&x, &b], 0).run();
    let by_x = bench.case("by x", n).ours(|out| matvec_x_into(square, &x, &b, out, w2).map(|()| 0.0));
    by_x.c("matvec_x", &[n, n], &[&a, &b], 0).run();
}

pub(super) const SMALL: Row = Row {
    name: "C = A B, small",
    unit: "n",
    sizes: &[4, 8, 16, 32],
    slope: &[],
    target: |_, _| Target::Ratio(1.2),
    writes: &[],
    run: matmul_row,
};

pub(super) const LARGE: Row = Row {
    name: "C = A B",
    sizes: &[64, 256, 1024],
    slope: &[64, 256, 1024],
    target: |_, _| Target::Ratio(1.1),
    ..SMALL
};

fn matmul_row(bench: &mut Bench, n: usize) {
    let (a, b, y) = (uniform(n * n, 1), uniform(n * n, 2), uniform(n * n, 3));
    let (sa, sb, sy) = (&(&a[..], [n, n]), &(&b[..], [n, n]), &(&y[..], [n, n]));
    let sizes = &[n, n, n];
    let mut work = [(); 3].map(|()| Workspace::new());
    let [w0, w1, w2] = &mut work;
    let value = bench.case("value", n * n);
    let value = value.ours(|out| matmul_into(sa, sb, &mut (out, [n, n]), w0).map(|()| 0.0));
    let value = value.c("matmul", sizes, &[&a, &b], 0).variant("rows", "matmul_rows", sizes, &[&a, &b], 0);
    dense::matmul(value, &a, &b, n).run();
    let by_a = bench.case("by A", n * n);
    let by_a = by_a.ours(|out| matmul_a_into(sa, sb, sy, &mut (out, [n, n]), w1).map(|()| 0.0));
    let by_a = by_a.c("matmul_a", sizes, &[&b, &y], n * n);
    by_a.variant("rows", "matmul_a_rows", sizes, &[&b, &y], n * n).run();
    let by_b = bench.case("by B", n * n);
    let by_b = by_b.ours(|out| matmul_b_into(sa, sb, sy, &mut (out, [n, n]), w2).map(|()| 0.0));
    by_b.c("matmul_b", sizes, &[&a, &y], 0).variant("rows", "matmul_b_rows", sizes, &[&a, &y], 0).run();
}
