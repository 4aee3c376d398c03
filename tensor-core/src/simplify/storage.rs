//! Arrays are stored by the indices that their values depend on, and where they are not zero.

use super::view::{as_view, is_free};
use super::{State, ask, forward, guard};
use crate::index::{Affine, Cond, Pred, cond};
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::ssa::rename::{Substitution, cond_indices, elements_of, indices_of};
use crate::ssa::verify::unbounded;
use crate::ssa::{Access, Index, Rhs, Stmt, Term};

/// Splits each statement that is stored too large into a smaller one and a view of it.
pub(super) fn storage(s: &mut State) -> bool {
    forward::splits(s, split)
}

fn split(s: &mut State, stmt: &Stmt) -> Option<[Stmt; 2]> {
    let is_negated = is_passed_on(s, stmt) && as_view(stmt).is_some_and(is_negated);
    if stmt.gens.is_empty() || free_view(stmt) && !is_negated {
        return None;
    }
    let by = |m: Mark| move |_: &[Stmt; 2]| mark::hit(m);
    let on_diagonal = if is_negated { None } else { diagonal(s, stmt).inspect(by(Mark::Diagonal)) };
    let [broadcasts, masks] =
        if is_negated { [Mark::NegatedView; 2] } else { [Mark::Broadcast, Mark::Masked] };
    on_diagonal
        .or_else(|| broadcast(s, stmt).inspect(by(broadcasts)))
        .or_else(|| masked(s, stmt).inspect(by(masks)))
}

/// `-Y`: free in a product, but stored where a primitive reads it.
pub(super) fn is_negated(view: &Term) -> bool {
    view.coeff == -1.0 && !view.factors.is_empty()
}

/// Whether a statement is a view that is no result: who reads it reads what it views, where there is no sign between.
pub(super) fn is_passed_on(s: &State, stmt: &Stmt) -> bool {
    as_view(stmt).is_some() && !s.f.results.contains(&stmt.array)
}

/// What costs nothing, and is put in wherever it is read (`view`); and what cannot be split.
fn free_view(stmt: &Stmt) -> bool {
    as_view(stmt).is_some_and(is_free)
        || matches!(&stmt.rhs, Rhs::Contract(terms) if terms.is_empty())
        || matches!(stmt.rhs, Rhs::ArgExtreme { .. })
}

/// The dimensions whose indices are among these; a call has those of what it returns, too.
fn kept(stmt: &Stmt, used: &Set<Index>) -> Option<Vec<usize>> {
    let around = stmt.around().len();
    let kept: Vec<usize> =
        (0..stmt.gens.len()).filter(|k| *k >= around || used.contains(&stmt.gens[*k])).collect();
    (kept.len() < stmt.gens.len()).then_some(kept)
}

/// `X[g] = [p] view of a smaller X'`, `X'` having the definition `rhs` over `kept`.
fn core_and_view(s: &mut State, stmt: &Stmt, kept: &[usize], mut rhs: Rhs, p: Pred) -> Option<[Stmt; 2]> {
    let array = s.f.array(stmt.array).clone();
    let extents: Vec<Affine> = kept.iter().map(|k| array.extents[*k].clone()).collect();
    let gens: Vec<Index> = kept.iter().map(|k| stmt.gens[*k]).collect();
    let dropped: Vec<Affine> =
        (0..stmt.gens.len()).filter(|k| !kept.contains(k)).map(|k| array.extents[k].clone()).collect();
    keep_in_range(s, &gens, &extents, &mut rhs, &dropped);
    let id = s.f.new_array(array.name, extents);
    s.f.arrays[id.0 as usize].recompute = array.recompute;
    let core = Stmt { array: id, gens: gens.clone(), rhs, step: None }.freshened(&mut s.f, id)?;
    let read = Access { array: id, at: gens.iter().map(|g| g.affine()).collect() };
    let view = Term { sums: vec![], guard: p, coeff: 1.0, factors: vec![read] };
    Some([
        core,
        Stmt { array: stmt.array, gens: stmt.gens.clone(), rhs: Rhs::Contract(vec![view]), step: None },
    ])
}

