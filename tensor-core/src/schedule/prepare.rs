//! What is rewritten before statements become loops.

use super::range::bare;
use crate::ad::support;
use crate::index::pred::total_first;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::walk::{substitute, substitute_cond};
use crate::mark::{self, Mark};
use crate::simplify::guard::ranged;
use crate::simplify::numbers_where_read;
use crate::sorted::Set;
use crate::ssa::ranges::unbounded;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Step, Stmt, Term};

/// Every tensor result is an array of its own, defined by a statement that is no view to be read through; sums have
/// coefficient ±1, and a range outside unions; what is cheap and read elsewhere is computed there.
pub(super) fn prepare(f: &Function) -> Function {
    let mut f = f.clone();
    own_results(&mut f);
    super::call::prepare(&mut f);
    forget_tests(&mut f);
    super::recompute::recompute(&mut f);
    super::spread::spread(&mut f);
    scale_after_sums(&mut f);
    split_unions(&mut f);
    super::ahead::ahead(&mut f);
    numbers_where_read(f)
}

/// A result that is a parameter, a result before it, or not made of reals that are computed, is copied:
/// `R[g] = X[g]`.
fn own_results(f: &mut Function) {
    for k in 0..f.results.len() {
        let x = f.results[k];
        let extents = f.array(x).extents.clone();
        let computed = f.definition(x).is_some_and(|s| match &s.rhs {
            Rhs::Contract(_) | Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::Call(_) => true,
            Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => false,
        });
        if extents.is_empty() || computed && !f.results[..k].contains(&x) {
            continue;
        }
        let copy = copy(f, x);
        f.results[k] = copy.array;
        mark::hit(Mark::ResultCopied);
        f.stmts.push(copy);
    }
}

/// `R[g] = X[g]`
pub(super) fn copy(f: &mut Function, x: ArrayId) -> Stmt {
    let (name, extents) = (f.array(x).name.clone(), f.array(x).extents.clone());
    let gens: Vec<Index> = (0..extents.len()).map(|d| f.new_index(format!("i{d}"))).collect();
    let array = f.new_array(name, extents);
    let at = gens.iter().map(|g| g.affine()).collect();
    let term = Term { factors: vec![Access { array: x, at }], ..empty() };
    Stmt { array, gens, rhs: Rhs::Contract(vec![term]), step: None }
}

/// `Y[g] ∋ [q] X[a(g)]` without the conditions on reals that X is zero without: what they speak of need not be stored. One that is the same
/// for all elements stays: where it is false there is no loop.
fn forget_tests(f: &mut Function) {
    let mut stmts = std::mem::take(&mut f.stmts);
    for k in 0..stmts.len() {
        let (before, rest) = stmts.split_at_mut(k);
        if rest[0].is_member() {
            continue;
        }
        let Rhs::Contract(terms) = &mut rest[0].rhs else { continue };
        let asks = |t: &&mut Term| t.guard.iter().any(|c| matches!(c, Cond::Opaque { .. }));
        for t in terms.iter_mut().filter(asks) {
            let [a] = t.factors.as_slice() else { continue };
            let Some(x) = before.iter().find(|s| s.array == a.array) else { continue };
            let Rhs::Contract(made) = &x.rhs else { continue };
            let of_reader = |c: &Cond| {
                let each = x.gens.iter().zip(&a.at);
                each.fold(c.clone(), |c, (g, e)| substitute_cond(&c, &g.atom(), e))
            };
            let zero_without = |c: &Cond| {
                matches!(c, Cond::Opaque { .. })
                    && !c.indices().is_empty()
                    && made.iter().all(|m| m.sums.is_empty() && m.guard.iter().any(|d| of_reader(d) == *c))
            };
            t.guard.retain(|c| !zero_without(c));
        }
    }
    f.stmts = stmts;
}

/// `sum s. [p ∨ q] e` becomes `sum s. [p] e + sum s. [q ∧ ¬p] e` where only the alternatives bound s.
fn split_unions(f: &mut Function) {
    let mut stmts = std::mem::take(&mut f.stmts);
    for s in &mut stmts {
        let Rhs::Contract(terms) = &mut s.rhs else { continue };
        let given = support::ranges(&s.gens, &f.array(s.array).extents);
        let around = (s.gens.as_slice(), given.as_slice());
        *terms = std::mem::take(terms).into_iter().flat_map(|t| split_union(f, t, around)).collect();
    }
    f.stmts = stmts;
}

