//! Hessians of each kind that the compiler treats in a way of its own, and a transpose.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::{between, uniform};
use crate::programs::hessians::*;
use tensor_rt::Workspace;

/// Points of the regressions and of the mixture.
const POINTS: usize = 1000;
/// What the C kernels of products keep of a matrix.
const PACK: usize = 4096;

pub(super) const LOGISTIC: Row = Row {
    name: "logistic regression, 1000 points",
    unit: "weights",
    sizes: &[10, 40, 100, 400],
    slope: &[],
    target: |_, _| Target::Ratio(1.1),
    writes: &[],
    run: logistic_row,
};

fn logistic_row(bench: &mut Bench, d: usize) {
    let n = POINTS;
    let (x, y, w) = (uniform(n * d, 1), between(n, 0.0, 1.0, 2), uniform(d, 3));
    let (sx, inputs): (_, [&[f64]; 3]) = (&(&x[..], [n, d]), [&x, &y, &w]);
    let mut work = Workspace::new();
    let case = bench.case("Hessian", d * d);
    let case =
        case.ours(|out| logistic_hessian_into(sx, &y, &w, &mut (out, [d, d]), &mut work).map(|()| 0.0));
    let case = case.c("logistic_hessian", &[n, d], &inputs, n * d + PACK);
    case.variant("+ C", "logistic_blas", &[n, d], &inputs, n * d + n).run();
}

pub(super) const CLASSES: Row = Row {
    name: "softmax regression of two classes, 1000 points",
    unit: "features",
    sizes: &[5, 20, 100],
    run: classes_row,
    ..LOGISTIC
};

fn classes_row(bench: &mut Bench, d: usize) {
    let (n, k) = (POINTS, 2);
    let (x, y, w) = (uniform(n * d, 1), between(n * k, 0.0, 1.0, 2), uniform(k * d, 3));
    let (sx, sy, sw) = (&(&x[..], [n, d]), &(&y[..], [n, k]), &(&w[..], [k, d]));
    let mut work = Workspace::new();
    let case = bench.case("Hessian", k * d * k * d);
    let case =
        case.ours(|out| classes_hessian_into(sx, sy, sw, &mut (out, [k, d, k, d]), &mut work).map(|()| 0.0));
    case.c("classes_hessian", &[n, d, k], &[&x, &w], n * d + n * k + d * d + PACK).run();
}

pub(super) const LEAST_SQUARES: Row = Row {
    name: "least squares, d weights and 2 d points",
    unit: "d",
    sizes: &[8, 32, 128, 512],
    run: least_squares_row,
    ..LOGISTIC
};

fn least_squares_row(bench: &mut Bench, d: usize) {
    let n = 2 * d;
    let (a, b, x) = (uniform(n * d, 1), uniform(n, 2), uniform(d, 3));
    let sa = &(&a[..], [n, d]);
    let mut work = Workspace::new();
    let case = bench.case("Hessian", d * d);
    let case =
        case.ours(|out| least_squares_hessian_into(sa, &b, &x, &mut (out, [d, d]), &mut work).map(|()| 0.0));
    let case = case.c("least_squares_hessian", &[n, d], &[&a, &b, &x], PACK);
    case.variant("+ C", "least_squares_blas", &[n, d], &[&a], 0).run();
}

pub(super) const MEANS: Row = Row {
    name: "mixture on a line, 1000 points",
    unit: "components",
    sizes: &[4, 16, 64],
    run: means_row,
    ..LOGISTIC
};

fn means_row(bench: &mut Bench, k: usize) {
    let n = POINTS;
    let (x, alpha, mu) = (between(n, -4.0, 4.0, 1), uniform(k, 2), between(k, -4.0, 4.0, 3));
    let inputs: [&[f64]; 3] = [&x, &alpha, &mu];
    let mut work = Workspace::new();
    let case = bench.case("Hessian", k * k);
    let case =
        case.ours(|out| means_hessian_into(&x, &alpha, &mu, &mut (out, [k, k]), &mut work).map(|()| 0.0));
    let case = case.c("means_hessian", &[n, k], &inputs, n * k + 2 * k + PACK);
    case.variant("+ C", "means_blas", &[n, k], &inputs, n * k + 2 * k).run();
}

