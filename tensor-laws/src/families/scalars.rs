//! Statements of numbers, one after the other.

use super::Family;
use super::text::{derived, join};

const TRANSFORMS: [&str; 7] = ["value", "jvp", "vjp", "hvp", "hessian", "jacobian", "linearize"];

pub(super) fn all() -> Vec<Family> {
    let mut out = vec![];
    for t in TRANSFORMS {
        let by = if t == "jacobian" || t == "hessian" { ", x, y" } else { ", x" };
        for kind in ["chain", "dag", "fib"] {
            // Its kinds of statements alternate by three: each size has as many of each.
            let from = if kind == "fib" { 33 } else { 32 };
            out.push(Family::new(format!("scalar/{kind}/{t}"), from, 8192, move |k| {
                format!("fn f(x: f64, y: f64) -> f64 {{ {} }} {}", body(kind, k), derived(t, by))
            }));
        }
    }
    out
}

/// `chain`: each of the one before it; `fib`: of the two before it; `dag`: of any two.
fn body(kind: &str, k: usize) -> String {
    // A linear congruence (Knuth's MMIX), so that a size is always the same program.
    let mut seed = 12_345_u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % n
    };
    let name = |i: usize| match i {
        0 => "x".to_string(),
        1 => "y".to_string(),
        i => format!("v{i}"),
    };
    let mut of: Vec<(usize, usize)> = vec![];
    for i in 2..k + 2 {
        of.push(if kind == "dag" { (random(i), random(i)) } else { (i - 1, i - 2) });
    }
    let statements = join(k, "\n", |at| {
        let (i, (a, b)) = (at + 2, of[at]);
        let (a, b) = (name(a), name(b));
        match (kind, i % 3) {
            ("chain", _) => format!("let v{i} = {a}.sin() * x + y;"),
            (_, 0) => format!("let v{i} = {a} * {b} + 0.5;"),
            (_, 1) => format!("let v{i} = {a}.sin() + {b};"),
            _ => format!("let v{i} = {a} * {b}.cos();"),
        }
    });
    format!("{statements}\n{}", name(k + 1))
}