fn split_union(f: &mut Function, t: Term, around: (&[Index], &[Cond])) -> Vec<Term> {
    let bounded = |s: &Index| super::range::bounds(f, &t.guard, *s, &[], &[]).is_some();
    let union = t.guard.iter().position(|c| matches!(c, Cond::Any(_)));
    let Some(at) = union.filter(|_| !t.sums.iter().all(bounded)) else { return vec![t] };
    let mut rest = t.guard.clone();
    let Cond::Any(ps) = rest.remove(at) else { return vec![t] };
    mark::hit(Mark::UnionSplit);
    let mut out = vec![];
    for p in super::range::disjoint(f, &ps, &rest) {
        let guard = [rest.as_slice(), &p].concat();
        // A range that the alternative says may follow from what is none, as `i < n` from `i * i < n`.
        let holds = |c: &&Cond| super::range::entails(f, around.1, &guard, c);
        let said: Pred = ps.iter().flatten().filter(holds).cloned().collect();
        // What reads may be in range by the alternative.
        let mut piece = Term { guard: total_first(&ranged(guard, &said, &t.sums)), ..t.clone() };
        for s in &t.sums {
            let fresh = f.new_index(f.indices[s.0 as usize].clone());
            rename(&mut piece, *s, &fresh.affine());
        }
        keep_ranges(f, &mut piece, around);
        out.extend(split_union(f, piece, around));
    }
    out
}

/// Of sums that bound each other, or are bounded by elements: what these say of each by sizes and the indices around.
fn keep_ranges(f: &Function, t: &mut Term, (gens, given): (&[Index], &[Cond])) {
    let seen = |s: &Index| super::range::seen_through(f, &t.guard, *s, gens, given);
    let open = unbounded(&t.guard, &t.sums);
    let new: Pred = open.iter().flat_map(seen).filter(Cond::is_total).collect();
    t.guard.splice(0..0, new);
}

/// `X[g] ∋ sum s. [p] c · e` becomes `T[g] = sum s. [p] e; X[g] ∋ c · T[g]` where c is not ±1 and e not 1: one multiplication an
/// element, in whatever order the loops run. An infinite c stays: it may not meet the zero of a sum of nothing.
fn scale_after_sums(f: &mut Function) {
    let mut out = vec![];
    for mut s in std::mem::take(&mut f.stmts) {
        if let Rhs::Contract(terms) = &mut s.rhs {
            // What is lone costs one operation for each element of a result.
            let is_free = terms.len() == 1 && f.results.contains(&s.array);
            for t in terms {
                let is_scaled = t.coeff.abs() != 1.0 && t.coeff.is_finite();
                if !t.sums.is_empty() && !t.factors.is_empty() && is_scaled {
                    mark::hit(Mark::ScaledAfterSum);
                    let guard = if is_free { of_sizes(&t.guard) } else { not_empty(f, s.array, &s.gens, t) };
                    let (array, term) = split(f, (s.array, &s.gens, &s.step), t, &mut out);
                    let at = s.gens.iter().map(|g| g.affine()).collect();
                    *t = Term { guard, coeff: term, factors: vec![Access { array, at }], ..empty() };
                }
            }
        }
        out.push(s);
    }
    f.stmts = out;
}

/// The conditions on sizes.
fn of_sizes(p: &Pred) -> Pred {
    p.iter().filter(|c| c.is_of_sizes()).cloned().collect()
}

/// `∃ sums. guard`, as far as indices and sizes say it: of several sums that are empty, none is multiplied and none added. A condition on reals that
/// is the same for all elements stays, where all that it needs is said: where it is false there is no loop. So does one on the place of an extreme.
fn not_empty(f: &Function, x: ArrayId, gens: &[Index], t: &Term) -> Pred {
    let given = support::context(f, gens, &f.array(x).extents);
    let (total, real): (Pred, Pred) = t.guard.iter().cloned().partition(Cond::is_total);
    let some = |p: &[Cond]| support::exists_in(f, p, &t.sums, &given);
    let mut same = vec![];
    let mut all = vec![];
    let mut is_exact = false;
    if let Some((support, wider)) = some(&total).filter(|(support, _)| !support.wider) {
        all.extend(support.pred);
        is_exact = !wider;
    }
    if is_exact {
        for c in real {
            let without = without_sums(&c, &t.sums);
            let is_whole = without.as_ref() == Some(&c);
            same.extend(without);
            // What keeps the reads of the next in range may have gone with a sum.
            if !is_whole {
                break;
            }
        }
    }
    let reads = t.guard.iter().any(|c| c.any_atom(&|a| matches!(a, Atom::Element(..))));
    if reads || !is_exact {
        for c in whatever_is_read(f, t, &given) {
            if (!is_exact || c.is_of_sizes()) && !all.contains(&c) {
                all.push(c);
            }
        }
    }
    all.into_iter().filter(Cond::is_total).chain(same).collect()
}

