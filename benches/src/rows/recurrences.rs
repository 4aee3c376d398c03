//! What runs in steps: a recurrent network, filters, an integrator.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::recurrences::*;
use tensor_rt::Workspace;

/// Nothing is asked of values.
fn gradients(part: &str, ratio: f64) -> Target {
    if part == "value" { Target::Free } else { Target::Ratio(ratio) }
}

/// A problem of ADBench, with what it finds for the objective and the norm of its gradient.
struct File {
    text: &'static str,
    objective: f64,
    norm: f64,
}

const L2: File = File {
    text: include_str!("../../../examples/data/lstm_l2_c1024.dat"),
    objective: 0.666_665_179_559,
    norm: 0.094_741_380_114_5,
};

const L4: File = File {
    text: include_str!("../../data/lstm_l4_c4096.txt"),
    objective: 0.687_268_403_982,
    norm: 0.096_170_844_727_3,
};

pub(super) const LSTM_2: Row = Row {
    name: "LSTM, l = 2",
    unit: "n",
    sizes: &[1024],
    slope: &[],
    target: |part, _| gradients(part, 0.3),
    writes: &[],
    run: |bench, _| lstm_row(bench, &L2),
};

pub(super) const LSTM_4: Row =
    Row { name: "LSTM, l = 4", sizes: &[4096], run: |bench, _| lstm_row(bench, &L4), ..LSTM_2 };

/// `n` inputs of `b` numbers, and `l` layers of as many units: weights and biases of the gates, what enters and what leaves, the states before the first
/// step.
struct Network {
    n: usize,
    l: usize,
    b: usize,
    w: Vec<f64>,
    c: Vec<f64>,
    ends: [Vec<f64>; 3],
    h0: Vec<f64>,
    s0: Vec<f64>,
    x: Vec<f64>,
}

/// Of each layer the files have two things one after the other; here are, of each thing, all layers.
fn layers(l: usize, size: usize, take: &mut impl FnMut(usize) -> Vec<f64>) -> [Vec<f64>; 2] {
    let mut halves = [(); 2].map(|()| Vec::new());
    for _ in 0..l {
        halves.iter_mut().for_each(|half| half.extend(take(size)));
    }
    halves
}

fn read(text: &str) -> Network {
    let mut words = text.split_ascii_whitespace().map(|w| w.parse::<f64>().expect("a number"));
    let [l, n, b] = [(); 3].map(|()| words.next().expect("a size") as usize);
    let mut take = |count: usize| -> Vec<f64> { words.by_ref().take(count).collect() };
    let [w, c] = layers(l, 4 * b, &mut take);
    let ends = [(); 3].map(|()| take(b));
    let [h0, s0] = layers(l, b, &mut take);
    Network { n, l, b, w, c, ends, h0, s0, x: take(n * b) }
}

impl Network {
    fn value(&self, work: &mut Workspace<f64>) -> Result<f64, tensor_rt::Error> {
        let Network { n, l, b, ends: [w_in, w_out, b_out], .. } = self;
        let [w, c] = [&self.w, &self.c].map(|v| (&v[..], [*l, 4, *b]));
        let [h0, s0] = [&self.h0, &self.s0].map(|v| (&v[..], [*l, *b]));
        lstm_into(&w, &c, w_in, w_out, b_out, &h0, &s0, &(&self.x[..], [*n, *b]), work)
    }

    fn gradient(&self, out: &mut [f64], work: &mut Workspace<f64>) -> Result<f64, tensor_rt::Error> {
        let Network { n, l, b, ends: [w_in, w_out, b_out], .. } = self;
        let [w, c] = [&self.w, &self.c].map(|v| (&v[..], [*l, 4, *b]));
        let [h0, s0] = [&self.h0, &self.s0].map(|v| (&v[..], [*l, *b]));
        let (dw, rest) = out.split_at_mut(4 * l * b);
        let (dc, rest) = rest.split_at_mut(4 * l * b);
        let (d_in, rest) = rest.split_at_mut(*b);
        let (d_out, d_bias) = rest.split_at_mut(*b);
        let (dw, dc) = (&mut (dw, [*l, 4, *b]), &mut (dc, [*l, 4, *b]));
        let x = &(&self.x[..], [*n, *b]);
        lstm_grad_into(&w, &c, w_in, w_out, b_out, &h0, &s0, x, dw, dc, d_in, d_out, d_bias, work)
    }

    fn outputs(&self) -> usize {
        (8 * self.l + 3) * self.b
    }
}

fn lstm_row(bench: &mut Bench, file: &File) {
    let g = read(file.text);
    verify(bench, &g, file);
    let sizes = &[g.n, g.l, g.b];
    let [w_in, w_out, b_out] = &g.ends;
    let inputs: [&[f64]; 8] = [&g.w, &g.c, w_in, w_out, b_out, &g.h0, &g.s0, &g.x];
    // Rows of 16 units, 8 of them a step and layer.
    let work = 16 * (20 * g.l + 5) + 2 * g.n + 16 * 8 * g.n * g.l;
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| g.value(&mut w0));
    value.c("lstm", sizes, &inputs, work).run();
    let gradient = bench.case("gradient", g.outputs()).ours(|out| g.gradient(out, &mut w1));
    gradient.c("lstm_grad", sizes, &inputs, work).run();
}