pub(super) const MIXTURE: Row =
    Row { name: "mixture on a line, by weights and means", run: mixture_row, ..MEANS };

fn mixture_row(bench: &mut Bench, k: usize) {
    let n = POINTS;
    let (x, alpha, mu) = (between(n, -4.0, 4.0, 1), uniform(k, 2), between(k, -4.0, 4.0, 3));
    let inputs: [&[f64]; 3] = [&x, &alpha, &mu];
    let mut work = Workspace::new();
    let case = bench.case("Hessian", 4 * k * k);
    let case = case.ours(|out| {
        let (by_alpha, by_mu) = out.split_at_mut(2 * k * k);
        let ((aa, am), (ma, mm)) = (by_alpha.split_at_mut(k * k), by_mu.split_at_mut(k * k));
        let [mut aa, mut am, mut ma, mut mm] = [aa, am, ma, mm].map(|block| (block, [k, k]));
        mixture_hessian_into(&x, &alpha, &mu, &mut aa, &mut am, &mut ma, &mut mm, &mut work).map(|()| 0.0)
    });
    case.c("mixture_hessian", &[n, k], &inputs, 2 * n * k + 4 * k * k + 4 * k + PACK).run();
}

pub(super) const LOG_SUM: Row =
    Row { name: "logsumexp, its Hessian", unit: "n", sizes: &[30, 200, 1000], run: log_sum_row, ..LOGISTIC };

fn log_sum_row(bench: &mut Bench, n: usize) {
    let x = uniform(n, 1);
    let mut work = Workspace::new();
    let case = bench.case("Hessian", n * n);
    let case = case.ours(|out| log_sum_hessian_into(&x, &mut (out, [n, n]), &mut work).map(|()| 0.0));
    case.c("log_sum_hessian", &[n], &[&x], n).run();
}

pub(super) const PAIRS: Row = Row {
    name: "all pairs of points of the plane",
    unit: "points",
    sizes: &[10, 50, 400],
    run: pairs_row,
    ..LOGISTIC
};

fn pairs_row(bench: &mut Bench, n: usize) {
    let x = uniform(2 * n, 1);
    let sx = &(&x[..], [n, 2]);
    let mut work = Workspace::new();
    let case = bench.case("gradient", 2 * n);
    let case = case.ours(|out| pairs_grad_into(sx, &mut (out, [n, 2]), &mut work));
    case.c("pairs_grad", &[n], &[&x], 4 * n).run();
    let mut work = Workspace::new();
    let case = bench.case("Hessian", 4 * n * n);
    let case = case.ours(|out| pairs_hessian_into(sx, &mut (out, [n, 2, n, 2]), &mut work).map(|()| 0.0));
    let case = case.c("pairs_hessian", &[n], &[&x], 2 * n);
    case.variant("half", "pairs_hessian_half", &[n], &[&x], 5 * n).run();
}

pub(super) const ROSENBROCK: Row = Row {
    name: "Rosenbrock, n variables",
    unit: "n",
    sizes: &[10, 100, 1000],
    run: rosenbrock_row,
    ..LOGISTIC
};

fn rosenbrock_row(bench: &mut Bench, n: usize) {
    let x = uniform(n, 1);
    let mut work = Workspace::new();
    let case = bench.case("Hessian", n * n);
    let case = case.ours(|out| rosenbrock_hessian_into(&x, &mut (out, [n, n]), &mut work).map(|()| 0.0));
    case.c("rosenbrock_hessian", &[n], &[&x], 0).run();
}

pub(super) const TRANSPOSE: Row =
    Row { name: "transpose", unit: "n", sizes: &[16, 64, 250, 1000], run: transpose_row, ..LOGISTIC };

fn transpose_row(bench: &mut Bench, n: usize) {
    let a = uniform(n * n, 1);
    let sa = &(&a[..], [n, n]);
    let mut work = Workspace::new();
    let case = bench.case("value", n * n);
    let case = case.ours(|out| transposed_into(sa, &mut (out, [n, n]), &mut work).map(|()| 0.0));
    let case = case.c("transposed", &[n, n], &[&a], 0);
    let case = case.variant("loops", "transposed_loops", &[n, n], &[&a], 0);
    case.variant("", "transposed_blas", &[n, n], &[&a], 0).run();
}