/// `∃ sums, k. guard{x[…] := k}`, which contains `∃ sums. guard` whatever is read. Conditions with quotients, or products of what is gone, are left out: for these the
/// solver gives too many alternatives, or none.
fn whatever_is_read(f: &Function, t: &Term, given: &[Cond]) -> Pred {
    let mut read: Set<&Atom> = Set::new();
    for a in t.guard.iter().flat_map(Cond::affines) {
        read.extend(a.terms.iter().map(|(atom, _)| atom).filter(|a| matches!(a, Atom::Element(..))));
    }
    let (mut p, mut gone) = (t.guard.clone(), t.sums.clone());
    for (atom, k) in read.into_iter().zip(f.indices.len()..) {
        let Ok(k) = u32::try_from(k) else { return vec![] };
        gone.push(Index(k));
        p = p.iter().filter_map(|c| c.substitute(atom, &Index(k).affine(), 1)).collect();
    }
    let multiplies = |a: &Atom| matches!(a, Atom::Product(_)) && gone.iter().any(|g| a.mentions(&g.atom()));
    p.retain(|c| c.is_total() && !c.divides() && !c.any_atom(&multiplies));
    support::exists_in(f, &p, &gone, given).map_or_else(Vec::new, |s| s.0.pred)
}

/// What a condition that reads says of the indices around sums; none where that is nothing. A comparison is there whole, or not at all.
fn without_sums(c: &Cond, sums: &[Index]) -> Option<Cond> {
    let is_free = |c: &Cond| c.indices().iter().all(|i| !sums.contains(&Index(*i)));
    let Cond::Any(ps) = c else {
        return (is_free(c) && (c.is_affine() || c.indices().is_empty())).then(|| c.clone());
    };
    if c.indices().is_empty() {
        return Some(c.clone());
    }
    let mut alternatives = vec![];
    for p in ps {
        let kept = p.iter().take_while(|c| is_free(c) && c.is_affine()).cloned();
        let rest = p.iter().skip_while(|c| is_free(c) && c.is_affine());
        alternatives.push(kept.chain(rest.filter(|c| is_free(c) && c.is_total()).cloned()).collect::<Pred>());
    }
    (!alternatives.iter().any(Vec::is_empty)).then_some(Cond::Any(alternatives))
}

fn empty() -> Term {
    Term { sums: vec![], guard: vec![], coeff: 1.0, factors: vec![] }
}

/// The statement `T[g'] = sum s. [p] e`, in the steps of `X[g]`, and the coefficient that it leaves behind.
fn split(
    f: &mut Function,
    (x, gens, step): (ArrayId, &[Index], &Option<Step>),
    t: &Term,
    out: &mut Vec<Stmt>,
) -> (ArrayId, f64) {
    let (name, extents) = (format!("{}_sum", f.array(x).name), f.array(x).extents.clone());
    let array = f.new_array(name, extents);
    let fresh: Vec<Index> = gens.iter().map(|g| f.new_index(f.indices[g.0 as usize].clone())).collect();
    let mut term = Term { coeff: 1.0, ..t.clone() };
    for (g, h) in gens.iter().zip(&fresh) {
        rename(&mut term, *g, &h.affine());
    }
    let to = |t: &Index| gens.iter().position(|g| g == t).map_or(*t, |k| fresh[k]);
    let step = step.as_ref().map(|s| Step { rec: s.rec, times: s.times.iter().map(to).collect() });
    out.push(Stmt { array, gens: fresh, rhs: Rhs::Contract(vec![term]), step });
    (array, t.coeff)
}

/// `t{i := e}`
pub(super) fn rename(t: &mut Term, i: Index, e: &Affine) {
    let atom = i.atom();
    t.guard.iter_mut().for_each(|c| *c = substitute_cond(c, &atom, e));
    t.factors.iter_mut().flat_map(|a| &mut a.at).for_each(|a| *a = substitute(a, &atom, e));
    for s in &mut t.sums {
        if *s == i {
            *s = bare(e).unwrap_or(i);
        }
    }
}
