//! Each line of the table against differences, and at its special points.

use super::formula::unary;
use super::partials::{Case, Test, partials};
use super::{BINARY, Binary, Formula, Prim, UNARY, Unary};
use crate::ad::tests::run::{apply, formula};
use crate::index::{Affine, Cond};
use crate::ssa::RealCompare;

fn no_index(e: &Affine) -> i64 {
    assert!(e.is_constant());
    e.constant
}

fn holds(t: &Test, x: &[f64]) -> bool {
    match t {
        Test::Real { op, left, right, holds } => {
            let (l, r) = (formula(left, x, &no_index), formula(right, x, &no_index));
            *holds
                == match op {
                    RealCompare::Lt => l < r,
                    RealCompare::Le => l <= r,
                    RealCompare::Eq => l == r,
                }
        }
        Test::Index(c) => c.eval(&|_| panic!("an index"), &|_, _| panic!("a comparison")),
        Test::Or(a, b) => holds(a, x) || holds(b, x),
    }
}

fn value(cases: &[Case], x: &[f64]) -> f64 {
    let live = cases.iter().filter(|c| c.tests.iter().all(|t| holds(t, x)));
    live.map(|c| formula(&c.partial, x, &no_index)).sum()
}

/// The derivatives by all arguments at a point, from the table.
fn gradient(p: &Prim, x: &[f64]) -> Vec<f64> {
    let args: Vec<Formula> = (0..x.len()).map(Formula::Arg).collect();
    let all = [x, &[apply(p, x, &no_index)]].concat();
    partials(p, &args, &Formula::Arg(x.len())).iter().map(|c| value(c, &all)).collect()
}

fn functions() -> Vec<(Prim, usize)> {
    let unary = UNARY.iter().map(|u| (Prim::Unary(*u), 1));
    let powers = (-4..=5).map(|k| (Prim::Powi(Affine::from(k)), 1));
    unary
        .chain(BINARY.iter().map(|b| (Prim::Binary(*b), 2)))
        .chain(powers)
        .chain([(Prim::Clamp, 3)])
        .collect()
}

