//! Maxima and minima: the differential is that of the first maximizer.

use super::linearize::LinearTerm;
use super::rename::Renaming;
use super::support;
use crate::index::affine::floor;
use crate::index::query::{Facts, entails};
use crate::index::{Affine, Atom, Cond, Pred, omega::Work};
use crate::mark::{self, Mark};
use crate::ssa::{Access, Array, ArrayId, ArrayKind, Extreme, Function, Index, Rhs, Stmt};

/// `d(max s. [p] Y[a]) = sum s. [p ∧ s = K[g]] dY[a]` with `K[g] = argmax s. [p] Y[a]`.
pub(super) fn first_extreme(
    f: &mut Function,
    stmt: &Stmt,
    op: Extreme,
    over: Index,
    guard: &Pred,
    arg: &Access,
) -> LinearTerm {
    let k = arg_extreme(f, stmt, op, over, guard, arg);
    let value = Affine::from(Atom::Element(k.0, stmt.gens.iter().map(|g| g.affine()).collect()));
    let mut guard = guard.clone();
    guard.extend(over.affine().plus_scaled(-1, &value).map(Cond::Zero));
    LinearTerm { arg: arg.clone(), sums: vec![over], guard, coeff: 1.0, rest: None }
}

/// `K[g] = argmax over. [guard] arg`: one that is there already, or a new one.
fn arg_extreme(
    f: &mut Function,
    stmt: &Stmt,
    op: Extreme,
    over: Index,
    guard: &Pred,
    arg: &Access,
) -> ArrayId {
    let extents = f.array(stmt.array).extents.clone();
    let same = |s: &&Stmt| {
        let Rhs::ArgExtreme { op: o, over: v, guard: g, arg: a } = &s.rhs else { return false };
        if s.gens.len() != stmt.gens.len() || *o != op || f.array(s.array).extents != extents {
            return false;
        }
        let mut to = Renaming::new(&s.gens, &stmt.gens);
        to.insert(*v, over);
        to.pred(g) == *guard && to.access(a) == *arg
    };
    if let Some(s) = f.stmts.iter().find(same) {
        mark::hit(Mark::PlaceShared);
        return s.array;
    }
    let (lower, upper) = range(f, stmt, over, guard, arg);
    let formals = Renaming::fresh(f, &stmt.gens);
    let to_formals = |e: &Affine| formals.affine(e);
    let kind = ArrayKind::Index {
        formals: stmt.gens.iter().map(|g| formals.index(*g)).collect(),
        lower: to_formals(&lower),
        upper: to_formals(&upper),
    };
    let name = format!("{}_at", f.array(stmt.array).name);
    let array = f.new_array(name.clone(), extents.clone());
    f.arrays[array.0 as usize] = Array { name, extents, kind, recompute: false };
    let mut fresh = Renaming::fresh(f, &stmt.gens);
    fresh.extend_fresh(f, &[over]);
    let gens = stmt.gens.iter().map(|g| fresh.index(*g)).collect();
    let rhs =
        Rhs::ArgExtreme { op, over: fresh.index(over), guard: fresh.pred(guard), arg: fresh.access(arg) };
    f.stmts.push(Stmt { array, gens, rhs, step: None });
    array
}

/// `lower <= over < upper` as the guard has it, or else the access; `lower` is one less where nothing may be live.
fn range(f: &Function, stmt: &Stmt, over: Index, guard: &Pred, arg: &Access) -> (Affine, Affine) {
    let by_access = f.in_range(arg).unwrap_or_default();
    let (mut lower, mut upper) = (None, None);
    for c in guard.iter().chain(&by_access) {
        let (e, both) = match c {
            Cond::NonNeg(e) => (e, false),
            Cond::Zero(e) => (e, true),
            Cond::NonZero(_)
            | Cond::Residue(..)
            | Cond::NonResidue(..)
            | Cond::Opaque { .. }
            | Cond::Any(_) => continue,
        };
        let k = e.coeff(&over.atom());
        let rest =
            Affine { terms: e.terms.iter().filter(|t| t.0 != over.atom()).cloned().collect(), ..e.clone() };
        if k == 0 || rest.mentions(&over.atom()) {
            continue;
        }
        // k over + rest >= 0: over >= -⌊rest / k⌋, or over <= ⌊rest / -k⌋.
        let Some(q) = floor(&rest, k.abs()) else { continue };
        if k > 0 || both {
            let least = if k > 0 { q.scale(-1) } else { Some(q.clone()) };
            lower = lower.or(least);
        }
        if k < 0 || both {
            let most = if k > 0 { q.scale(-1) } else { Some(q) };
            upper = upper.or(most.and_then(|m| m.plus_scaled(1, &1.into())));
        }
    }
    let (lower, upper) = (lower.unwrap_or_default(), upper.unwrap_or_default());
    let given = support::context(f, &stmt.gens, &f.array(stmt.array).extents);
    let at_lower = guard.iter().map(|c| c.substitute(&over.atom(), &lower, 1)).collect::<Option<Pred>>();
    let live = at_lower.is_some_and(|p| entails(&given, &p, &Facts::default(), &mut Work::default()));
    if live {
        mark::hit(Mark::PlaceAlways);
        return (lower, upper);
    }
    (lower.plus_scaled(1, &Affine::from(-1)).unwrap_or(lower), upper)
}
