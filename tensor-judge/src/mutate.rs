//! Small changes of the programs that people wrote: an index, a guard, a range, a literal, an operator. What the compiler still takes is a
//! program that nobody thought of.

mod changes;

use crate::check::{Case, Point, analyzed, holds, normalized};
use crate::syntax::walk::{proposals, replaced, walk};
use crate::syntax::{accepted, alone, edit, print, read, unwrapped, wrapped};
use fastrand::Rng;
use std::collections::BTreeSet;
use tensor_core::ast::{Block, Item};
use tensor_core::ssa::Function;
use tensor_core::typed::{self, Definition, Expr, ExprKind};
use tensor_core::{ad, analyze, eval};

/// A function that is changed, with what it needs.
#[derive(Clone, Debug)]
pub struct Base {
    /// The block: the function is its last.
    pub source: String,
    /// Its name.
    pub name: String,
}

/// The functions of the repository's programs that the compiler takes, each once, and of the programs that once went wrong; none with a
/// constant of its surroundings, of which rustc alone knows the value.
///
/// # Errors
/// Where a file cannot be read.
pub fn bases() -> std::io::Result<Vec<Base>> {
    let mut out = vec![];
    let mut seen = BTreeSet::new();
    let kept = crate::kept::programs().into_iter().map(|(_, source)| source);
    for block in crate::corpus::programs()?.into_iter().chain(kept).filter_map(|s| read(&s)) {
        for item in &block.items {
            let Item::Function(f) = item else { continue };
            let Some(block) = alone(&block, &f.name.to_string()) else { continue };
            let source = print::block(&block);
            if seen.insert(source.clone())
                && edit::size(&block) < 400
                && accepted(&source)
                && is_known(&source)
            {
                out.push(Base { source, name: f.name.to_string() });
            }
        }
    }
    Ok(out)
}

/// Whether the evaluators know all constants of a program, and all that it has may be differentiated: calls in the steps of a recurrence may not.
fn is_known(source: &str) -> bool {
    let Some(block) = source.parse().ok().and_then(|tokens| analyze(tokens).ok()) else { return false };
    let calls_in_steps = |f: &Function| f.stmts.iter().any(|s| s.is_member() && s.call().is_some());
    constants_are_known(&block) && !normalized(&block).iter().flatten().any(calls_in_steps)
}

/// Whether the evaluators know all constants of a block.
#[must_use]
pub fn constants_are_known(block: &typed::Block) -> bool {
    let mut is_known = true;
    let mut look = |e: &Expr| {
        if let ExprKind::Constant(path) = &e.kind {
            is_known &= eval::scalar::constant(path).is_some();
        }
    };
    for f in &block.functions {
        if let Some(Definition::Expr(body)) = &f.body {
            body.visit(&mut look);
        }
        f.comparisons.iter().flat_map(|c| [&c.left, &c.right]).for_each(|e| e.visit(&mut look));
    }
    is_known
}

/// One base, changed in one to three places; `None` where the compiler does not take it.
#[must_use]
pub fn program(bases: &[Base], rng: &mut Rng) -> Option<Base> {
    let Base { source, name } = &bases[rng.usize(..bases.len())];
    let mut block = wrapped(read(source)?);
    for _ in 0..[1, 1, 2, 3][rng.usize(..4)] {
        block = changed(&block, rng);
    }
    let source = print::block(&unwrapped(block));
    (accepted(&source) && is_known(&source)).then(|| Base { source, name: name.clone() })
}

fn changed(block: &Block, rng: &mut Rng) -> Block {
    let mut count = 0;
    walk(&mut block.clone(), &mut |_, _| count += 1);
    if count == 0 {
        return block.clone();
    }
    if rng.u8(..12) == 0 {
        return changes::signature(block, rng);
    }
    let (wanted, mut k) = (rng.usize(..count), 0);
    let found = proposals(block, |e, cx| {
        k += 1;
        if k - 1 == wanted { changes::of(e, cx) } else { vec![] }
    });
    if found.is_empty() {
        return block.clone();
    }
    let (at, e) = &found[rng.usize(..found.len())];
    replaced(block, *at, e)
}

