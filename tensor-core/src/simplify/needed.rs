//! Conditions on sizes that hold wherever a statement is read.
//!
//! `r = [0 < n] 1 / s; X[i < n] = Y[i] · r` is `r = 1 / s; …`: where n is 0 nothing reads r. A derivative asks this of every number that stands
//! before a sum, since a sum of nothing has no influence. It saves an operation where n is 0; who reads the program is better off without.

use super::State;
use super::ask::{self, Known};
use crate::index::{Atom, Cond, Pred};
use crate::sorted::Map;
use crate::ssa::rename::{Read, cond_indices};
use crate::ssa::{ArrayId, Rhs, Stmt};

/// Drops them from guards of numbers; whether there were any.
pub(super) fn needed(s: &mut State) -> bool {
    let mut all: Pred = vec![];
    let candidates = s.f.stmts.iter().filter(|s| is_number(s)).flat_map(|s| s.rhs.guards());
    for c in candidates.flatten().filter(|c| is_of_sizes(c)) {
        if !all.contains(c) {
            all.push(c.clone());
        }
    }
    if all.is_empty() {
        return false;
    }
    let mut holds: Map<ArrayId, Pred> = s.f.stmts.iter().map(|s| (s.array, all.clone())).collect();
    for r in &s.f.results {
        holds.insert(*r, vec![]);
    }
    for stmt in s.f.stmts.iter().rev() {
        let own = holds.get(&stmt.array).cloned().unwrap_or_default();
        let given = ask::known(s, &stmt.gens, &s.f.array(stmt.array).extents).and(&own);
        narrow(s, stmt, &given, &mut holds);
    }
    let mut changed = false;
    for stmt in s.f.stmts.iter_mut().filter(|s| is_number(s)) {
        let Some(known) = holds.get(&stmt.array) else { continue };
        for guard in stmt.rhs.guards_mut() {
            let before = guard.len();
            guard.retain(|c| !known.contains(c));
            changed |= guard.len() != before;
        }
    }
    changed
}

/// Of what may hold at every read, what holds at those of this statement.
fn narrow(s: &State, stmt: &Stmt, given: &Known, holds: &mut Map<ArrayId, Pred>) {
    let mut reads: Vec<(Read, ArrayId)> = vec![];
    stmt.rhs.reads(&s.f, &mut |how, array| reads.push((how, array)));
    let guards = stmt.rhs.guards();
    for (how, array) in reads {
        let Some(open) = holds.get_mut(&array).filter(|open| !open.is_empty()) else { continue };
        let guard = match how {
            Read::Factor(k) => guards.get(k),
            Read::Argument | Read::Whole => guards.first(),
            // In the guard itself.
            Read::Compared | Read::Element => None,
        };
        let here = guard.map_or_else(|| given.clone(), |p| given.and(p));
        open.retain(|c| here.entails(std::slice::from_ref(c)));
    }
}

/// A number that takes one operation or a few, of numbers: to read an element of an array may need the condition.
fn is_number(s: &Stmt) -> bool {
    s.gens.is_empty()
        && s.rhs.accesses().iter().all(|(_, a)| a.at.is_empty())
        && !s.rhs.guards().into_iter().flatten().any(reads_elements)
        && match &s.rhs {
            Rhs::Contract(terms) => terms.iter().all(|t| t.sums.is_empty()),
            Rhs::Prim { .. } => true,
            Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => false,
            Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => false,
        }
}

fn reads_elements(c: &Cond) -> bool {
    match c {
        Cond::Opaque { args, .. } => !args.is_empty(),
        Cond::Any(ps) => ps.iter().flatten().any(reads_elements),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            c.any_atom(&|t| matches!(t, Atom::Element(..)))
        }
    }
}

fn is_of_sizes(c: &Cond) -> bool {
    c.is_affine() && cond_indices(c).next().is_none()
}
