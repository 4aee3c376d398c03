//! What recurrences keep, as the number of their steps grows.

use super::programs::PROGRAMS;
use super::{normal_form, proved};
use crate::ad::{jvp, value_and_grad};
use crate::eval::ssa;
use crate::index::Atom;
use crate::loops::{Buffer, Program, eval::run};
use crate::schedule::tests::arguments;
use crate::schedule::{Blocks, Options, schedule, scheduled};
use crate::simplify::{erase_stops, simplify};
use crate::ssa::{Function, display::display};

/// The elements of the workspace.
fn stored(p: &Program, sizes: &[i64]) -> i64 {
    elements(p, p.workspace(), sizes)
}

/// The elements of buffers.
fn elements<'a>(p: &Program, buffers: impl Iterator<Item = &'a Buffer>, sizes: &[i64]) -> i64 {
    let sizes = p.sizes(sizes);
    let extent = |e: &crate::index::Affine| {
        e.eval(&|a| match a {
            Atom::Size(k) => sizes[*k as usize],
            other => panic!("{other:?} is no size"),
        })
    };
    buffers.map(|b| b.extents.iter().map(extent).product::<i64>()).sum()
}

/// The function of this name, simplified.
fn function(name: &str) -> Function {
    let named = format!("fn {name}<");
    let also = format!("fn {name}(");
    let p = PROGRAMS.iter().find(|p| p.source.contains(&named) || p.source.contains(&also));
    of_source(p.unwrap_or_else(|| panic!("no program {name}")).source)
}

/// The last function of a program, simplified.
fn of_source(source: &str) -> Function {
    simplify(normal_form(&proved(source)).unwrap_or_else(|| panic!("no normal form:\n{source}")))
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

/// Folds whose steps compute what they need of no other step, which runs before them: of a block of steps at a time.
const INSIDE: &[(&str, &[i64], usize)] = &[
    ("fn f<n>(x: [f64; n], q: f64) -> f64 { fold t in 0..n from s = 0.0 { q * s + x[t].exp() } }", &[2000], 0),
    (
        "fn f<n, d, h>(x: [f64; n, d], w: [f64; h, d], u: [f64; h, h], b: [f64; h]) -> [f64; h] {
            fold t in 0..n from s = (for j in 0..h { 0.0 }) {
                for j in 0..h { (sum i in 0..d { w[j, i] * x[t, i] } + b[j] + sum k in 0..h { u[j, k] * s[k] }).tanh() }
            }
        }",
        &[2000, 3, 5],
        0,
    ),
    (
        "fn f<n, b, d, h>(x: [f64; n, b, d], w: [f64; h, d], u: [f64; h, h]) -> [f64; b, h] {
            fold t in 0..n from s = (for p in 0..b, j in 0..h { 0.0 }) {
                for p in 0..b, j in 0..h {
                    (sum i in 0..d { w[j, i] * x[t, p, i] } + sum k in 0..h { u[j, k] * s[p, k] }).tanh()
                }
            }
        }",
        &[2000, 2, 3, 5],
        0,
    ),
    (
        "fn f<n, b, d, h>(x: [f64; n, b, d], wz: [f64; h, d], uz: [f64; h, h], w: [f64; h, d], u: [f64; h, h]) -> [f64; b, h] {
            fold t in 0..n from s = (for i in 0..b, j in 0..h { 0.0 }) {
                let z = for i in 0..b, j in 0..h {
                    (sum k { wz[j, k] * x[t, i, k] } + sum k { uz[j, k] * s[i, k] }).sigmoid()
                };
                let c = for i in 0..b, j in 0..h {
                    (sum k { w[j, k] * x[t, i, k] } + sum k { u[j, k] * z[i, k] * s[i, k] }).tanh()
                };
                for i in 0..b, j in 0..h { (1.0 - z[i, j]) * s[i, j] + z[i, j] * c[i, j] }
            }
        }",
        &[2000, 2, 3, 5],
        0,
    ),
];

