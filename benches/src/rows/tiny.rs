//! Functions of a few numbers: by `_into`, and with arrays in and out, against Rust by hand, dual numbers and a tape.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::uniform;
use crate::programs::tiny::*;
use ad_trait::forward_ad::adfn::adfn;
use nalgebra::SVector;
use num_dual::{DualNum, DualSVec64};
use reverse::{Gradient, Tape};
use std::hint::black_box;
use tensor_rt::Workspace;

/// Calls that are timed together.
const CALLS: usize = 500;

pub(super) const ROSENBROCK: Row = Row {
    name: "Rosenbrock",
    unit: "variables",
    sizes: &[2],
    slope: &[],
    target: |_, _| Target::Within(10e-9),
    writes: &[],
    run: rosenbrock_row,
};

/// Calls `one` for each row of `N` numbers; what is returned is the sum of the values and, in `out`, of the gradients.
fn each<const N: usize, const M: usize>(
    x: &[f64],
    out: &mut [f64],
    mut one: impl FnMut(&[f64; N]) -> (f64, [f64; M]),
) -> f64 {
    let (mut total, mut sums) = (0.0, [0.0; M]);
    for row in x.as_chunks::<N>().0 {
        let (value, gradient) = one(black_box(row));
        total += value;
        for (s, g) in sums.iter_mut().zip(gradient) {
            *s += g;
        }
    }
    out.copy_from_slice(&sums);
    total
}

fn rosenbrock_by_hand(x: &[f64; 2]) -> (f64, [f64; 2]) {
    let (r, s) = (x[1] - x[0] * x[0], 1.0 - x[0]);
    (100.0 * r * r + s * s, [-400.0 * r * x[0] - 2.0 * s, 200.0 * r])
}

fn rosenbrock_row(bench: &mut Bench, n: usize) {
    let x = uniform(n * CALLS, 1);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench
        .case("value", 0)
        .repeats(CALLS)
        .rust("tensor!", |out| each(&x, out, |x: &[f64; 2]| (rosenbrock(x).unwrap_or(f64::NAN), [])));
    value.rust("Rust", |out| each(&x, out, |x| (rosenbrock_by_hand(x).0, []))).run();
    let into = bench.case("value, into", 0).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x: &[f64; 2]| (rosenbrock_into(x, &mut w0).unwrap_or(f64::NAN), []))
    });
    into.rust("Rust", |out| each(&x, out, |x| (rosenbrock_by_hand(x).0, []))).run();
    let gradient = bench.case("gradient", n).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x: &[f64; 2]| rosenbrock_grad(x).unwrap_or((f64::NAN, [f64::NAN; 2])))
    });
    let gradient = gradient.rust("Rust", |out| each(&x, out, rosenbrock_by_hand));
    gradient
        .rust("num-dual", |out| each(&x, out, rosenbrock_dual))
        .rust("ad_trait", |out| each(&x, out, rosenbrock_forward))
        .rust("reverse", |out| each(&x, out, rosenbrock_tape))
        .run();
    let into = bench.case("gradient, into", n).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x: &[f64; 2]| {
            let mut g = [0.0; 2];
            (rosenbrock_grad_into(x, &mut g, &mut w1).unwrap_or(f64::NAN), g)
        })
    });
    into.rust("Rust", |out| each(&x, out, rosenbrock_by_hand)).run();
}

fn rosenbrock_dual(x: &[f64; 2]) -> (f64, [f64; 2]) {
    let f = |x: SVector<DualSVec64<2>, 2>| (x[1] - x[0].powi(2)).powi(2) * 100.0 + (-x[0] + 1.0).powi(2);
    let (value, g) = num_dual::gradient(f, &SVector::from(*x));
    (value, g.into())
}

/// Variables of forward mode, each with a tangent of its own.
fn variables<const N: usize>(x: &[f64; N]) -> [adfn<N>; N] {
    std::array::from_fn(|k| adfn::new(x[k], std::array::from_fn(|i| f64::from(u8::from(i == k)))))
}

fn rosenbrock_forward(x: &[f64; 2]) -> (f64, [f64; 2]) {
    let [a, b] = variables(x);
    let (r, s) = (b - a * a, adfn::new_constant(1.0) - a);
    let f = adfn::new_constant(100.0) * r * r + s * s;
    (f.value(), f.tangent())
}

