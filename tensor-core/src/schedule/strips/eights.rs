//! Eight vectors that are stored to places next to each other, or read from there: at once, with one check, and across by shuffles.

use crate::loops::captures::Captures;
use crate::loops::strips::{Across, Eight};
use crate::loops::{Expr, Leaf, Place, Program, Stmt};
use crate::schedule::vectorize::{Stride, stride};
use crate::ssa::Index;

/// Those in the body of a vectorized loop.
pub(super) fn all(p: &Program, lane: Index, c: &Captures, body: &[Stmt]) -> Vec<Eight> {
    let (mut out, mut at) = (vec![], 0);
    while let Some(stmts) = body.get(at..at + Eight::COUNT) {
        let found = read(p, lane, c, stmts).or_else(|| stored(p, lane, c, stmts));
        if let Some((dimension, across)) = found {
            out.push(Eight { at, dimension, across });
            at += Eight::COUNT;
        } else {
            at += 1;
        }
    }
    out
}

/// Eight elements for each lane, next to each other in memory.
fn read(p: &Program, lane: Index, c: &Captures, stmts: &[Stmt]) -> Option<(usize, Across)> {
    let declared = |s: &Stmt| match s {
        Stmt::Leaf(Leaf::Declare { value: Expr::Read(from), .. }) => Some(from.clone()),
        _ => None,
    };
    let all: Vec<Place> = stmts.iter().map(declared).collect::<Option<_>>()?;
    let first = &all[0];
    let is_array = !first.at.is_empty() && !c.is_own(p, lane, first.var);
    let dimension = if is_array { dimension(&all)? } else { return None };
    let is_row = dimension + 1 == first.at.len();
    (is_row && stride(first, &lane.atom()) == Stride::Far && goes_on(first, lane))
        .then_some((dimension, Across::Read))
}

fn stored(p: &Program, lane: Index, c: &Captures, stmts: &[Stmt]) -> Option<(usize, Across)> {
    let assigned = |s: &Stmt| match s {
        Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(from) })
            if from.at.is_empty() && c.is_own(p, lane, from.var) =>
        {
            Some(target.clone())
        }
        _ => None,
    };
    let all: Vec<Place> = stmts.iter().map(assigned).collect::<Option<_>>()?;
    let first = &all[0];
    if first.at.is_empty() || c.is_own(p, lane, first.var) || c.totals.contains_key(&first.var) {
        return None;
    }
    let dimension = dimension(&all)?;
    match stride(first, &lane.atom()) {
        Stride::One => Some((dimension, Across::Along)),
        Stride::Far if dimension + 1 == first.at.len() && goes_on(first, lane) => {
            Some((dimension, Across::Stored))
        }
        Stride::Far | Stride::None | Stride::Back => None,
    }
}

/// Whether a place does not go back with the lanes.
fn goes_on(p: &Place, lane: Index) -> bool {
    p.at.iter().all(|a| a.coeff(&lane.atom()) >= 0)
}

/// The one dimension along which each place is one element further than the one before.
fn dimension(all: &[Place]) -> Option<usize> {
    let first = &all[0];
    let d = (0..first.at.len()).find(|d| all[1].at.get(*d) != first.at.get(*d))?;
    let further = |k: usize| {
        let mut at = first.at.clone();
        at[d] = at[d].plus_constant(i64::try_from(k).ok()?)?;
        Some(Place { at, ..first.clone() })
    };
    (0..all.len()).all(|k| further(k).as_ref() == Some(&all[k])).then_some(d)
}