/// What reads inside its arrays only because the dropped dimensions are not empty says so itself.
fn keep_in_range(s: &State, gens: &[Index], extents: &[Affine], rhs: &mut Rhs, dropped: &[Affine]) {
    let positive: Pred = dropped
        .iter()
        .map(|e| {
            let mut e = e.clone();
            e.constant -= 1;
            Cond::NonNeg(e)
        })
        .collect();
    let needed = |guard: &Pred, reads: &[Access]| !reads_in_range(s, guard, reads, gens, extents);
    let guards: Vec<&mut Pred> = match rhs {
        Rhs::Contract(terms) => {
            terms.iter_mut().filter(|t| needed(&t.guard, &t.factors)).map(|t| &mut t.guard).collect()
        }
        Rhs::Prim { guard, args, .. } => {
            if needed(guard, args) {
                vec![guard]
            } else {
                vec![]
            }
        }
        Rhs::Extreme { guard, arg, .. } | Rhs::ArgExtreme { guard, arg, .. } => {
            if needed(guard, std::slice::from_ref(arg)) { vec![guard] } else { vec![] }
        }
        Rhs::Call(call) if positive.iter().any(|c| !call.guard.contains(c)) => vec![&mut call.guard],
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => vec![],
    };
    for guard in guards {
        guard.splice(0..0, positive.iter().cloned());
    }
}

/// Whether a term reads in range where its guard holds, as far as can be proved.
pub(super) fn term_in_range(s: &State, t: &Term, gens: &[Index], extents: &[Affine]) -> bool {
    reads_in_range(s, &t.guard, &t.factors, gens, extents)
}

/// What a guard reads is in range by what stands before it: that an element is tested says nothing of whether it is there.
pub(super) fn reads_in_range(
    s: &State,
    guard: &Pred,
    reads: &[Access],
    gens: &[Index],
    extents: &[Affine],
) -> bool {
    let known = ask::known(s, gens, extents);
    let scope = (gens, extents);
    let mut all = reads.to_vec();
    reads.iter().flat_map(|a| &a.at).for_each(|e| push_elements(e, &mut all));
    guard_in_range(s, guard, scope, &known) && all.iter().all(|a| in_range(s, a, scope, guard, &known))
}

fn guard_in_range(s: &State, guard: &Pred, scope: (&[Index], &[Affine]), known: &ask::Known) -> bool {
    guard.iter().enumerate().all(|(k, c)| {
        let before = &guard[..k];
        if let Cond::Any(ps) = c {
            let here = known.and(before);
            return ps.iter().all(|p| guard_in_range(s, p, scope, &here));
        }
        let mut all = vec![];
        c.affines().into_iter().for_each(|e| push_elements(e, &mut all));
        s.f.each_compared(c, &mut |a| all.push(a));
        all.iter().all(|a| in_range(s, a, scope, before, known))
    })
}

/// The elements of index arrays in a form.
fn push_elements(e: &Affine, out: &mut Vec<Access>) {
    elements_of(e, &mut |array, at| out.push(Access { array, at: at.to_vec() }));
}

fn in_range(
    s: &State,
    a: &Access,
    (gens, extents): (&[Index], &[Affine]),
    guard: &[Cond],
    known: &ask::Known,
) -> bool {
    a.at.iter().zip(&s.f.array(a.array).extents).all(|(e, extent)| {
        let bare = gens.iter().zip(extents).any(|(g, x)| *e == g.affine() && x == extent);
        bare || {
            cond::within(&Affine::from(0), e, extent).is_some_and(|range| known.and(guard).entails(&range))
        }
    })
}

/// `X[g, h] = Σ [h = e(g) ∧ p] …` is `X[g, h] = [h = e(g)] X'[g]` with `X'[g] = Σ [p{h:=e} ∧ 0 ≤ e < H] …`.
fn diagonal(s: &mut State, stmt: &Stmt) -> Option<[Stmt; 2]> {
    let guards: Vec<&Pred> = match &stmt.rhs {
        Rhs::Contract(terms) => terms.iter().map(|t| &t.guard).collect(),
        Rhs::Prim { guard, .. } => vec![guard],
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => return None,
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => return None,
    };
    let (equality, (k, value)) = guard::equalities(guards.first()?, &stmt.gens)
        .filter(|e| guards.iter().all(|g| g.contains(&Cond::Zero((*e).clone()))))
        .find_map(|e| Some((e.clone(), guard::solved_for(e, &stmt.gens)?)))?;
    let equality = Cond::Zero(equality);
    let extents = s.f.array(stmt.array).extents.clone();
    let mut view = vec![equality.clone()];
    if !reads_in_range(s, &view, &[], &stmt.gens, &extents) {
        // What keeps its elements in range stands in the view as well.
        let shared = |c: &&Cond| guards.iter().all(|g| g.contains(c)) && !guard::has_opaque(c);
        let first =
            guards[0].iter().filter(shared).filter(|c| cond_indices(c).all(|i| stmt.gens.contains(&i)));
        view = guard::in_order_of_evaluation(first.cloned().collect());
        if !reads_in_range(s, &view, &[], &stmt.gens, &extents) {
            return None;
        }
    }
    let extent = &extents[k];
    let range = cond::within(&Affine::from(0), &stmt.gens[k].affine(), extent)?;
    let put = Substitution::new(&[stmt.gens[k]], &[value]);
    let range = put.pred(&range)?;
    let mut rhs = stmt.rhs.clone();
    for guard in rhs.guards_mut() {
        guard.retain(|c| *c != equality);
        guard.splice(0..0, range.iter().cloned());
    }
    let mut rhs = put.rhs(&rhs)?;
    let kept: Vec<usize> = (0..stmt.gens.len()).filter(|j| *j != k).collect();
    // The value that is put in may read an element, which the index itself kept in range.
    let (gens, ends): (Vec<Index>, Vec<Affine>) =
        kept.iter().map(|j| (stmt.gens[*j], extents[*j].clone())).unzip();
    let given = ask::known(s, &gens, &ends);
    for guard in rhs.guards_mut() {
        *guard = guard::in_range(s, &given, &guard::in_order_of_evaluation(std::mem::take(guard)));
    }
    // An element bounds no loop.
    if matches!(&rhs, Rhs::Contract(terms) if terms.iter().any(|t| !unbounded(&t.guard, &t.sums).is_empty()))
    {
        return None;
    }
    core_and_view(s, stmt, &kept, rhs, view)
}

