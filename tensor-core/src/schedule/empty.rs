//! Loops around loops that may be empty: a range that nothing depends on inside is looked at before, not as often as the loops around it run.

use super::Options;
use crate::index::affine::floor;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::{Bound, Leaf, Order, Program, Stmt, Test};
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::ssa::Index;

/// Each outermost loop that does nothing where the ranges inside are empty, behind a test of that.
pub(super) fn empty(mut p: Program, _: &Options) -> Program {
    p.body = block(std::mem::take(&mut p.body));
    p
}

fn block(stmts: Vec<Stmt>) -> Vec<Stmt> {
    stmts.into_iter().map(stmt).collect()
}

fn stmt(s: Stmt) -> Stmt {
    match s {
        Stmt::For { index, lower, upper, step, order, tasks, rows, body }
            if !matches!(order, Order::Lanes { .. }) =>
        {
            let tests = happens(&body, &[index].into_iter().collect());
            let body = if tests.is_none() { block(body) } else { body };
            // Its own range says so by itself.
            let own = nonempty(&lower, &upper, &Set::new()).unwrap_or_default();
            let tests: Vec<Test> = tests.into_iter().flatten().filter(|t| !own.contains(t)).collect();
            let all = Stmt::For { index, lower, upper, step, order, tasks, rows, body };
            if tests.is_empty() {
                return all;
            }
            mark::hit(Mark::EmptyTested);
            Stmt::If { tests, body: vec![all], otherwise: vec![] }
        }
        Stmt::If { tests, body, otherwise } => {
            Stmt::If { tests, body: block(body), otherwise: block(otherwise) }
        }
        Stmt::For { .. } | Stmt::Leaf(_) => s,
    }
}

/// What holds if anything happens where the indices in `bound` run; `None` where that is not known, or needs no loop.
fn happens(stmts: &[Stmt], bound: &Set<Index>) -> Option<Vec<Test>> {
    let mut bound = bound.clone();
    let mut any: Vec<Vec<Test>> = vec![];
    for s in stmts {
        match s {
            Stmt::For { index, lower, upper, body, .. } => {
                let own = nonempty(lower, upper, &bound);
                let mut within = bound.clone();
                within.insert(*index);
                let inner = happens(body, &within);
                if own.is_none() && inner.is_none() {
                    return None;
                }
                any.push([own, inner].into_iter().flatten().flatten().collect());
            }
            Stmt::If { body, otherwise, .. } => {
                for branch in [body, otherwise].into_iter().filter(|b| !b.is_empty()) {
                    any.push(happens(branch, &bound)?);
                }
            }
            // Of use to what follows alone.
            Stmt::Leaf(Leaf::LetIndex { index, .. }) => {
                bound.insert(*index);
            }
            Stmt::Leaf(leaf) if leaf.is_let() => {}
            Stmt::Leaf(_) => return None,
        }
    }
    if any.iter().any(Vec::is_empty) {
        return Some(vec![]);
    }
    any.dedup();
    match any.len() {
        0 | 1 => any.pop(),
        _ => Some(vec![Test::Any(any)]),
    }
}

/// Whether the bounds that depend on no index inside leave anything; `None` where that says nothing.
fn nonempty(lower: &[Bound], upper: &[Bound], bound: &Set<Index>) -> Option<Vec<Test>> {
    let mut out = vec![];
    for low in lower.iter().filter(|b| is_free(&b.num, bound)) {
        let first = floor(&low.num.plus_constant(low.den - 1)?, low.den)?;
        for high in upper.iter().filter(|b| is_free(&b.num, bound)) {
            let more = floor(&high.num, high.den)?.minus(&first)?;
            out.extend(not_negative(&more).into_iter().flatten().map(Test::Index));
        }
    }
    (!out.is_empty()).then_some(out)
}

/// That a form is not negative, where it may be. A product of sizes is not zero where none of them is, so that no number in a test is greater than these;
/// of other products nothing is said.
fn not_negative(a: &Affine) -> Option<Pred> {
    if !a.any_atom(&Atom::is_product) {
        return Some(if a.as_constant().is_some_and(|k| k >= 0) {
            vec![]
        } else {
            vec![Cond::NonNeg(a.clone())]
        });
    }
    match a.plus_constant(1)?.as_atom()? {
        Atom::Product(factors) if factors.iter().all(|f| matches!(f, Atom::Size(_))) => {
            Some(factors.iter().map(|f| Cond::NonNeg(Affine::from(f.clone()).step(-1))).collect())
        }
        _ => None,
    }
}

/// Whether a form is known outside, and reads no array.
fn is_free(a: &Affine, bound: &Set<Index>) -> bool {
    fn one(atom: &Atom, bound: &Set<Index>) -> bool {
        match atom {
            Atom::Size(_) => true,
            Atom::Index(i) => !bound.contains(&Index(*i)),
            Atom::Floor(a, _) => is_free(a, bound),
            Atom::Product(factors) => factors.iter().all(|f| one(f, bound)),
            Atom::Element(..) => false,
        }
    }
    a.terms.iter().all(|(atom, _)| one(atom, bound))
}