/// Objective and gradient are ADBench's.
fn verify(bench: &mut Bench, g: &Network, file: &File) {
    let mut out = vec![0.0; g.outputs()];
    let value = g.gradient(&mut out, &mut Workspace::new()).expect("the shapes fit");
    let norm = out.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (what, found, expected) in [("objective", value, file.objective), ("gradient", norm, file.norm)] {
        if (found - expected).abs() > 1e-10 * expected {
            bench.fail(format!("LSTM, l = {}: {what} {found} where ADBench has {expected}", g.l));
        }
    }
}

pub(super) const KALMAN: Row = Row {
    name: "Kalman filter",
    unit: "n",
    sizes: &[1000, 100_000],
    slope: &[],
    target: |part, _| gradients(part, 1.1),
    writes: &[],
    run: kalman_row,
};

/// Logarithms that the C takes at once.
const LOGS: usize = 512;

/// Mean and variance of the level before the first observation, the variance by which it moves, and that of the noise. A step forgets more than half:
/// derivatives by the mean become zero and do not stay subnormal.
const LEVEL: [f64; 4] = [0.1, 1.5, 0.2, 0.3];

fn kalman_row(bench: &mut Bench, n: usize) {
    let (y, [a0, p0, q, h]) = (uniform(n, 1), LEVEL);
    let inputs: [&[f64]; 2] = [&y, &LEVEL];
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| kalman_into(&y, a0, p0, q, h, &mut w0));
    value.c("kalman", &[n], &inputs, 0).variant("blocks", "kalman_blocks", &[n], &inputs, LOGS).run();
    let gradient = bench.case("gradient", 4).ours(|out| {
        let (value, by_a0, by_p0, by_q, by_h) = kalman_grad_into(&y, a0, p0, q, h, &mut w1)?;
        out.copy_from_slice(&[by_a0, by_p0, by_q, by_h]);
        Ok(value)
    });
    let gradient = gradient.c("kalman_grad", &[n], &inputs, 2 * n);
    gradient.variant("forward", "kalman_grad_forward", &[n], &inputs, LOGS).run();
}

pub(super) const ORBIT: Row = Row { name: "Runge-Kutta 4", unit: "steps", run: orbit_row, ..KALMAN };

/// Prey and predators, the rates by which they become more and fewer, and the length of a step: some periods in 100 000 steps.
fn orbit_row(bench: &mut Bench, n: usize) {
    let (start, rates, dt) = ([1.0, 0.5], [1.1, 0.8, 0.6, 0.9], [0.001]);
    let inputs: [&[f64]; 3] = [&start, &rates, &dt];
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).ours(|_| distance_into(&start, &rates, dt[0], n, &mut w0));
    value.c("orbit", &[n], &inputs, 0).run();
    let gradient = bench.case("gradient", 7).ours(|out| {
        let (by_start, rest) = out.split_at_mut(2);
        let (by_rates, by_dt) = rest.split_at_mut(4);
        let (value, by_step) = distance_grad_into(&start, &rates, dt[0], n, by_start, by_rates, &mut w1)?;
        by_dt[0] = by_step;
        Ok(value)
    });
    let gradient = gradient.c("orbit_grad", &[n], &inputs, 8 * n);
    gradient.variant("forward", "orbit_grad_forward", &[n], &inputs, 0).run();
}

/// Channels of the filter.
const CHANNELS: usize = 64;

pub(super) const IIR: Row = Row {
    name: "IIR filter, 64 channels",
    unit: "n",
    sizes: &[1000, 16_000],
    slope: &[],
    target: |part, _| gradients(part, 0.5),
    writes: &[],
    run: iir_row,
};

fn iir_row(bench: &mut Bench, n: usize) {
    let (c, b, a) = (CHANNELS, [0.2, 0.3, 0.1], [-1.6, 0.7]);
    let (x, y_bar) = (uniform(n * c, 1), uniform(n * c, 2));
    let (sx, sy) = (&(&x[..], [n, c]), &(&y_bar[..], [n, c]));
    let (forth, back): ([&[f64]; 3], [&[f64]; 3]) = ([&x, &b, &a], [&y_bar, &b, &a]);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", n * c);
    let value = value.ours(|out| iir_into(sx, &b, &a, &mut (out, [n, c]), &mut w0).map(|()| 0.0));
    value.c("iir", &[n, c], &forth, 0).variant("strips", "iir_strips", &[n, c], &forth, 0).run();
    let by_x = bench.case("by x", n * c);
    let by_x = by_x.ours(|out| iir_x_into(&b, &a, sy, &mut (out, [n, c]), &mut w1).map(|()| 0.0));
    by_x.c("iir_x", &[n, c], &back, 2 * c).variant("strips", "iir_x_strips", &[n, c], &back, 0).run();
}