/// `X[g, h < H] = e(g)` is `X[g, h] = X'[g]` with `X'[g] = [1 ≤ H] e(g)`: where there is no h nothing is computed.
fn broadcast(s: &mut State, stmt: &Stmt) -> Option<[Stmt; 2]> {
    let used: Set<Index> = stmt.rhs.affines().into_iter().flat_map(indices_of).collect();
    let kept = kept(stmt, &used)?;
    let extents = &s.f.array(stmt.array).extents;
    let dropped = (0..extents.len()).filter(|k| !kept.contains(k));
    let some: Pred = dropped.filter_map(|k| not_empty(&extents[k])).collect();
    let mut rhs = stmt.rhs.clone();
    for guard in rhs.guards_mut() {
        guard.splice(0..0, some.iter().cloned());
    }
    core_and_view(s, stmt, &kept, rhs, vec![])
}

/// `1 ≤ n`, unless that is so for any sizes.
pub(super) fn not_empty(n: &Affine) -> Option<Cond> {
    let rest = n.plus_constant(-1)?;
    (!rest.is_constant() || rest.constant < 0).then_some(Cond::NonNeg(rest))
}

/// `X[g, h] = [p(g) ∧ q(g, h)] e(g)` is `X[g, h] = [q] X'[g]` with `X'[g] = [p ∧ ∃ h. q] e(g)`, where `∃ h. q` is one conjunction.
fn masked(s: &mut State, stmt: &Stmt) -> Option<[Stmt; 2]> {
    let (guard, sums, values): (&Pred, &[Index], Vec<&Affine>) = match &stmt.rhs {
        Rhs::Contract(terms) => match terms.as_slice() {
            [t] => (&t.guard, &t.sums, t.factors.iter().flat_map(|a| &a.at).collect()),
            _ => return None,
        },
        Rhs::Prim { guard, .. } => {
            let of_guard: Set<&Affine> = guard.iter().flat_map(Cond::affines).collect();
            let all = stmt.rhs.affines();
            // Those of the guard come first.
            let count = guard.iter().map(|c| c.affines().len()).sum();
            debug_assert!(all.iter().take(count).all(|a| of_guard.contains(a)));
            (guard, &[], all.into_iter().skip(count).collect())
        }
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => return None,
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => return None,
    };
    let used: Set<Index> = values.into_iter().flat_map(indices_of).collect();
    let kept = kept(stmt, &used)?;
    let gone: Vec<Index> = (0..stmt.gens.len()).filter(|k| !kept.contains(k)).map(|k| stmt.gens[k]).collect();
    let (about, rest): (Pred, Pred) =
        guard.iter().cloned().partition(|c| cond_indices(c).any(|i| gone.contains(&i)));
    if about.iter().any(|c| guard::has_opaque(c) || cond_indices(c).any(|i| sums.contains(&i))) {
        return None;
    }
    let array = s.f.array(stmt.array);
    let mut ranged = about.clone();
    for g in &gone {
        let k = stmt.gens.iter().position(|h| h == g)?;
        ranged.extend(cond::within(&Affine::from(0), &g.affine(), &array.extents[k])?);
    }
    let gens: Vec<Index> = kept.iter().map(|k| stmt.gens[*k]).collect();
    let extents: Vec<Affine> = kept.iter().map(|k| array.extents[*k].clone()).collect();
    let mut narrowed = ask::known(s, &gens, &extents).exists(&ranged, &gone)?;
    narrowed.extend(rest);
    let mut rhs = stmt.rhs.clone();
    for guard in rhs.guards_mut() {
        *guard = guard::in_order_of_evaluation(narrowed.clone());
    }
    core_and_view(s, stmt, &kept, rhs, about)
}
