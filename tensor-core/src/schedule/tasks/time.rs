//! How long a loop takes, as a sum that is evaluated before it: a guess by which it is cut, or not.
//!
//! The unit is about a scalar operation; what runs in lanes takes an eighth. `for i in a..b { e }` takes `(b - a) * e`, where bounds inside that depend
//! on `i` are those of the middle of its range.

use crate::index::Affine;
use crate::loops::tasks::{Term, Time};
use crate::loops::walk::elements;
use crate::loops::{Bound, Leaf, Order, Program, Stmt};
use crate::schedule::cost;
use crate::ssa::Index;
use crate::weights;

/// See the module documentation. None if it is not plain, or never enough.
pub(super) fn time(p: &Program, s: &Stmt) -> Option<Time> {
    let time = block(p, std::slice::from_ref(s), false)?;
    (!time.terms.is_empty() || time.constant >= weights::threads::WORK).then_some(time)
}

fn block(p: &Program, stmts: &[Stmt], in_lanes: bool) -> Option<Time> {
    let (mut out, by) = (Time::default(), part(in_lanes));
    for (k, s) in stmts.iter().enumerate() {
        match s {
            Stmt::For { .. } => {
                let Time { constant, terms } = each(p, s, in_lanes)?;
                out.constant += constant;
                out.terms.extend(terms);
            }
            Stmt::If { body, otherwise, .. } => {
                for part in [body, otherwise] {
                    let Time { constant, terms } = block(p, part, in_lanes)?;
                    out.constant += constant + by;
                    out.terms.extend(terms);
                }
            }
            // What follows is counted where the index is known.
            Stmt::Leaf(Leaf::LetIndex { index, value }) if bounds_mention(&stmts[k + 1..], *index) => {
                plain(value)?;
                let inside = block(p, &stmts[k + 1..], in_lanes)?;
                out.terms.push(Term::Let { index: *index, value: value.clone(), inside });
                return Some(out);
            }
            Stmt::Leaf(l) => {
                let taken = cost::leaf(p, l, in_lanes, &cost::access);
                let each = by * taken.each;
                if taken.times.is_empty() {
                    out.constant += each;
                } else {
                    taken.times.iter().try_for_each(|n| plain(n))?;
                    let times = taken.times.into_iter().cloned().collect();
                    out.terms.push(Term::Elements { each, times });
                }
            }
        }
    }
    Some(out)
}

/// What something takes of a vector of lanes, or of itself.
fn part(in_lanes: bool) -> f64 {
    if in_lanes { 1.0 / weights::cost::VECTOR } else { 1.0 }
}

fn each(p: &Program, s: &Stmt, in_lanes: bool) -> Option<Time> {
    let Stmt::For { index, lower, upper, step, order, body, .. } = s else { return None };
    lower.iter().chain(upper).try_for_each(|b| plain(&b.num))?;
    let in_lanes = in_lanes || matches!(order, Order::Lanes { .. });
    let mut inside = block(p, body, in_lanes)?;
    inside.constant += weights::cost::ITERATION * part(in_lanes);
    #[allow(clippy::cast_precision_loss)]
    let step = step.as_ref().map_or(1.0, |s| s.1 as f64);
    if let (Some(n), true) = (length(lower, upper), inside.terms.is_empty()) {
        return Some(Time { constant: n / step * inside.constant, terms: vec![] });
    }
    inside.constant /= step;
    let middle = bounds_mention(body, *index).then_some(*index);
    let term = Term::Loop { lower: lower.clone(), upper: upper.clone(), middle, inside };
    Some(Time { constant: 0.0, terms: vec![term] })
}

/// Elements of index arrays may not be known before the loop.
fn plain(a: &Affine) -> Option<()> {
    let mut found = vec![];
    elements(a, &mut found);
    found.is_empty().then_some(())
}

/// The length of a range, if it is the same for all sizes.
#[allow(clippy::cast_precision_loss)]
fn length(lower: &[Bound], upper: &[Bound]) -> Option<f64> {
    let ([low], [high]) = (lower, upper) else { return None };
    let length = high.num.minus(&low.num)?.as_constant()?;
    (low.den == 1 && high.den == 1).then(|| (length + 1).max(0) as f64)
}

/// Whether the ranges of loops depend on an index.
fn bounds_mention(stmts: &[Stmt], i: Index) -> bool {
    stmts.iter().enumerate().any(|(k, s)| match s {
        Stmt::For { lower, upper, body, .. } => {
            let fixed = length(lower, upper).is_some();
            !fixed && lower.iter().chain(upper).any(|b| b.num.mentions(&i.atom())) || bounds_mention(body, i)
        }
        Stmt::If { body, otherwise, .. } => bounds_mention(body, i) || bounds_mention(otherwise, i),
        Stmt::Leaf(Leaf::LetIndex { index, value }) => {
            value.mentions(&i.atom()) && bounds_mention(&stmts[k + 1..], *index)
        }
        Stmt::Leaf(_) => false,
    })
}