/// A few sizes of a function at which its conditions hold and its arrays are small: one with a zero first, if there is one.
#[must_use]
pub fn sizes(source: &str, name: &str, rng: &mut Rng) -> Vec<Vec<i64>> {
    let Ok(tokens) = source.parse() else { return vec![] };
    let Ok(block) = analyze(tokens) else { return vec![] };
    let Some(f) = block.functions.iter().find(|f| f.name == name) else { return vec![] };
    let mut out: Vec<Vec<i64>> = vec![];
    for k in 0..40 {
        let sizes: Vec<i64> = f.sizes.iter().map(|_| rng.i64(if k < 10 { 0..2 } else { 0..6 })).collect();
        if holds(f, &sizes) && !out.contains(&sizes) {
            out.push(sizes);
        }
    }
    // The small ones are the edges, the others what is usual.
    let count = out.len();
    if count > 3 { vec![out[0].clone(), out[count - 2].clone(), out[count - 1].clone()] } else { out }
}

/// What no program here may cost at the sizes where it is judged.
const COST: u64 = 100_000;

/// Nor as many iterations as it is written, which may be many more.
const VISITS: u64 = 500_000;

/// The case at those of its sizes at which it is to be judged: it is cheap there, and its value and derivatives are numbers. (A logarithm of
/// what a change made negative says nothing of the compiler.)
#[must_use]
pub fn sound(case: Case) -> Case {
    let Ok((block, k)) = analyzed(&case) else { return case };
    let Some(f) = normalized(&block)[k].clone() else { return case };
    let all: Vec<usize> = (0..f.params.len()).collect();
    let jvp = ad::jvp(&f, &all);
    // What is zero by a bracket may be multiplied by an infinity that is written elsewhere.
    let through = |_: usize, _: &[i64], _: &[eval::Tensor]| Err("differentiates".to_string());
    let is_number = |sizes: &[i64]| {
        let args = Point::new(&f, sizes, case.seed).args;
        let run = |zero| eval::typed::run_with_zero(&block, k, sizes, &args, &through, (zero, VISITS));
        match run(0.0) {
            // NaN is not equal to itself; what a bracket leaves out has no sign, and neither has what is divided by it.
            Ok((value, _)) => run(-0.0).map_or(true, |(other, _)| value == other),
            // What does not run for another reason is a fault that the judge is to find.
            Err(e) => e != eval::ssa::TOO_LONG,
        }
    };
    let is_fit = |sizes: &Vec<i64>| {
        holds(&block.functions[k], sizes) && is_sound(&f, &jvp, sizes, case.seed) && is_number(sizes)
    };
    let sizes = case.sizes.iter().filter(|s| is_fit(s)).cloned().collect();
    Case { sizes, ..case }
}

fn is_sound(f: &Function, jvp: &Function, sizes: &[i64], seed: u64) -> bool {
    let at = Point::new(f, sizes, seed);
    let elements: usize = at.args.iter().map(|t| t.data.len()).sum();
    if elements > 4_000 {
        return false;
    }
    // What does not run is a fault that the judge is to find.
    let Ok((value, cost)) = eval::ssa::run(f, sizes, &at.args) else { return true };
    let is_large = |x: &f64| x.is_nan() || x.is_finite() && x.abs() > 1e4;
    if cost > COST || value.iter().flat_map(|t| &t.data).any(is_large) {
        return false;
    }
    let args = [at.args, at.tangents].concat();
    let is_number = |ts: &[eval::Tensor]| ts.iter().all(|t| t.data.iter().all(|x| x.is_finite()));
    eval::ssa::run(jvp, sizes, &args).map_or(true, |(found, _)| is_number(&found[value.len()..]))
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn constants_are_known_wherever_they_stand() {
        let f = |e: &str| is_known(&format!("fn f(x: f64) -> f64 {{ {e} }}"));
        assert!(f("x * PI") && f("if x >= PI { 0.0 } else { 1.0 }"));
        assert!(!f("x * D") && !f("if D >= 1 { 0.0 } else { 1.0 }") && !f("max(x, 1.0) + [x < D]"));
    }
}
