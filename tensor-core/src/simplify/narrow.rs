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

/// Different reads of one array beyond which it stays whole: each asks the solver.
const MOST_READS: usize = 8;

/// Elements at an edge that are not worth a shorter range: loops of one range are one loop.
const EDGE: i64 = 2;

/// See the module documentation. The last first: what is read less reads less.
pub(super) fn narrow(s: &mut State) -> bool {
    let mut changed = false;
    for k in (0..s.f.stmts.len()).rev() {
        let Some(reads) = reads(&s.f, k) else { continue };
        let stmt = &s.f.stmts[k];
        // The same reads have the same region.
        let (array, seen) = (stmt.array, (reads, stmt.rhs.clone()));
        if s.narrowed.get(&array) == Some(&seen) {
            continue;
        }
        let region = region(&s.f, k, &seen.0);
        s.narrowed.insert(array, seen);
        let Some(region) = region else { continue };
        let stmt = &s.f.stmts[k];
        let known = ask::known(s, &stmt.gens, &s.f.array(stmt.array).extents);
        let mut rhs = stmt.rhs.clone();
        for guard in rhs.guards_mut() {
            let here = known.and(guard);
            let new: Pred =
                region.iter().filter(|c| !here.entails(std::slice::from_ref(c))).cloned().collect();
            if !new.is_empty() {
                mark::hit(Mark::Narrowed);
                changed = true;
            }
            guard.splice(0..0, new);
        }
        s.f.stmts[k].rhs = rhs;
    }
    if changed {
        let (literals, others): (Vec<Stmt>, Vec<Stmt>) =
            std::mem::take(&mut s.f.stmts).into_iter().partition(is_literal);
        s.f.stmts = literals.into_iter().chain(others).collect();
    }
    changed
}

/// The different reads of a statement that may be narrowed by them.
fn reads(f: &Function, k: usize) -> Option<Vec<Read>> {
    let stmt = &f.stmts[k];
    let is_kept = match &stmt.rhs {
        Rhs::Contract(terms) => terms.is_empty() || as_view(stmt).is_some_and(|t| t.factors.is_empty()),
        Rhs::Prim { .. } => false,
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => true,
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => true,
    };
    if is_kept || stmt.gens.is_empty() || f.results.contains(&stmt.array) {
        return None;
    }
    let mut reads = vec![];
    for reader in &f.stmts[k + 1..] {
        for read in reads_of(f, reader, stmt)? {
            if !reads.iter().any(|r: &Read| r.is_renamed(&read)) {
                reads.push(read);
            }
        }
        if reads.len() > MOST_READS {
            return None;
        }
    }
    Some(reads)
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
            let wider = Cond::NonNeg(a.clone().step(EDGE));
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

/// By array: its reads and its right-hand side when it was narrowed last.
pub(super) type Seen = Map<ArrayId, (Vec<Read>, Rhs)>;

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

/// The reads of what `stmt` defines by another; `None` if they are all of it. (What a comparison guards is not told apart.)
///
/// A comparison under which the element at an index of its own is read says nothing: the loop over that index is one loop, and a product of
/// matrices stays one. Where the element of another is read, what is cheap is computed there in its stead (`recompute`), under
/// the comparison: a derivative follows.
fn reads_of(f: &Function, reader: &Stmt, stmt: &Stmt) -> Option<Vec<Read>> {
    let array = stmt.array;
    let has_sums = matches!(&stmt.rhs, Rhs::Contract(terms) if terms.iter().any(|t| !t.sums.is_empty()));
    let own = ranges(&reader.gens, &f.array(reader.array).extents);
    let bound = |inner: &[Index]| -> Vec<Index> { reader.gens.iter().chain(inner).copied().collect() };
    let mut places: Vec<(Vec<Index>, &Pred, Vec<&Access>)> = vec![];
    match &reader.rhs {
        Rhs::Contract(terms) => {
            places.extend(terms.iter().map(|t| (bound(&t.sums), &t.guard, t.factors.iter().collect())));
        }
        Rhs::Prim { guard, args, .. } => places.push((bound(&[]), guard, args.iter().collect())),
        Rhs::Extreme { over, guard, arg, .. } | Rhs::ArgExtreme { over, guard, arg, .. } => {
            places.push((bound(&[*over]), guard, vec![arg]));
        }
        Rhs::Call(call) => {
            if call.args.iter().any(|a| a.access.array == array) {
                return None;
            }
            places.push((bound(&[]), &call.guard, vec![]));
        }
        Rhs::OfIndex(_) | Rhs::Constant(_) => {}
    }
    let mut out = vec![];
    for (bound, guard, accesses) in places {
        let mut all: Vec<Access> = accesses.into_iter().filter(|a| a.array == array).cloned().collect();
        let read = all.len();
        guard.iter().for_each(|c| {
            f.each_compared(c, &mut |a| all.extend((a.array == array).then_some(a)));
        });
        let total: Pred = guard.iter().filter(|c| c.is_total()).cloned().collect();
        for (k, a) in all.into_iter().enumerate() {
            if is_whole(f, &a, reader, &total) {
                return None;
            }
            let is_moved = k < read && !has_sums && a.at.iter().any(|e| e.as_atom().is_none());
            let here = if is_moved { guard } else { &total };
            out.push(Read { bound: bound.clone(), guard: [own.as_slice(), here].concat(), at: a.at });
        }
    }
    Some(out)
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
