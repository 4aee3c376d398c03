//! Equal definitions are one, and what nothing reads goes.

use super::State;
use super::merge::{TermKey, canonical_gens, key};
use super::view::{as_view, view_of};
use crate::ad::rename::at_gens;
use crate::index::{Affine, Pred};
use crate::mark::{self, Mark};
use crate::prim::Prim;
use crate::sorted::{self, Map, Set};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Extreme, Index, Rhs, Stmt, Target, Term, Whole};

/// A definition up to names and order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Contract(Vec<(TermKey, u64)>),
    Prim(Pred, Prim, Vec<Access>),
    Extreme(bool, Extreme, Pred, Access),
    OfIndex(Affine),
    Constant(String),
    Call(Pred, Target, usize, Vec<Access>),
}

fn key_of(s: &Stmt) -> Option<Key> {
    let names = canonical_gens(&s.gens);
    let sorted = |p: &Pred| {
        let mut p = names.pred(p)?;
        sorted::sort(&mut p);
        Some(p)
    };
    Some(match &s.rhs {
        Rhs::Contract(terms) => {
            let mut keys: Vec<(TermKey, u64)> = terms
                .iter()
                .map(|t| Some((key(t, &s.gens, &names)?.0, t.coeff.to_bits())))
                .collect::<Option<_>>()?;
            sorted::sort(&mut keys);
            Key::Contract(keys)
        }
        Rhs::Prim { guard, prim, args } => Key::Prim(
            sorted(guard)?,
            names.prim(prim)?,
            args.iter().map(|a| names.access(a)).collect::<Option<_>>()?,
        ),
        Rhs::Extreme { op, over, guard, arg } | Rhs::ArgExtreme { op, over, guard, arg } => {
            let over = Substitution::renaming(&[*over], &[Index(u32::MAX)]);
            let is_arg = matches!(s.rhs, Rhs::ArgExtreme { .. });
            Key::Extreme(is_arg, *op, sorted(&over.pred(guard)?)?, names.access(&over.access(arg)?)?)
        }
        Rhs::OfIndex(e) => Key::OfIndex(names.affine(e)?),
        Rhs::Constant(path) => Key::Constant(path.clone()),
        Rhs::Call(call) => {
            // The indices of its own say nothing.
            let before = |a: &Whole| Some(Access { array: a.access.array, at: names.affines(a.before())? });
            let args = call.args.iter().map(before).collect::<Option<_>>()?;
            Key::Call(sorted(&call.guard)?, call.target.clone(), call.part, args)
        }
    })
}

/// The key of `X[g] = -e` where that of `X[g] = e` is given; none of a view, which is not stored.
fn opposite(s: &Stmt, key: &Key) -> Option<Key> {
    match key {
        Key::Contract(terms) if !terms.is_empty() && as_view(s).is_none() => {
            let negated = |(t, c): &(TermKey, u64)| (t.clone(), (-f64::from_bits(*c)).to_bits());
            let mut terms: Vec<(TermKey, u64)> = terms.iter().map(negated).collect();
            sorted::sort(&mut terms);
            Some(Key::Contract(terms))
        }
        Key::Contract(_) | Key::Prim(..) | Key::Extreme(..) => None,
        Key::OfIndex(_) | Key::Constant(_) | Key::Call(..) => None,
    }
}

