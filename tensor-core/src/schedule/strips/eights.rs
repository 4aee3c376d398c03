//! Eight vectors that are stored to places next to each other, or read from there: at once, with one check, and across by shuffles.

use crate::loops::captures::Captures;
use crate::loops::{Expr, Leaf, Place, Program, Stmt, VarId};
use crate::schedule::vectorize::{Stride, stride};
use crate::ssa::Index;

/// How many.
pub(crate) const EIGHT: usize = 8;

/// Eight locals, and the first of the places that they are read from or stored to.
pub(crate) struct Eight<'a> {
    pub locals: Vec<VarId>,
    pub first: &'a Place,
    /// Along which dimension the places are next to each other.
    pub dimension: usize,
    pub is_stored: bool,
    /// Whether lanes are next to each other, and not the eight places of each.
    pub along: bool,
}

/// Whether such stores or reads are among statements.
pub(super) fn any(p: &Program, lane: Index, c: &Captures, stmts: &[Stmt]) -> bool {
    (0..stmts.len()).any(|k| eight(p, lane, c, &stmts[k..]).is_some())
}

/// The first eight statements in the body of a vectorized loop, if they assign or declare eight locals, each one element further along one dimension.
pub(crate) fn eight<'a>(p: &Program, lane: Index, c: &Captures, stmts: &'a [Stmt]) -> Option<Eight<'a>> {
    let all = stmts.get(..EIGHT)?;
    read(p, lane, c, all).or_else(|| stored(p, lane, c, all))
}

/// Eight elements for each lane, next to each other in memory.
fn read<'a>(p: &Program, lane: Index, c: &Captures, stmts: &'a [Stmt]) -> Option<Eight<'a>> {
    let declared = |s: &'a Stmt| match s {
        Stmt::Leaf(Leaf::Declare { var, value: Expr::Read(from) }) => Some((from, *var)),
        _ => None,
    };
    let all: Vec<(&Place, VarId)> = stmts.iter().map(declared).collect::<Option<_>>()?;
    let first = all[0].0;
    let is_array = !first.at.is_empty() && !c.is_own(p, lane, first.var);
    let dimension = if is_array { dimension(&all)? } else { return None };
    let is_row = dimension + 1 == first.at.len();
    (is_row && stride(first, &lane.atom()) == Stride::Far && goes_on(first, lane)).then(|| Eight {
        locals: all.iter().map(|(_, v)| *v).collect(),
        first,
        dimension,
        is_stored: false,
        along: false,
    })
}

fn stored<'a>(p: &Program, lane: Index, c: &Captures, stmts: &'a [Stmt]) -> Option<Eight<'a>> {
    let assigned = |s: &'a Stmt| match s {
        Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(from) })
            if from.at.is_empty() && c.is_own(p, lane, from.var) =>
        {
            Some((target, from.var))
        }
        _ => None,
    };
    let all: Vec<(&Place, VarId)> = stmts.iter().map(assigned).collect::<Option<_>>()?;
    let first = all[0].0;
    if first.at.is_empty() || c.is_own(p, lane, first.var) || c.totals.contains_key(&first.var) {
        return None;
    }
    let dimension = dimension(&all)?;
    let along = match stride(first, &lane.atom()) {
        Stride::One => true,
        Stride::Far if dimension + 1 == first.at.len() && goes_on(first, lane) => false,
        Stride::Far | Stride::None | Stride::Back => return None,
    };
    let locals = all.iter().map(|(_, v)| *v).collect();
    Some(Eight { locals, first, dimension, is_stored: true, along })
}

/// Whether a place does not go back with the lanes.
fn goes_on(p: &Place, lane: Index) -> bool {
    p.at.iter().all(|a| a.coeff(&lane.atom()) >= 0)
}

/// The one dimension along which each place is one element further than the one before.
fn dimension(all: &[(&Place, VarId)]) -> Option<usize> {
    let first = all[0].0;
    let d = (0..first.at.len()).find(|d| all[1].0.at.get(*d) != first.at.get(*d))?;
    let further = |k: usize| {
        let mut at = first.at.clone();
        at[d] = at[d].plus_constant(i64::try_from(k).ok()?)?;
        Some(Place { at, ..first.clone() })
    };
    (0..all.len()).all(|k| further(k).as_ref() == Some(all[k].0)).then_some(d)
}