/// The value of a fold, and its derivative along a direction, store as much for twice the steps.
#[test]
fn folds_keep_their_state() {
    let mut wrong = vec![];
    let named = FOLDS.iter().map(|(name, sizes, time)| (name, function(name), sizes, time));
    let inside = INSIDE.iter().map(|(source, sizes, time)| (source, of_source(source), sizes, time));
    for (name, f, sizes, time) in named.chain(inside) {
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

/// Steps in blocks of two, from which all lengths are covered that differ: the values of the SSA.
#[test]
fn steps_run_block_by_block() {
    for (source, sizes, time) in INSIDE {
        let f = of_source(source);
        let all: Vec<usize> = (0..f.params.len()).collect();
        let tangent = erase_stops(simplify(jvp(&f, &all)));
        for f in [erase_stops(f), tangent] {
            let blocks = Blocks { elements: 2, halos: 0, of_products: 2, rows: 2 };
            let p = scheduled(&f, &Options::in_blocks(Some(blocks)));
            assert!(p.to_string().contains("steps t_block"), "{p}");
            for steps in 0..7 {
                let mut sizes: Vec<i64> = sizes.iter().map(|n| n % 10).collect();
                sizes[*time] = steps;
                let x = arguments(&f, &sizes);
                let (expected, _) = ssa::run(&f, &sizes, &x).expect("a value");
                let leaves: Vec<Vec<f64>> = x.iter().map(|t| t.data.clone()).collect();
                let (found, _) =
                    run(&p, &sizes, &leaves, &|_| f64::NAN).unwrap_or_else(|e| panic!("{e}\n{p}"));
                let expected = expected.iter().flat_map(|t| &t.data);
                let found: Vec<f64> = found.concat();
                assert_eq!(expected.clone().count(), found.len(), "{p}");
                let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
                assert!(expected.zip(&found).all(is_close), "{steps} steps: {found:?}\n{p}");
            }
        }
    }
}

/// Recurrences that add up and are read at one time are sums: how many members are left.
const ADDED: &[(&str, usize)] = &[
    ("fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from s = 0.0 { s + x[t] * x[t] } }", 0),
    ("fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from s = 3.0 { s + [x[t] > 0.0] * x[t] } }", 0),
    // With another name in between, and added to twice.
    (
        "fn f<n>(x: [f64; n, 3]) -> [f64; 3] {
            fold t in 0..n from s = (for i in 0..3 { 1.0 }) {
                let h = for i in 0..3 { s[i] + x[t, i] };
                for i in 0..3 { h[i] + x[t, i] * x[t, i] }
            }
        }",
        0,
    ),
    // Beside another state, which is two members.
    (
        "fn f<n>(y: [f64; n]) -> f64 {
            let (_, e) = fold t in 0..n from (a, e) = (0.0, 0.0) { (0.5 * a + y[t], e + (y[t] - a) * (y[t] - a)) };
            e
        }",
        2,
    ),
    // All its states are read; it is multiplied; a part of it is shifted.
    ("fn f<n>(x: [f64; n]) -> [f64; n] { scan t in 0..n from s = 0.0 { s + x[t] } }", 2),
    ("fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from s = 0.0 { s - x[t] * s } }", 2),
    (
        "fn f<n>(x: [f64; n]) -> [f64; 3] {
            fold t in 0..n from s = (for i in 0..3 { 0.0 }) { for i in 0..3 { s[(i + 1) % 3] + x[t] } }
        }",
        2,
    ),
];

#[test]
fn what_adds_up_is_a_sum() {
    for (source, members) in ADDED {
        let f = erase_stops(of_source(source));
        assert_eq!(f.stmts.iter().filter(|s| s.is_member()).count(), *members, "{source}\n{}", display(&f));
    }
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
    // Of what is added up nothing is kept for each step, and the sweep back has no cotangent of it.
    (
        "fn f<n>(y: [f64; n], c: f64) -> f64 { let (_, e) = fold t in 0..n from (a, e) = (0.0, 0.0) { (0.5 * a + y[t], e + c * (y[t] - a) * (y[t] - a)) }; e }",
        &[0],
        1,
    ),
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
        let p = schedule(&erase_stops(simplify(value_and_grad(&of_source(source), wrt))));
        let found = stored(&p, &[200]) - stored(&p, &[100]);
        if found != 100 * slope {
            wrong.push(format!("{source}\n{found}\n{p}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runge and Kutta's method for two numbers, with checkpoints; of so many steps so many elements are stored more than of none. By the root of their
/// number, so do both: a state of each block, and what the partials of a step read, 24 numbers.
const CHECKPOINTS: &[(&str, i64, i64)] = &[
    ("16", 1600, 2 * 100),
    ("100, 10", 1600, 2 * 16),
    ("1", 100, 2 * 100),
    ("sqrt", 5000, (2 + 24) * (100 - 71)),
];

/// With checkpoints a gradient stores a state for each, and the steps between two.
#[test]
fn checkpoints_bound_what_gradients_keep() {
    let both = |row| ["0..steps", "(0..steps).rev()"].map(|times| (row, times));
    for ((every, steps, more), times) in CHECKPOINTS.iter().flat_map(both) {
        let source = format!(
            "fn lotka(y: [f64; 2], p: [f64; 4]) -> [f64; 2] {{ [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]] }}
            fn orbit(y0: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {{
                let y = #[checkpoint({every})] fold k in {times} from y = y0 {{
                    let k1 = lotka(y, p);
                    let k2 = lotka(y + 0.5 * dt * k1, p);
                    let k3 = lotka(y + 0.5 * dt * k2, p);
                    let k4 = lotka(y + dt * k3, p);
                    y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
                }};
                sum i {{ y[i] * y[i] }}
            }}"
        );
        let p = schedule(&erase_stops(simplify(value_and_grad(&of_source(&source), &[0, 1, 2]))));
        let found = stored(&p, &[2 * steps]) - stored(&p, &[*steps]);
        assert_eq!(found, *more, "({every}), {times}\n{p}");
        if *every == "100, 10" {
            // A state of each block, of each level, and ten steps; beside rows that live in one.
            let blocks = p.work.iter().filter(|b| b.extents != [2.into()]);
            assert_eq!(elements(&p, blocks, &[*steps]), 2 * 16 + 2 * 10 + 24 * 10, "{times}\n{p}");
        }
    }
}
