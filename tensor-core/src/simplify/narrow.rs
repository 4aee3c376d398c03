//! What is computed of an array is what is read of it.
//!
//! ```text
//! X[g] = Σ [p] …,  read where q alone    ↦    X[g] = Σ [p ∧ q] …
//! ```
//!
//! A derivative follows the statements of its function: of `g[i] = x[i] · c`, of which `g[0]` is read, the tangent has two terms, and all of
//! its elements would be computed. Narrowed, both are numbers.

use super::view::as_view;
use super::{State, ask};
use crate::ad::support::{self, project, ranges, union};
use crate::index::omega::Work;
use crate::index::query::{self, Facts};
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt};
use crate::weights;

/// See the module documentation. The last first: what is read less reads less.
pub(super) fn narrow(s: &mut State) -> bool {
    let at: Map<ArrayId, usize> = s.f.stmts.iter().enumerate().map(|(k, s)| (s.array, k)).collect();
    let mut all: Map<ArrayId, Reads> =
        s.f.stmts
            .iter()
            .filter(|s| is_kept(s))
            .map(|s| s.array)
            .chain(s.f.results.clone())
            .map(|a| (a, None))
            .collect();
    let mut changed = false;
    for k in (0..s.f.stmts.len()).rev() {
        let array = s.f.stmts[k].array;
        if let Some(reads) = all.remove(&array).unwrap_or_else(|| Some(vec![])) {
            changed |= narrowed(s, k, reads);
        }
        let known = |a: ArrayId| at.get(&a).map(|k| &s.f.stmts[*k]);
        each_read(&s.f, &s.f.stmts[k], &known, &mut all);
    }
    if changed {
        let (literals, others): (Vec<Stmt>, Vec<Stmt>) =
            std::mem::take(&mut s.f.stmts).into_iter().partition(is_literal);
        s.f.stmts = literals.into_iter().chain(others).collect();
    }
    changed
}

/// Narrows one statement by its reads. Returns whether it changed.
fn narrowed(s: &mut State, k: usize, reads: Vec<Read>) -> bool {
    let stmt = &s.f.stmts[k];
    // The same reads have the same region. Of conditions that entail each other one goes, and the next time the other: this ends where it began.
    let (array, now) = (stmt.array, (reads, stmt.rhs.clone()));
    if s.narrowed.get(&array).is_some_and(|seen| seen.contains(&now)) {
        return false;
    }
    let region = region(&s.f, k, &now.0);
    s.narrowed.entry(array).or_default().push(now);
    let Some(region) = region else { return false };
    let stmt = &s.f.stmts[k];
    let known = ask::known(s, &stmt.gens, &s.f.array(stmt.array).extents);
    let mut rhs = stmt.rhs.clone();
    let mut changed = false;
    for guard in rhs.guards_mut() {
        let here = known.and(guard);
        let new: Pred = region.iter().filter(|c| !here.entails(std::slice::from_ref(c))).cloned().collect();
        if !new.is_empty() {
            mark::hit(Mark::Narrowed);
            changed = true;
        }
        guard.splice(0..0, new);
    }
    s.f.stmts[k].rhs = rhs;
    changed
}

/// Whether a statement costs nothing, is a number, or has a value where nothing counts.
fn is_kept(stmt: &Stmt) -> bool {
    let is_kept = match &stmt.rhs {
        Rhs::Contract(terms) => terms.is_empty() || as_view(stmt).is_some_and(|t| t.factors.is_empty()),
        Rhs::Prim { .. } => false,
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => true,
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => true,
    };
    is_kept || stmt.gens.is_empty() || stmt.is_member()
}

/// What holds wherever a statement is read, of its indices, as far as it is worth a guard; `None` where that is nothing.
fn region(f: &Function, k: usize, reads: &[Read]) -> Option<Pred> {
    let stmt = &f.stmts[k];
    let extents = &f.array(stmt.array).extents;
    let given = support::context(f, &stmt.gens, extents);
    let mut pieces = vec![];
    for r in reads {
        let at =
            stmt.gens.iter().zip(&r.at).map(|(g, a)| cond::eq(&g.affine(), a)).collect::<Option<Pred>>()?;
        pieces.extend(project(f, &[at, r.guard.clone()].concat(), &r.bound, &given).0);
    }
    let worth = |c: &Cond| {
        let is_own = stmt.gens.iter().any(|g| c.mentions(&g.atom()));
        is_own && (c.is_total() || is_known(f, c, &f.stmts[..k])) && narrows(c, &given)
    };
    let region: Pred = union(f, pieces, &given)?.pred.into_iter().filter(worth).collect();
    (!region.is_empty()).then_some(region)
}

/// Whether a condition leaves out more than an edge.
fn narrows(c: &Cond, given: &[Cond]) -> bool {
    match c {
        Cond::Zero(_) | Cond::Residue(..) => true,
        Cond::NonNeg(a) => {
            let wider = Cond::NonNeg(a.clone().step(weights::simplify::EDGE));
            !query::entails(given, &[wider], &Facts::default(), &mut Work::default())
        }
        Cond::Any(ps) => ps.iter().all(|p| p.iter().any(|c| matches!(c, Cond::Zero(_)))),
        Cond::Opaque { .. } => true,
        Cond::NonZero(_) | Cond::NonResidue(..) => false,
    }
}

/// Whether a comparison of reals can be made before anything is computed but by the statements `before`, and literals.
fn is_known(f: &Function, c: &Cond, before: &[Stmt]) -> bool {
    let mut known = matches!(c, Cond::Opaque { .. }) && !c.any_atom(&|t| matches!(t, Atom::Element(..)));
    f.each_compared(c, &mut |a| {
        let is_defined = f.params.contains(&a.array) || before.iter().any(|s| s.array == a.array);
        known &= is_defined || f.definition(a.array).is_some_and(is_literal);
    });
    known
}