fn rosenbrock_tape(x: &[f64; 2]) -> (f64, [f64; 2]) {
    let tape = Tape::new();
    let (a, b) = (tape.add_var(x[0]), tape.add_var(x[1]));
    let f = (b - a.powi(2)).powi(2) * 100.0 + (1.0 - a).powi(2);
    let g = f.grad();
    (f.val(), [g.wrt(&a), g.wrt(&b)])
}

pub(super) const SPRING: Row = Row { name: "spring in space", sizes: &[6], run: spring_row, ..ROSENBROCK };

const STIFFNESS: f64 = 3.0;
const LENGTH: f64 = 0.7;

fn halves(x: &[f64; 6]) -> ([f64; 3], [f64; 3]) {
    ([x[0], x[1], x[2]], [x[3], x[4], x[5]])
}

fn join(a: [f64; 3], b: [f64; 3]) -> [f64; 6] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

fn spring_by_hand(x: &[f64; 6]) -> (f64, [f64; 6]) {
    let (a, b) = halves(x);
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    let stretch = length - LENGTH;
    let f = d.map(|d| STIFFNESS * stretch / length * d);
    (0.5 * STIFFNESS * stretch * stretch, join(f, f.map(|f| -f)))
}

fn spring_row(bench: &mut Bench, n: usize) {
    let x = uniform(n * CALLS, 1);
    let (mut w0, mut w1) = (Workspace::new(), Workspace::new());
    let value = bench.case("value", 0).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x| {
            let (a, b) = halves(x);
            (spring(&a, &b, STIFFNESS, LENGTH).unwrap_or(f64::NAN), [])
        })
    });
    value.rust("Rust", |out| each(&x, out, |x| (spring_by_hand(x).0, []))).run();
    let into = bench.case("value, into", 0).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x| {
            let (a, b) = halves(x);
            (spring_into(&a, &b, STIFFNESS, LENGTH, &mut w0).unwrap_or(f64::NAN), [])
        })
    });
    into.rust("Rust", |out| each(&x, out, |x| (spring_by_hand(x).0, []))).run();
    let gradient = bench.case("gradient", n).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x| {
            let (a, b) = halves(x);
            let found = spring_grad(&a, &b, STIFFNESS, LENGTH);
            found.map_or((f64::NAN, [f64::NAN; 6]), |(value, (da, db))| (value, join(da, db)))
        })
    });
    let gradient = gradient.rust("Rust", |out| each(&x, out, spring_by_hand));
    gradient
        .rust("num-dual", |out| each(&x, out, spring_dual))
        .rust("ad_trait", |out| each(&x, out, spring_forward))
        .rust("reverse", |out| each(&x, out, spring_tape))
        .run();
    let into = bench.case("gradient, into", n).repeats(CALLS).rust("tensor!", |out| {
        each(&x, out, |x| {
            let ((a, b), mut da, mut db) = (halves(x), [0.0; 3], [0.0; 3]);
            let value = spring_grad_into(&a, &b, STIFFNESS, LENGTH, &mut da, &mut db, &mut w1);
            (value.unwrap_or(f64::NAN), join(da, db))
        })
    });
    into.rust("Rust", |out| each(&x, out, spring_by_hand)).run();
}

fn spring_dual(x: &[f64; 6]) -> (f64, [f64; 6]) {
    let f = |x: SVector<DualSVec64<6>, 6>| {
        let length = ((x[0] - x[3]).powi(2) + (x[1] - x[4]).powi(2) + (x[2] - x[5]).powi(2)).sqrt();
        (length - LENGTH).powi(2) * (0.5 * STIFFNESS)
    };
    let (value, g) = num_dual::gradient(f, &SVector::from(*x));
    (value, g.into())
}

fn spring_forward(x: &[f64; 6]) -> (f64, [f64; 6]) {
    let x = variables(x);
    let d = [x[0] - x[3], x[1] - x[4], x[2] - x[5]];
    let length = nalgebra::ComplexField::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    let stretch = length - adfn::new_constant(LENGTH);
    let f = adfn::new_constant(0.5 * STIFFNESS) * stretch * stretch;
    (f.value(), f.tangent())
}

fn spring_tape(x: &[f64; 6]) -> (f64, [f64; 6]) {
    let tape = Tape::new();
    let x = x.map(|v| tape.add_var(v));
    let length = ((x[0] - x[3]).powi(2) + (x[1] - x[4]).powi(2) + (x[2] - x[5]).powi(2)).sqrt();
    let f = (length - LENGTH).powi(2) * (0.5 * STIFFNESS);
    let g = f.grad();
    (f.val(), x.each_ref().map(|v| g.wrt(v)))
}
