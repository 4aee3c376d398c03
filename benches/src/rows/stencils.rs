//! Convolutions, stencils on images, springs.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::stencils::*;
use tensor_rt::Workspace;

/// Scratch memory of the blocked C kernels.
const BLOCK: usize = 512;

fn conv_target(part: &str, _: usize) -> Target {
    Target::Ratio(match part {
        "value" => 0.95,
        "by x" => 0.6,
        _ => 0.9,
    })
}

pub(super) const CONV_16: Row = Row {
    name: "convolution, m = 16",
    unit: "n",
    sizes: &[1_000_000],
    slope: &[62_500, 250_000, 1_000_000],
    target: conv_target,
    writes: &[],
    run: |bench, n| conv_row(bench, n, 16),
};

pub(super) const CONV_64: Row =
    Row { name: "convolution, m = 64", run: |bench, n| conv_row(bench, n, 64), ..CONV_16 };

fn conv_row(bench: &mut Bench, n: usize, m: usize) {
    let (x, w, b) = (uniform(n + m - 1, 1), uniform(m, 2), uniform(n, 3));
    let [mut w0, mut w1, mut w2] = [(); 3].map(|()| Workspace::new());
    let value = bench.case("value", n).ours(|out| conv_into(&x, &w, out, &mut w0).map(|()| 0.0));
    value.c("conv", &[n, m], &[&x, &w], 0).variant("dots", "conv_dots", &[n, m], &[&x, &w], 0).run();
    let by_x = bench.case("by x", n + m - 1);
    let by_x = by_x.ours(|out| conv_x_into(&x, &w, &b, out, &mut w1).map(|()| 0.0));
    let by_x = by_x.c("conv_x", &[n, m], &[&w, &b], 0);
    by_x.variant("gather", "conv_x_gather", &[n, m], &[&w, &b], 0).run();
    let by_w = bench.case("by w", m).ours(|out| conv_w_into(&x, &w, &b, out, &mut w2).map(|()| 0.0));
    let by_w = by_w.c("conv_w", &[n, m], &[&x, &b], 0);
    by_w.variant("axpy", "conv_w_axpy", &[n, m], &[&x, &b], 0).run();
}

pub(super) const ENERGY: Row = Row {
    name: "5-point stencil energy",
    unit: "side",
    sizes: &[64, 1024],
    slope: &[256, 512, 1024],
    target: |_, _| Target::Ratio(1.1),
    writes: &[],
    run: energy_row,
};

fn energy_row(bench: &mut Bench, n: usize) {
    let (x, z) = (uniform(n * n, 1), uniform(n * n, 2));
    let (sx, sz) = (&(&x[..], [n, n]), &(&z[..], [n, n]));
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| energy_into(sx, sz, &mut w0));
    value.c("energy", &[n, n], &[&x, &z], 0).run();
    let gradient = bench.case("gradient", n * n);
    let gradient = gradient.ours(|out| energy_grad_into(sx, sz, &mut (out, [n, n]), &mut w1));
    gradient.c("energy_grad", &[n, n], &[&x, &z], 0).run();
}

pub(super) const LAPLACE: Row = Row {
    name: "image Laplacian",
    sizes: &[1000],
    slope: &[250, 500, 1000],
    target: |_, _| Target::Ratio(1.0),
    run: laplace_row,
    ..ENERGY
};

fn laplace_row(bench: &mut Bench, n: usize) {
    let (x, z) = (uniform(n * n, 1), uniform(n * n, 2));
    let (sx, sz) = (&(&x[..], [n, n]), &(&z[..], [n, n]));
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| laplace_into(sx, sz, &mut w0));
    value.c("laplace", &[n, n], &[&x, &z], 5 * n).run();
    let gradient = bench.case("gradient", n * n);
    let gradient = gradient.ours(|out| laplace_grad_into(sx, sz, &mut (out, [n, n]), &mut w1));
    gradient.c("laplace_grad", &[n, n], &[&x, &z], 5 * n).run();
}

pub(super) const BLUR: Row = Row { name: "blur", run: blur_row, ..LAPLACE };

fn blur_row(bench: &mut Bench, n: usize) {
    let (x, b) = (uniform(n * n, 1), uniform(n * n, 2));
    let (sx, sb) = (&(&x[..], [n, n]), &(&b[..], [n, n]));
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", n * n);
    let value = value.ours(|out| blur_into(sx, &mut (out, [n, n]), &mut w0).map(|()| 0.0));
    value.c("blur", &[n, n], &[&x], 5 * n).run();
    // The blur is symmetric: its adjoint is the blur.
    let gradient = bench.case("gradient", n * n);
    let gradient = gradient.ours(|out| blur_x_into(sx, sb, &mut (out, [n, n]), &mut w1).map(|()| 0.0));
    gradient.c("blur", &[n, n], &[&b], 5 * n).run();
}

pub(super) const SPRINGS: Row = Row {
    name: "springs",
    unit: "n",
    sizes: &[1_000_000],
    slope: &[62_500, 250_000, 1_000_000],
    target: |_, _| Target::Ratio(1.0),
    writes: &[],
    run: springs_row,
};

fn springs_row(bench: &mut Bench, n: usize) {
    let (x, parameters) = (uniform(2 * n, 1), [0.7, 0.4]);
    let sx = &(&x[..], [n, 2]);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| springs_into(sx, parameters[0], parameters[1], &mut w0));
    value.c("springs", &[n], &[&x, &parameters], 0).run();
    let gradient = bench.case("gradient", 2 * n);
    let gradient =
        gradient.ours(|out| springs_grad_into(sx, parameters[0], parameters[1], &mut (out, [n, 2]), &mut w1));
    let gradient = gradient.c("springs_grad", &[n], &[&x, &parameters], 0);
    gradient.variant("passes", "springs_grad_passes", &[n], &[&x, &parameters], 2 * (BLOCK + 1)).run();
}
