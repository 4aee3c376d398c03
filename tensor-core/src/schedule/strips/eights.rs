//! Eight vectors that are stored to places next to each other, or read from there: at once, with one check, and across by shuffles.

use crate::loops::captures::Captures;
use crate::loops::stride::Stride;
use crate::loops::strips::{Across, Eight};
use crate::loops::{Place, Program, Stmt, VarId};
use crate::ssa::Index;

/// Those in the body of a vectorized loop.
pub(super) fn all(p: &Program, lane: Index, c: &Captures, body: &[Stmt]) -> Vec<Eight> {
    let (mut out, mut at) = (vec![], 0);
    while let Some(stmts) = body.get(at..at + Eight::COUNT) {
        if let Some((dimension, across)) = across(p, lane, c, stmts) {
            out.push(Eight { at, dimension, across });
            at += Eight::COUNT;
        } else {
            at += 1;
        }
    }
    out
}

/// Along which dimension eight statements go on, and what is next to each other in memory.
fn across(p: &Program, lane: Index, c: &Captures, stmts: &[Stmt]) -> Option<(usize, Across)> {
    let all: Vec<(VarId, &Place, bool)> = stmts.iter().map(Eight::moved).collect::<Option<_>>()?;
    let (_, first, reads) = all[0];
    let is_array = !first.at.is_empty() && !c.is_own(p, lane, first.var);
    if !is_array || all.iter().any(|m| m.2 != reads) {
        return None;
    }
    let dimension = dimension(&all)?;
    let is_row = dimension + 1 == first.at.len() && goes_on(first, lane);
    let may_store = || all.iter().all(|m| c.is_own(p, lane, m.0)) && !c.totals.contains_key(&first.var);
    match (reads, first.stride(&lane.atom())) {
        (true, Stride::Far) if is_row => Some((dimension, Across::Read)),
        (false, Stride::Far) if is_row && may_store() => Some((dimension, Across::Stored)),
        (false, Stride::One) if may_store() => Some((dimension, Across::Along)),
        _ => None,
    }
}

/// Whether a place does not go back with the lanes.
fn goes_on(p: &Place, lane: Index) -> bool {
    p.at.iter().all(|a| a.coeff(&lane.atom()) >= 0)
}

/// The one dimension along which each place is one element further than the one before.
fn dimension(all: &[(VarId, &Place, bool)]) -> Option<usize> {
    let first = all[0].1;
    let d = (0..first.at.len()).find(|d| all[1].1.at.get(*d) != first.at.get(*d))?;
    let further = |k: usize| {
        let mut at = first.at.clone();
        at[d] = at[d].plus_constant(i64::try_from(k).ok()?)?;
        Some(Place { at, ..first.clone() })
    };
    (0..all.len()).all(|k| further(k).as_ref() == Some(all[k].1)).then_some(d)
}
