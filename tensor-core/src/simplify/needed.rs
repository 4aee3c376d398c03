//! Conditions on sizes that hold wherever a statement is read.
//!
//! ```text
//! r = sin(a),  read where 0 < n alone    ↦    r = [0 < n] sin(a)
//! ```
//!
//! What does not depend on an index stands before the loops that read it. Where these are empty it would be computed for nothing, and a
//! derivative would cost something where its function costs nothing. Who reads the program is better off without: [`forget`].

use super::State;
use super::ask;
use super::storage::reads_in_range;
use super::view::as_view;
use crate::ad::support::{project, ranges, union};
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::rename::Read;
use crate::ssa::{Access, ArrayId, Index, Rhs, Stmt};
use crate::weights;

/// Where an array is read: under one of these. (None: nowhere.)
type Region = Vec<Pred>;

/// Narrows what has no indices to where it is read; whether there was any.
pub(super) fn narrow(s: &mut State) -> bool {
    let mut changed = false;
    let mut regions = at_results(s);
    for k in (0..s.f.stmts.len()).rev() {
        let stmt = s.f.stmts[k].clone();
        if let Some(rhs) = narrowed(s, &stmt, regions.remove(&stmt.array)) {
            s.f.stmts[k].rhs = rhs;
            changed = true;
        }
        read(s, &s.f.stmts[k], &mut regions);
    }
    changed
}

/// `x · r` where `r = [p] sin(a)` is `[p] x · r`: x is read there only. So it is where r is put in; but between the two a `stop` may have stood.
pub(super) fn factors(s: &mut State) {
    let mut supports: Map<ArrayId, Pred> = Map::new();
    for k in 0..s.f.stmts.len() {
        let Stmt { array, gens, rhs, .. } = s.f.stmts[k].clone();
        let mine = |guards: &[&Pred]| {
            let support = of_sizes(guards);
            (gens.is_empty() && !support.is_empty()).then_some((array, support))
        };
        let mut terms = match rhs {
            Rhs::Contract(terms) => terms,
            Rhs::Prim { guard, .. } => {
                supports.extend(mine(&[&guard]));
                continue;
            }
            // Of nothing it is no zero.
            Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => continue,
            Rhs::Call(_) | Rhs::OfIndex(_) | Rhs::Constant(_) => continue,
        };
        let mut known = None;
        for t in &mut terms {
            let own: Vec<&Pred> = t.factors.iter().filter_map(|a| supports.get(&a.array)).collect();
            for c in own.into_iter().flatten() {
                let known = known.get_or_insert_with(|| ask::known(s, &gens, &s.f.array(array).extents));
                if !t.guard.contains(c) && !known.and(&t.guard).entails(std::slice::from_ref(c)) {
                    mark::hit(Mark::SizesOfFactors);
                    t.guard.insert(0, c.clone());
                }
            }
        }
        supports.extend(mine(&terms.iter().map(|t| &t.guard).collect::<Vec<_>>()));
        s.f.stmts[k].rhs = Rhs::Contract(terms);
    }
}

/// The conditions on sizes that all guards have.
fn of_sizes(guards: &[&Pred]) -> Pred {
    let Some((first, rest)) = guards.split_first() else { return vec![] };
    let is_common = |c: &&Cond| c.is_of_sizes() && rest.iter().all(|p| p.contains(c));
    first.iter().filter(is_common).cloned().collect()
}

/// Drops what holds wherever a statement is read from the guards of statements without indices; whether there was any.
pub(super) fn forget(s: &mut State) -> bool {
    let mut changed = false;
    let mut regions = at_results(s);
    for k in (0..s.f.stmts.len()).rev() {
        let stmt = s.f.stmts[k].clone();
        read(s, &stmt, &mut regions);
        let Some(region) = regions.remove(&stmt.array).filter(|_| stmt.gens.is_empty()) else { continue };
        let Some(holds) = union(&s.f, region, &s.f.assumptions) else { continue };
        let known = ask::known(s, &[], &[]).and(&holds.pred);
        let mut rhs = stmt.rhs.clone();
        for guard in rhs.guards_mut() {
            guard.retain(|c| !(c.is_of_sizes() && known.entails(std::slice::from_ref(c))));
        }
        if rhs != stmt.rhs && is_in_range(s, &rhs) {
            s.f.stmts[k].rhs = rhs;
            changed = true;
        }
    }
    changed
}

fn at_results(s: &State) -> Map<ArrayId, Region> {
    s.f.results.iter().map(|r| (*r, vec![vec![]])).collect()
}

