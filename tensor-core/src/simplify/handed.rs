//! Dimensions that the members of a recurrence only hand on go.
//!
//! ```text
//! Y[t, g] = [0 < t] a Y[t - 1, g] + x[t]; … Y[s, h]   →   Y'[t] = [0 < t] a Y'[t - 1] + x[t]; … Y'[s]
//! ```
//!
//! A recurrence is translated with all indices around it, and where its value is read element by element, as the scan of `for i { scan … }`, the place of the
//! element is one of them. So all would be computed for each element of it. A dimension goes from all members that hand it on to each other, or from none.

use super::State;
use super::storage::not_empty;
use crate::classes::classes;
use crate::index::Affine;
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::rename::indices_of;
use crate::ssa::{Access, ArrayId, ArrayKind, Function, Index, Stmt};
use std::ops::Range;

/// A dimension of an array.
type Dim = (ArrayId, usize);
type Dims = Set<Dim>;

/// See the module documentation. Whether there were any.
pub(super) fn handed_on(s: &mut State) -> bool {
    if !s.f.stmts.iter().any(Stmt::is_member) {
        return false;
    }
    let mut all = Dims::new();
    let whole = s.f.stmts.iter().filter_map(Stmt::call).flat_map(|c| &c.args).map(|a| a.access.array);
    let fixed: Set<ArrayId> = whole.chain(s.f.results.iter().copied()).collect();
    for unit in s.f.units() {
        if s.f.stmts[unit.start].is_member() {
            all.extend(of_unit(&s.f, unit, &fixed));
        }
    }
    if all.is_empty() {
        return false;
    }
    mark::hit(Mark::StepsHandOn);
    drop_all(s, &all);
    true
}

/// The dimensions that the members of one recurrence only hand on: classes of what bare reads join, of which no member needs one.
fn of_unit(f: &Function, unit: Range<usize>, fixed: &Set<ArrayId>) -> Dims {
    let members = &f.stmts[unit];
    let free = members.iter().filter(|s| !fixed.contains(&s.array));
    let all: Dims = free.flat_map(|s| dims(f, s)).collect();
    let mut pairs: Vec<(Dim, Dim)> = all.iter().map(|d| (*d, *d)).collect();
    let mut needed: Vec<Dim> = vec![];
    for s in members {
        reads(f, s, &all, &mut pairs, &mut needed);
    }
    let needed: Dims = needed.into_iter().collect();
    classes(&pairs).into_iter().filter(|c| !c.iter().any(|d| needed.contains(d))).flatten().collect()
}

/// Those that may go: no times, and none of an array of indices.
fn dims(f: &Function, s: &Stmt) -> Vec<Dim> {
    let times = s.step.as_ref().map_or(&[][..], |step| &step.times);
    let is_real = f.array(s.array).kind == ArrayKind::Real;
    let may_go = |k: &usize| is_real && !times.contains(&s.gens[*k]);
    (0..s.around().len()).filter(may_go).map(|k| (s.array, k)).collect()
}

/// Which of these dimensions a member reads by one of its own, and which it needs: by which it reads at another place, or that it mentions anywhere else.
fn reads(f: &Function, s: &Stmt, all: &Dims, pairs: &mut Vec<(Dim, Dim)>, needed: &mut Vec<Dim>) {
    let mut mentioned: Map<Index, usize> = Map::new();
    for i in s.rhs.affines().into_iter().flat_map(indices_of) {
        *mentioned.entry(i).or_default() += 1;
    }
    f.each_read(s, &mut |_, a| {
        for (d, e) in a.at.iter().enumerate().filter(|(d, _)| all.contains(&(a.array, *d))) {
            let extent = &f.array(a.array).extents[d];
            let is_own = |k: &usize| s.gens[*k].affine() == *e && f.array(s.array).extents[*k] == *extent;
            match (0..s.gens.len()).find(is_own).filter(|k| all.contains(&(s.array, *k))) {
                Some(k) => {
                    pairs.push(((a.array, d), (s.array, k)));
                    mentioned.get_mut(&s.gens[k]).into_iter().for_each(|n| *n = n.saturating_sub(1));
                }
                None => needed.push((a.array, d)),
            }
        }
    });
    let own = (0..s.gens.len()).filter(|k| mentioned.get(&s.gens[*k]).is_some_and(|n| *n > 0));
    needed.extend(own.map(|k| (s.array, k)));
}

/// Drops dimensions of arrays: where there is none of them nothing is computed.
fn drop_all(s: &mut State, all: &Dims) {
    let is_kept = |x: ArrayId, d: usize| !all.contains(&(x, d));
    let arrays: Set<ArrayId> = all.iter().map(|d| d.0).collect();
    let smaller = |a: &Access| {
        let at = a.at.iter().enumerate().filter(|(d, _)| is_kept(a.array, *d)).map(|(_, e)| e.clone());
        arrays.contains(&a.array).then(|| Access { array: a.array, at: at.collect() })
    };
    for mut stmt in std::mem::take(&mut s.f.stmts) {
        if arrays.contains(&stmt.array) {
            let extents = &s.f.array(stmt.array).extents;
            let gone = (0..extents.len()).filter(|d| !is_kept(stmt.array, *d));
            let some: Vec<_> = gone.filter_map(|d| not_empty(&extents[d])).collect();
            stmt.rhs.guards_mut().into_iter().for_each(|p| drop(p.splice(0..0, some.iter().cloned())));
            let kept = stmt.gens.iter().enumerate().filter(|(d, _)| is_kept(stmt.array, *d));
            stmt.gens = kept.map(|(_, g)| *g).collect();
        }
        for a in stmt.rhs.accesses_mut() {
            *a = smaller(a).unwrap_or_else(|| a.clone());
        }
        for c in stmt.rhs.guards_mut().into_iter().flatten() {
            *c = s.f.map_compared(c, &smaller);
        }
        s.f.stmts.push(stmt);
    }
    for x in arrays {
        let extents = &mut s.f.arrays[x.0 as usize].extents;
        let kept = std::mem::take(extents).into_iter().enumerate().filter(|(d, _)| is_kept(x, *d));
        *extents = kept.map(|(_, e)| e).collect::<Vec<Affine>>();
    }
    s.done = Map::new();
    s.narrowed = Map::new();
}