#[test]
fn against_differences() {
    let points = [-2.6, -0.7, -0.3, 0.2, 0.6, 1.3, 1.7, 2.4];
    for (p, n) in functions() {
        let mut compared = 0;
        for code in 0..points.len().pow(n as u32) {
            let x: Vec<f64> =
                (0..n).map(|d| points[code / points.len().pow(d as u32) % points.len()]).collect();
            if !apply(&p, &x, &no_index).is_finite() || (1..n).any(|d| x[..d].contains(&x[d])) {
                continue;
            }
            for (d, g) in gradient(&p, &x).into_iter().enumerate() {
                let h = 1e-6;
                let at = |h: f64| {
                    let mut x = x.clone();
                    x[d] += h;
                    apply(&p, &x, &no_index)
                };
                let slope = (at(h) - at(-h)) / (2.0 * h);
                if slope.is_finite() {
                    assert!(
                        (g - slope).abs() <= 1e-7 * (1.0 + slope.abs()),
                        "{p:?} at {x:?} by {d}: {g} and {slope}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared >= 3, "{p:?}");
    }
}

/// Derivatives of the formulas in the table, by the table: against differences of the first derivatives.
#[test]
fn second_derivatives() {
    let points = [-2.6, -0.7, 0.2, 0.6, 1.3, 2.4];
    for (p, n) in functions() {
        let args: Vec<Formula> = (0..n).map(Formula::Arg).collect();
        // The result as a formula of the arguments, so that nothing is held fixed.
        let y = Formula::Apply(p.clone(), args.clone());
        for first in partials(&p, &args, &y).concat() {
            let mut compared = 0;
            for code in 0..points.len().pow(n as u32) {
                let x: Vec<f64> =
                    (0..n).map(|d| points[code / points.len().pow(d as u32) % points.len()]).collect();
                if (1..n).any(|d| x[..d].contains(&x[d])) {
                    continue;
                }
                for d in 0..n {
                    let at = |h: f64| {
                        let mut x = x.clone();
                        x[d] += h;
                        formula(&first.partial, &x, &no_index)
                    };
                    let h = 1e-6;
                    let slope = (at(h) - at(-h)) / (2.0 * h);
                    let g = value(&first.partial.derivative(d), &x);
                    if slope.is_finite() {
                        let scale = 1.0 + slope.abs() + at(0.0).abs();
                        assert!(
                            (g - slope).abs() <= 1e-6 * scale,
                            "{first:?} at {x:?} by {d}: {g} and {slope}"
                        );
                        compared += 1;
                    }
                }
            }
            assert!(compared >= 3, "{p:?}: {first:?}");
        }
    }
}

#[test]
fn special_points() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let u = Prim::Unary;
    let b = Prim::Binary;
    let cases: &[(Prim, &[f64], &[f64])] = &[
        (u(Unary::Abs), &[0.0], &[0.0]),
        (u(Unary::Abs), &[-0.0], &[0.0]),
        (u(Unary::Signum), &[0.0], &[0.0]),
        (u(Unary::Round), &[0.5], &[0.0]),
        (u(Unary::Sqrt), &[0.0], &[inf]),
        (u(Unary::Cbrt), &[0.0], &[inf]),
        (u(Unary::Ln), &[0.0], &[inf]),
        (u(Unary::Sigmoid), &[800.0], &[0.0]),
        (u(Unary::Softplus), &[-800.0], &[0.0]),
        (u(Unary::Tanh), &[40.0], &[0.0]),
        (b(Binary::Max), &[1.0, 1.0], &[1.0, 0.0]),
        (b(Binary::Max), &[0.0, -0.0], &[1.0, 0.0]),
        (b(Binary::Max), &[nan, 1.0], &[0.0, 1.0]),
        (b(Binary::Max), &[1.0, nan], &[1.0, 0.0]),
        (b(Binary::Min), &[1.0, 1.0], &[1.0, 0.0]),
        (b(Binary::Min), &[nan, 1.0], &[0.0, 1.0]),
        (b(Binary::Min), &[1.0, nan], &[1.0, 0.0]),
        (b(Binary::Max), &[inf, inf], &[1.0, 0.0]),
        (b(Binary::Hypot), &[0.0, 0.0], &[0.0, 0.0]),
        (b(Binary::Hypot), &[0.0, 2.0], &[0.0, 1.0]),
        (b(Binary::Atan2), &[0.0, 0.0], &[0.0, 0.0]),
        (b(Binary::Atan2), &[0.0, 2.0], &[0.5, 0.0]),
        (b(Binary::Powf), &[0.0, 0.0], &[0.0, 0.0]),
        (b(Binary::Powf), &[0.0, 1.0], &[1.0, 0.0]),
        (b(Binary::Powf), &[0.0, 2.0], &[0.0, 0.0]),
        (b(Binary::Powf), &[0.0, 0.5], &[inf, 0.0]),
        (b(Binary::Div), &[1.0, 0.0], &[inf, -inf]),
        (Prim::Powi(Affine::from(0)), &[0.0], &[0.0]),
        (Prim::Powi(Affine::from(1)), &[0.0], &[1.0]),
        (Prim::Powi(Affine::from(3)), &[0.0], &[0.0]),
        (Prim::Clamp, &[1.0, 1.0, 2.0], &[1.0, 0.0, 0.0]),
        (Prim::Clamp, &[2.0, 1.0, 2.0], &[1.0, 0.0, 0.0]),
        (Prim::Clamp, &[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0]),
        (Prim::Clamp, &[3.0, 1.0, 2.0], &[0.0, 0.0, 1.0]),
        (Prim::Clamp, &[nan, 1.0, 2.0], &[0.0, 1.0, 0.0]),
        (Prim::Stop, &[3.0], &[0.0]),
        (Prim::FiniteOrZero, &[3.0], &[0.0]),
    ];
    for (p, x, expected) in cases {
        assert_eq!(gradient(p, x), *expected, "{p:?} at {x:?}");
    }
}

/// Against a number, the side of the comparison is the number itself: no result is needed, NaN chooses the number.
#[test]
fn extremes_with_a_number() {
    for (op, x, expected) in [
        (Binary::Max, 1.0, 1.0),
        (Binary::Max, 0.0, 1.0),
        (Binary::Max, -1.0, 0.0),
        (Binary::Max, f64::NAN, 0.0),
        (Binary::Min, 1.0, 0.0),
        (Binary::Min, 0.0, 1.0),
        (Binary::Min, f64::NAN, 0.0),
    ] {
        let cases = partials(&Prim::Binary(op), &[Formula::Arg(0), 0.0.into()], &Formula::Arg(9));
        assert_eq!(value(&cases[0], &[x]), expected, "{op:?} {x}");
    }
}

#[test]
fn powers_of_an_index_are_guarded() {
    let k = Affine::from(crate::index::Atom::Index(3));
    let cases = partials(&Prim::Powi(k.clone()), &[Formula::Arg(0)], &Formula::Arg(1));
    assert_eq!(cases[0][0].tests, [Test::Index(Cond::NonZero(k))]);
}

#[test]
fn simplification() {
    let x = || Formula::Arg(0);
    let y = || Formula::Arg(1);
    assert_eq!(x() + x(), 2.0 * x());
    assert_eq!(x() - x(), 0.0.into());
    assert_eq!(-(-x()), x());
    assert_eq!((2.0 * x()) * (3.0 * y()), 6.0 * (x() * y()));
    assert_eq!(x() * 0.0.into(), 0.0.into());
    assert_eq!(x() + y() - x(), y());
    let tanh_twice = (1.0 - y() * y()).derivative(1);
    assert_eq!(tanh_twice, [Case::always(-2.0 * y())]);
    let sine = unary(Unary::Sin, x()).derivative(0);
    assert_eq!(sine, [Case::always(unary(Unary::Cos, x()))]);
    assert_eq!(unary(Unary::Cos, x()).derivative(1), []);
}