/// A right-hand side under what is known of all of its reads; `None` if that adds nothing.
fn narrowed(s: &State, stmt: &Stmt, region: Option<Region>) -> Option<Rhs> {
    let is_free = match &stmt.rhs {
        Rhs::Contract(terms) => {
            terms.is_empty() || as_view(stmt).is_some_and(|t| t.coeff.abs() == 1.0 || t.factors.is_empty())
        }
        Rhs::Prim { .. } | Rhs::Extreme { .. } => false,
        // With other guards the results of a call would be those of several.
        Rhs::Call(call) => {
            let is_with = |t: &Stmt| {
                t.call().is_some_and(|c| c.part != call.part && c.is_with(&t.gens, call, &stmt.gens))
            };
            s.f.stmts.iter().any(is_with)
        }
        Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => true,
    };
    if is_free || !stmt.gens.is_empty() {
        return None;
    }
    let region = region.unwrap_or_default();
    let holds = if region.is_empty() {
        vec![Cond::NonNeg(Affine::from(-1))]
    } else {
        // Elsewhere it is zero.
        let given = [s.f.assumptions.as_slice(), &of_sizes(&stmt.rhs.guards())].concat();
        union(&s.f, region, &given)?.pred
    };
    let known = ask::known(s, &[], &[]);
    let mut rhs = stmt.rhs.clone();
    for guard in rhs.guards_mut() {
        // What it says of elements may say something of sizes, but not to what it reads.
        let here = known.and(&guard.iter().filter(|c| c.is_total()).cloned().collect::<Pred>());
        let new: Pred = holds.iter().filter(|c| !here.entails(std::slice::from_ref(c))).cloned().collect();
        guard.splice(0..0, new);
    }
    (rhs != stmt.rhs).then_some(rhs)
}

/// Where a statement reads a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// For any sizes.
    Anywhere,
    /// Where this guard holds.
    Under(usize),
    /// A comparison of this guard, which asks it behind the conditions that read nothing.
    By(usize),
}

/// Adds where a statement reads others.
fn read(s: &State, stmt: &Stmt, regions: &mut Map<ArrayId, Region>) {
    let extents = &s.f.array(stmt.array).extents;
    let own = ranges(&stmt.gens, extents);
    let guards = stmt.rhs.guards();
    let mut all: Set<(Asked, ArrayId)> = Set::new();
    s.f.reads(stmt, &mut |how, array| {
        let asked = match how {
            Read::Factor(k) => Asked::Under(k),
            Read::Argument | Read::Whole => Asked::Under(0),
            Read::Compared => return,
            // In a guard, or in an index.
            Read::Element => Asked::Anywhere,
        };
        all.insert((asked, array));
    });
    for (k, guard) in guards.iter().enumerate() {
        let by = Asked::By(k);
        guard.iter().for_each(|c| s.f.each_compared(c, &mut |a| all.extend([(by, a.array)])));
    }
    let mut known: Map<Asked, Region> = Map::new();
    for (asked, array) in all {
        let is_number = s.f.array(array).extents.is_empty();
        if !is_number || regions.get(&array).is_some_and(|r| r.iter().any(Vec::is_empty)) {
            continue;
        }
        let pieces = known.entry(asked).or_insert_with(|| {
            let of = |k: usize| guards.get(k).map_or(&[][..], |p| p.as_slice());
            let guard: Pred = match asked {
                Asked::Anywhere => vec![],
                Asked::Under(k) => of(k).to_vec(),
                Asked::By(k) => of(k).iter().take_while(|c| c.is_total()).cloned().collect(),
            };
            pieces(s, stmt, &own, &guard)
        });
        let region = regions.entry(array).or_default();
        region.extend(pieces.iter().filter(|p| !region.contains(p)).cloned().collect::<Vec<_>>());
        if region.len() > weights::simplify::ALTERNATIVES_NEEDED {
            *region =
                union(&s.f, std::mem::take(region), &s.f.assumptions).into_iter().map(|s| s.pred).collect();
        }
    }
}

/// `∃ indices. ranges ∧ guard`, as far as that is of sizes.
fn pieces(s: &State, stmt: &Stmt, own: &[Cond], guard: &[Cond]) -> Region {
    let total = guard.iter().filter(|c| c.is_total());
    let all: Pred = own.iter().chain(total).cloned().collect();
    let bound: Vec<Index> = stmt.gens.iter().copied().chain(stmt.rhs.bound()).collect();
    if all.is_empty() {
        return vec![vec![]];
    }
    let (mut pieces, _) = project(&s.f, &all, &bound, &s.f.assumptions);
    if pieces.len() > weights::simplify::ALTERNATIVES_NEEDED {
        pieces = project(&s.f, own, &bound, &s.f.assumptions).0;
    }
    pieces.into_iter().map(|p| p.into_iter().filter(Cond::is_of_sizes).collect()).collect()
}

/// Whether a right-hand side without indices reads in range by its own guards.
fn is_in_range(s: &State, rhs: &Rhs) -> bool {
    let guards = rhs.guards();
    let reads = |k: usize| -> Vec<Access> {
        let of = |how: &Read| matches!(how, Read::Argument | Read::Whole) || *how == Read::Factor(k);
        rhs.accesses().into_iter().filter(|(how, _)| of(how)).map(|(_, a)| a.clone()).collect()
    };
    guards.iter().enumerate().all(|(k, guard)| reads_in_range(s, guard, &reads(k), &[], &[]))
}