/// `X[] = c`
fn is_literal(s: &Stmt) -> bool {
    s.gens.is_empty() && as_view(s).is_some_and(|t| t.factors.is_empty() && t.guard.is_empty())
}

/// By array: its reads and its right-hand side whenever it was narrowed.
pub(super) type Seen = Map<ArrayId, Vec<(Vec<Read>, Rhs)>>;

/// Where an array is read: by indices that are bound there, and what holds of them.
#[derive(PartialEq)]
pub(super) struct Read {
    bound: Vec<Index>,
    guard: Pred,
    at: Vec<Affine>,
}

impl Read {
    /// Whether another read is this one by other names.
    fn is_renamed(&self, other: &Read) -> bool {
        let names = Substitution::renaming(&other.bound, &self.bound);
        other.bound.len() == self.bound.len()
            && names.affines(&other.at).as_ref() == Some(&self.at)
            && names.pred(&other.guard).as_ref() == Some(&self.guard)
    }
}

/// The different reads of an array; `None` if they are all of it, too many, or not to be asked.
type Reads = Option<Vec<Read>>;

/// Adds the reads by a statement to those by others behind it. (What a comparison guards is not told apart.)
///
/// A comparison under which the element at an index of its own is read says nothing: the loop over that index is one loop, and a product of
/// matrices stays one. Where the element of another is read, what is cheap is computed there in its stead (`recompute`), under
/// the comparison: a derivative follows.
fn each_read<'a>(
    f: &Function,
    reader: &Stmt,
    definition: &dyn Fn(ArrayId) -> Option<&'a Stmt>,
    all: &mut Map<ArrayId, Reads>,
) {
    let own = ranges(&reader.gens, &f.array(reader.array).extents);
    let mut here: Map<ArrayId, Reads> = Map::new();
    for (inner, guard, factors) in places(&reader.rhs) {
        let total: Pred = guard.iter().filter(|c| c.is_total()).cloned().collect();
        let mut compared = vec![];
        guard.iter().for_each(|c| f.each_compared(c, &mut |a| compared.push(a)));
        let is_factor = std::iter::repeat_n(true, factors.len()).chain(std::iter::repeat(false));
        for (a, is_factor) in factors.into_iter().chain(&compared).zip(is_factor) {
            let Some(stmt) = definition(a.array).filter(|s| !matches!(all.get(&s.array), Some(None))) else {
                continue;
            };
            let reads = here.entry(a.array).or_insert_with(|| Some(vec![]));
            if is_whole(f, a, reader, &total) {
                *reads = None;
            }
            let Some(reads) = reads else { continue };
            let is_moved = is_factor && !has_sums(stmt) && a.at.iter().any(|e| e.as_atom().is_none());
            let guard = if is_moved { guard } else { &total };
            let bound = reader.gens.iter().chain(&inner).copied().collect();
            add(reads, Read { bound, guard: [own.as_slice(), guard].concat(), at: a.at.clone() });
        }
    }
    if let Rhs::Call(call) = &reader.rhs {
        here.extend(call.args.iter().map(|a| (a.access.array, None)));
    }
    for (array, reads) in here {
        let others = all.remove(&array).unwrap_or_else(|| Some(vec![]));
        let joined = reads.zip(others).map(|(mut reads, others)| {
            others.into_iter().for_each(|r| add(&mut reads, r));
            reads
        });
        all.insert(array, joined.filter(|reads| reads.len() <= weights::simplify::READS));
    }
}

fn add(reads: &mut Vec<Read>, read: Read) {
    // Beyond that they are given up in any case.
    if reads.len() <= weights::simplify::READS && !reads.iter().any(|r| r.is_renamed(&read)) {
        reads.push(read);
    }
}

fn has_sums(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Contract(terms) if terms.iter().any(|t| !t.sums.is_empty()))
}

/// Where a right-hand side reads: indices that it binds, a guard, and what is read under it.
fn places(rhs: &Rhs) -> Vec<(Vec<Index>, &Pred, Vec<&Access>)> {
    match rhs {
        Rhs::Contract(terms) => {
            terms.iter().map(|t| (t.sums.clone(), &t.guard, t.factors.iter().collect())).collect()
        }
        Rhs::Prim { guard, args, .. } => vec![(vec![], guard, args.iter().collect())],
        Rhs::Extreme { over, guard, arg, .. } | Rhs::ArgExtreme { over, guard, arg, .. } => {
            vec![(vec![*over], guard, vec![arg])]
        }
        Rhs::Call(call) => vec![(vec![], &call.guard, vec![])],
        Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
    }
}

/// Whether each dimension is read by an index of its own that runs through all of it.
fn is_whole(f: &Function, a: &Access, reader: &Stmt, guard: &[Cond]) -> bool {
    let extents = &f.array(a.array).extents;
    let mut seen: Set<Index> = Set::new();
    a.at.iter().zip(extents).all(|(e, n)| {
        let Some(Atom::Index(i)) = e.as_atom() else { return false };
        let i = Index(*i);
        let range = cond::within(&0.into(), e, n).unwrap_or_default();
        let mut own = guard.iter().filter(|c| c.mentions(&i.atom()));
        let gens = reader.gens.iter().zip(&f.array(reader.array).extents);
        let is_gen = gens.clone().any(|(g, m)| *g == i && m == n);
        let runs = if reader.gens.contains(&i) {
            is_gen && own.next().is_none()
        } else {
            own.all(|c| range.contains(c))
        };
        runs && seen.insert(i)
    })
}