/// `X[g] = e; Y[h] = e` is `X[g] = e` with `X` read for `Y`, and `X[g] = e; Y[h] = -e` has `Y[h] = -X[h]`, as the two directions along a difference
/// do; a result that only names another array is that array.
pub(super) fn share(s: &mut State) -> bool {
    // What nothing reads any more, since it moved into its reader, must not be read again for its sake.
    let mut changed = drop_dead(s);
    let mut seen: Map<(Vec<Affine>, Key), ArrayId> = Map::new();
    let mut same: Map<ArrayId, ArrayId> = Map::new();
    for k in 0..s.f.stmts.len() {
        if !same.is_empty() {
            rename_arrays(s, k, &same);
        }
        let stmt = &s.f.stmts[k];
        let Some(key) = key_of(stmt).filter(|_| !stmt.is_member()) else { continue };
        let extents = s.f.array(stmt.array).extents.clone();
        if let Some(opposite) = opposite(stmt, &key).and_then(|o| seen.get(&(extents.clone(), o))) {
            mark::hit(Mark::Opposite);
            let terms = vec![Term::product(-1.0, vec![at_gens(*opposite, &stmt.gens)])];
            s.f.stmts[k].rhs = Rhs::Contract(terms);
            changed = true;
            continue;
        }
        let first = *seen.entry((extents, key)).or_insert(stmt.array);
        if first != stmt.array {
            mark::hit(Mark::Shared);
            same.insert(stmt.array, first);
            changed = true;
        }
    }
    for r in 0..s.f.results.len() {
        let id = s.f.results[r];
        let is_member = s.f.definition(id).is_some_and(Stmt::is_member);
        let to = same.get(&id).copied().or_else(|| identity(s, id).filter(|_| !is_member));
        if let Some(to) = to {
            s.f.results[r] = to;
            changed = true;
        }
    }
    changed | drop_dead(s)
}

/// `X[t, g] = Y[t, g]` in one step of a recurrence: `Y` is read for `X`.
pub(super) fn named_twice(s: &mut State) -> bool {
    let mut same: Map<ArrayId, ArrayId> = Map::new();
    for stmt in s.f.stmts.iter().filter(|s| s.is_member()) {
        let rec = |s: &Stmt| s.step.as_ref().map(|step| step.rec);
        let is_of_same = |y: &ArrayId| s.f.definition(*y).is_some_and(|y| rec(y) == rec(stmt));
        if let Some(y) = identity(s, stmt.array).filter(is_of_same) {
            same.insert(stmt.array, same.get(&y).copied().unwrap_or(y));
        }
    }
    if same.is_empty() {
        return false;
    }
    mark::hit(Mark::NamedTwice);
    // By the name of the recurrence.
    for (x, y) in &same {
        s.f.arrays[y.0 as usize].name = s.f.array(*x).name.clone();
    }
    (0..s.f.stmts.len()).for_each(|k| rename_arrays(s, k, &same));
    for r in &mut s.f.results {
        *r = same.get(r).copied().unwrap_or(*r);
    }
    drop_dead(s)
}

/// What `X[g] = Y[g]` names.
fn identity(s: &State, id: ArrayId) -> Option<ArrayId> {
    let def = s.f.definition(id)?;
    let t = view_of(def).filter(|t| t.guard.is_empty() && t.coeff.to_bits() == 1.0f64.to_bits())?;
    let y = t.factors.first()?;
    let bare = y.at.len() == def.gens.len() && y.at.iter().zip(&def.gens).all(|(a, g)| *a == g.affine());
    (bare && s.f.array(id).extents == s.f.array(y.array).extents).then_some(y.array)
}

fn rename_arrays(s: &mut State, k: usize, same: &Map<ArrayId, ArrayId>) {
    let to = |a: ArrayId| same.get(&a).copied();
    let mut rhs = s.f.stmts[k].rhs.clone();
    for a in rhs.accesses_mut() {
        a.array = to(a.array).unwrap_or(a.array);
    }
    for guard in rhs.guards_mut() {
        for c in guard {
            *c = s.f.map_compared(c, &|a| Some(Access { array: to(a.array)?, at: a.at.clone() }));
        }
    }
    let elements = Substitution::of_elements(same.iter().map(|(from, to)| (*from, *to)).collect());
    s.f.stmts[k].rhs = elements.rhs(&rhs).unwrap_or(rhs);
}

/// Statements that no result depends on go.
pub(super) fn drop_dead(s: &mut State) -> bool {
    let mut live: Set<ArrayId> = s.f.results.iter().copied().collect();
    s.f.keep_only(&mut live)
}
