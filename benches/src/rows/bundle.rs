//! Bundle adjustment.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::{between, uniform};
use crate::programs::bundle::*;
use tensor_rt::Workspace;

/// Numbers of a camera.
const CAMERA: usize = 11;

pub(super) const BUNDLE: Row = Row {
    name: "bundle adjustment",
    unit: "observations",
    sizes: &[10_000, 1_000_000],
    slope: &[],
    target: |_, _| Target::Ratio(1.0),
    writes: &[],
    run: bundle_row,
};

/// Cameras of which every seventh does not turn, and that look at points some way off.
fn problem(n: usize) -> [Vec<f64>; 6] {
    let (mut cam, mut x) = (between(CAMERA * n, -0.5, 0.5, 1), uniform(3 * n, 2));
    for (i, (cam, x)) in cam.chunks_mut(CAMERA).zip(x.chunks_mut(3)).enumerate() {
        x[2] += 5.0;
        cam[9] *= 0.1;
        cam[10] *= 0.1;
        if i % 7 == 2 {
            cam[..3].fill(0.0);
        }
    }
    [cam, x, between(n, 0.5, 1.5, 3), uniform(2 * n, 4), uniform(CAMERA * n, 5), uniform(3 * n, 6)]
}

fn bundle_row(bench: &mut Bench, n: usize) {
    let [cam, x, w, feature, cam_dot, x_dot] = problem(n);
    let (scam, sx, sf) = (&(&cam[..], [n, CAMERA]), &(&x[..], [n, 3]), &(&feature[..], [n, 2]));
    let inputs: [&[f64]; 6] = [&cam, &x, &w, &feature, &cam_dot, &x_dot];
    let [mut w0, mut w1, mut w2] = [(); 3].map(|()| Workspace::new());
    let value = bench.case("value", 2 * n);
    let value = value.ours(|out| residual_into(scam, sx, &w, sf, &mut (out, [n, 2]), &mut w0).map(|()| 0.0));
    value.c("bundle", &[n], &inputs[..4], 0).run();
    let gradient = bench.case("gradient", (CAMERA + 4) * n).ours(|out| {
        let (dcam, rest) = out.split_at_mut(CAMERA * n);
        let (dx, dw) = rest.split_at_mut(3 * n);
        energy_grad_into(scam, sx, &w, sf, &mut (dcam, [n, CAMERA]), &mut (dx, [n, 3]), dw, &mut w1)
    });
    gradient.c("bundle_grad", &[n], &inputs[..4], 0).run();
    let (scd, sxd) = (&(&cam_dot[..], [n, CAMERA]), &(&x_dot[..], [n, 3]));
    let product = bench.case("Hessian times vector", 2 * (CAMERA + 3) * n).ours(|out| {
        let (first, second) = out.split_at_mut((CAMERA + 3) * n);
        let ((gcam, gx), (hcam, hx)) = (first.split_at_mut(CAMERA * n), second.split_at_mut(CAMERA * n));
        let (gcam, gx) = (&mut (gcam, [n, CAMERA]), &mut (gx, [n, 3]));
        let (hcam, hx) = (&mut (hcam, [n, CAMERA]), &mut (hx, [n, 3]));
        energy_hvp_into(scam, sx, &w, sf, scd, sxd, gcam, gx, hcam, hx, &mut w2).map(|()| 0.0)
    });
    product.c("bundle_hvp", &[n], &inputs, 0).run();
}
