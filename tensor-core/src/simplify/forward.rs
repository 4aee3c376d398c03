//! Each statement after those that it reads: what they have become is put in at once, so that a fact goes all the way in one round.

use super::{State, fold, normal_form, view};
use crate::sorted::{Map, Set};
use crate::ssa::rename::Read;
use crate::ssa::{ArrayId, Function, Rhs, Stmt};
use crate::tally::{self, Tally};
use crate::weights;

/// Which statement defines each array, and how often each is read; results count.
#[derive(Default)]
pub(super) struct Known {
    /// By array: the place of its statement, if that is no member of a recurrence.
    pub(super) at: Map<ArrayId, usize>,
    /// Likewise, of members of recurrences.
    pub(super) members: Map<ArrayId, usize>,
    /// By array: its reads.
    pub(super) uses: Map<ArrayId, usize>,
}

impl Known {
    /// Of all statements.
    pub(super) fn of(s: &State) -> Known {
        let of = |member: bool| {
            let all = s.f.stmts.iter().enumerate().filter(move |(_, s)| s.is_member() == member);
            all.map(|(k, s)| (s.array, k)).collect()
        };
        let mut known = Known { at: of(false), members: of(true), uses: Map::new() };
        s.f.stmts.iter().for_each(|stmt| known.count(&reads(&s.f, &stmt.rhs)));
        s.f.results.iter().for_each(|r| known.count(&[*r, *r]));
        known
    }

    fn count(&mut self, reads: &[ArrayId]) {
        reads.iter().for_each(|a| *self.uses.entry(*a).or_default() += 1);
    }

    fn forget(&mut self, reads: &[ArrayId]) {
        for a in reads {
            if let Some(uses) = self.uses.get_mut(a) {
                *uses = uses.saturating_sub(1);
            }
        }
    }
}

/// The arrays that a right-hand side reads, as often as it does.
fn reads(f: &Function, rhs: &Rhs) -> Vec<ArrayId> {
    let mut out = vec![];
    rhs.reads(f, &mut |how, array| match how {
        Read::Factor(_) | Read::Argument | Read::Whole | Read::Compared | Read::Element => out.push(array),
    });
    out
}

/// Every statement by itself, in their order. Returns whether anything changed.
pub(super) fn in_order(s: &mut State) -> bool {
    let mut known = Known::of(s);
    let mut changed = false;
    for k in 0..s.f.stmts.len() {
        changed |= settle(s, k, &mut known);
    }
    s.put_literals_first();
    changed
}

/// One statement, those that it reads being settled: its normal form, with views put in, and folded, until nothing changes.
fn settle(s: &mut State, k: usize, known: &mut Known) -> bool {
    // A member of a recurrence may be read before it stands.
    if s.f.stmts[k].is_member() {
        return normal_form(s, k);
    }
    let mut look = |s: &mut State| {
        tally::add(Tally::Visits, 1);
        let before = reads(&s.f, &s.f.stmts[k].rhs);
        let changed = normal_form(s, k) | view::views(s, k, known) | fold::fold(s, k, known);
        if changed {
            known.forget(&before);
            known.count(&reads(&s.f, &s.f.stmts[k].rhs));
        }
        changed
    };
    (0..weights::simplify::LOOKS).take_while(|_| look(s)).count() > 0
}

/// A pass over all statements in their order that makes two of one. Who reads what was split is settled first, and may be split in turn.
pub(super) fn splits(s: &mut State, split: impl Fn(&mut State, &Stmt) -> Option<[Stmt; 2]>) -> bool {
    let mut known = Known::of(s);
    let stmts = std::mem::take(&mut s.f.stmts);
    known.at = Map::new();
    known.members = Map::new();
    let mut parted: Set<ArrayId> = Set::new();
    for stmt in stmts {
        let k = s.f.stmts.len();
        let reads_parted = reads(&s.f, &stmt.rhs).iter().any(|a| parted.contains(a));
        s.f.stmts.push(stmt);
        if reads_parted {
            settle(s, k, &mut known);
        }
        let stmt = s.f.stmts[k].clone();
        if let Some(two) = if stmt.is_member() { None } else { split(s, &stmt) } {
            parted.insert(stmt.array);
            known.forget(&reads(&s.f, &stmt.rhs));
            two.iter().for_each(|part| known.count(&reads(&s.f, &part.rhs)));
            s.f.stmts.splice(k.., two);
        }
        let new =
            s.f.stmts.iter().enumerate().skip(k).filter(|(_, s)| !s.is_member()).map(|(k, s)| (s.array, k));
        known.at.extend(new);
    }
    s.put_literals_first();
    !parted.is_empty()
}
