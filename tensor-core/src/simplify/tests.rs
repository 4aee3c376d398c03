//! What goes in, what comes out; and that values stay and costs do not rise.

mod linear;
mod others;
mod random;
mod show;

use super::simplify;
use crate::ad::tests::run::run;
use crate::ad::tests::text::function;
use crate::ad::{grad, jvp, vjp};
use crate::ssa::Function;
use crate::ssa::verify::verify;
use random::random;
use show::show;

/// Which function of the program to simplify.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Of {
    Itself,
    Grad,
    Vjp,
    Jvp,
}
use Of::{Grad, Itself, Jvp, Vjp};

fn derived(f: &Function, of: Of) -> Function {
    let wrt: Vec<usize> = (0..f.params.len()).collect();
    match of {
        Itself => f.clone(),
        Grad => grad(f, &wrt),
        Vjp => vjp(f, &wrt),
        Jvp => jvp(f, &wrt),
    }
}

/// Values of all parameters in (0.5, 1.5), reproducible.
fn arguments(f: &Function, sizes: &[i64]) -> Vec<Vec<f64>> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.5 + (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let extent = |e: &crate::index::Affine| {
        e.eval(&|a| match a {
            crate::index::Atom::Size(k) => sizes[*k as usize],
            _ => 0,
        }) as usize
    };
    let count = |p: &crate::ssa::ArrayId| f.array(*p).extents.iter().map(extent).product::<usize>();
    f.params.iter().map(|p| (0..count(p)).map(|_| next()).collect()).collect()
}

/// Simplifies; the result is verified, has the same values and costs no more: `(it, its cost)`.
fn check(f: &Function, sizes: &[i64]) -> (Function, usize) {
    check_at(f, &[sizes], true)
}

fn check_at(f: &Function, sizes: &[&[i64]], costs: bool) -> (Function, usize) {
    assert_eq!(verify(f), Ok(()), "{}", show(f));
    let g = simplify(f.clone());
    assert_eq!(verify(&g), Ok(()), "{}\n→\n{}", show(f), show(&g));
    let mut last = 0;
    for sizes in sizes {
        let x = arguments(f, sizes);
        let (before, cost) = run(f, sizes, &x);
        let (after, new_cost) = run(&g, sizes, &x);
        let lengths = |v: &[Vec<f64>]| v.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(
            lengths(&before),
            lengths(&after),
            "{} at {sizes:?}\n{}\n→\n{}",
            f.name,
            show(f),
            show(&g)
        );
        for (a, b) in before.iter().flatten().zip(after.iter().flatten()) {
            let close = a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs()) || a.is_nan() && b.is_nan();
            assert!(close, "{} at {sizes:?}: {a} {b}\n{}\n→\n{}", f.name, show(f), show(&g));
        }
        assert!(
            !costs || new_cost <= cost,
            "{} at {sizes:?}: {new_cost} > {cost}\n{}\n→\n{}",
            f.name,
            show(f),
            show(&g)
        );
        last = new_cost;
    }
    (g, last)
}

fn trimmed(text: &str) -> String {
    text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A program, sizes to run it with, which function, what comes out, at what cost.
type Program = (&'static str, &'static [i64], Of, &'static str, usize);

#[test]
fn programs() {
    let mut wrong = String::new();
    for (text, sizes, of, expected, cost) in linear::PROGRAMS.iter().chain(others::PROGRAMS) {
        let (g, new_cost) = check(&derived(&function(text), *of), sizes);
        let shown = show(&g);
        if shown != trimmed(expected) || new_cost != *cost {
            wrong += &format!("---- {of:?} of{text}\n{shown}\ncost {new_cost}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Random functions and their derivatives: values stay, at sizes that make ranges empty too, and where loops have some length costs do not
/// rise.
#[test]
fn random_functions() {
    for seed in 0..50 {
        let f = random(seed);
        for g in [f.clone(), derived(&f, Vjp), derived(&f, Jvp)] {
            check_at(&g, &[&[4, 5], &[5, 4]], true);
            check_at(&g, &[&[0, 2], &[3, 0], &[1, 1], &[2, 3], &[0, 0]], false);
        }
    }
}

/// `stop` is in the way of views until it is erased.
#[test]
fn stops() {
    let mut f = function(
        "size n
         param x[n]
         a[i<n] = exp(x[i])
         b[i<n] = [i + 1 < n] tanh(a[i])
         y[] = sum i<n. b[i] x[i]
         result y",
    );
    if let crate::ssa::Rhs::Prim { prim, .. } = &mut f.stmts[1].rhs {
        *prim = crate::prim::Prim::Stop;
    }
    assert_eq!(
        show(&simplify(f.clone())),
        trimmed(
            "a[i < n] = exp(x[i])
             b[i < n] = [i + 1 < n] Stop(a[i])
             y[] = sum i. [0 <= i, i + 1 < n] b[i] x[i]
             result y"
        )
    );
    assert_eq!(
        show(&super::erase_stops(f)),
        trimmed(
            "a[i < n] = exp(x[i])
             y[] = sum i. [0 <= i, i + 1 < n] a[i] x[i]
             result y"
        )
    );
}
