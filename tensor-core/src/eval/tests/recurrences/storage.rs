//! What recurrences keep, as the number of their steps grows.

use super::programs::PROGRAMS;
use super::{normal_form, proved};
use crate::ad::{jvp, value_and_grad};
use crate::index::Atom;
use crate::loops::Program;
use crate::schedule::schedule;
use crate::simplify::{erase_stops, simplify};
use crate::ssa::Function;

/// The elements of the workspace.
fn stored(p: &Program, sizes: &[i64]) -> i64 {
    let extent = |e: &crate::index::Affine| {
        e.eval(&|a| match a {
            Atom::Size(k) => sizes[*k as usize],
            other => panic!("{other:?} is no size"),
        })
    };
    p.workspace().map(|b| b.extents.iter().map(extent).product::<i64>()).sum()
}

/// The function of this name, simplified.
fn function(name: &str) -> Function {
    let named = format!("fn {name}<");
    let also = format!("fn {name}(");
    let p = PROGRAMS.iter().find(|p| p.source.contains(&named) || p.source.contains(&also));
    let source = p.unwrap_or_else(|| panic!("no program {name}")).source;
    simplify(normal_form(&proved(source)).unwrap_or_else(|| panic!("{name} has no normal form")))
}

/// Folds, sizes, and which of these is the number of steps.
const FOLDS: &[(&str, &[i64], usize)] = &[
    ("log_likelihood", &[100], 0),
    ("horner", &[100], 0),
    ("weights", &[100], 0),
    ("orbit", &[100], 0),
    ("composed", &[100], 0),
    ("implicit", &[100], 0),
    ("gru_loss", &[3, 100, 4, 5], 1),
    ("between", &[0, 100], 1),
    ("bodies", &[7, 100], 1),
    ("lstm", &[100, 3, 8], 0),
    ("hmm", &[100, 8], 0),
];

/// The value of a fold, and its derivative along a direction, store as much for twice the steps.
#[test]
fn folds_keep_their_state() {
    let mut wrong = vec![];
    for (name, sizes, time) in FOLDS {
        let f = function(name);
        let all: Vec<usize> = (0..f.params.len()).collect();
        let tangent = erase_stops(simplify(jvp(&f, &all)));
        let mut twice = sizes.to_vec();
        twice[*time] *= 2;
        for (what, f) in [("value", erase_stops(f)), ("jvp", tangent)] {
            let p = schedule(&f);
            let (once, twice) = (stored(&p, sizes), stored(&p, &twice));
            if once != twice {
                wrong.push(format!("{what} of {name}: {once}, {twice}\n{p}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs of one size, the number of steps; what is differentiated by; and what the gradient stores for each step: what its partials read.
const GRADIENTS: &[(&str, &[usize], i64)] = &[
    // A linear filter has constant partials.
    ("fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from s = 0.0 { 0.9 * s + x[t] } }", &[0], 0),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let (s, _) = fold t in 0..n from (a, b) = (0.0, 1.0) { (0.9 * a + x[t] - 0.1 * b, a) }; s }",
        &[0],
        0,
    ),
    // Its state, where the coefficient is asked for.
    ("fn f<n>(x: [f64; n], c: f64) -> f64 { fold t in 0..n from s = 0.0 { c * s + x[t] } }", &[0, 1], 1),
    // What `tanh` returns is its partial and the state.
    (
        "fn f<n>(x: [f64; n], w: f64, u: f64) -> f64 { fold t in 0..n from s = 0.0 { (w * s + u * x[t]).tanh() } }",
        &[0, 1, 2],
        1,
    ),
];

/// A gradient stores what its partials read, and no more.
#[test]
fn gradients_keep_what_their_partials_read() {
    let mut wrong = vec![];
    for (source, wrt, slope) in GRADIENTS {
        let f = simplify(normal_form(&proved(source)).expect("a normal form"));
        let p = schedule(&erase_stops(simplify(value_and_grad(&f, wrt))));
        let found = stored(&p, &[200]) - stored(&p, &[100]);
        if found != 100 * slope {
            wrong.push(format!("{source}\n{found}\n{p}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runge and Kutta's method for two numbers, with checkpoints; of so many steps so many elements are stored more than of none.
const CHECKPOINTS: &[(&str, i64, i64)] =
    &[("16", 1600, 2 * 100), ("100, 10", 1600, 2 * 16), ("1", 100, 2 * 100)];

/// With checkpoints a gradient stores a state for each, and the steps between two.
#[test]
fn checkpoints_bound_what_gradients_keep() {
    for (every, steps, more) in CHECKPOINTS {
        let source = format!(
            "fn lotka(y: [f64; 2], p: [f64; 4]) -> [f64; 2] {{ [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]] }}
            fn orbit(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {{
                let y = #[checkpoint({every})] fold k in 0..steps from y = y0 {{
                    let k1 = lotka(y, p);
                    let k2 = lotka(y + 0.5 * dt * k1, p);
                    let k3 = lotka(y + 0.5 * dt * k2, p);
                    let k4 = lotka(y + dt * k3, p);
                    y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
                }};
                sum i {{ y[i] * y[i] }}
            }}"
        );
        let f = simplify(normal_form(&proved(&source)).expect("a normal form"));
        let p = schedule(&erase_stops(simplify(value_and_grad(&f, &[0, 1, 2]))));
        let found = stored(&p, &[2 * steps]) - stored(&p, &[*steps]);
        assert_eq!(found, *more, "({every})\n{p}");
    }
}
