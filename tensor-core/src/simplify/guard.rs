//! Guards: equalities solved, what is entailed dropped, unions split.

use super::State;
use super::ask::Known;
use crate::index::omega::Stop;
use crate::index::project::{self, solve_equalities, tidy};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted;
use crate::ssa::rename::{Substitution, atom_indices, cond_indices, indices_of};
use crate::ssa::verify::{bounds, unbounded};
use crate::ssa::{Index, Term};
use crate::weights;

/// A term in normal form, as disjoint terms; none if it is zero.
pub(super) fn term(given: &Known, t: Term) -> Vec<Term> {
    let solved = solved(given, t.clone());
    let scattered = solved.as_ref().filter(|s| s.guard.iter().any(tests_product));
    if scattered.is_some()
        && let Some(t) = scatter(given, t)
    {
        mark::hit(Mark::Scattered);
        return split(given, t);
    }
    solved.map_or(vec![], |t| split(given, t))
}

/// `sum i j. [k = i (i − 1) / 2 + j ∧ p] Y[i, j]` with products of private sums stays as it is: the loops over i and j add to element k. Solved
/// for j, it would be a loop over i with a test for each k.
fn scatter(given: &Known, t: Term) -> Option<Term> {
    let over_sums = |a: &Affine| t.sums.iter().any(|s| products(a).any(|p| p.mentions(&s.atom())));
    let determines = |c: &Cond| {
        let Cond::Zero(a) = c else { return false };
        let is_element = |i: &Index| !t.sums.contains(i) && a.coeff(&i.atom()).abs() == 1 && solves(a, *i);
        over_sums(a) && indices_of(a).any(|i| is_element(&i))
    };
    let equalities = t.guard.iter().filter(|c| matches!(c, Cond::Zero(_))).count();
    (equalities == 1 && t.guard.iter().any(determines) && !t.guard.iter().any(tests_product)).then_some(())?;
    let mut t = with_ranges(given, t.clone(), &t);
    t.guard = of_statement(given, &t.guard, &t.sums)?;
    Some(t)
}

/// Whether a bound has a product of indices.
fn tests_product(c: &Cond) -> bool {
    matches!(c, Cond::NonNeg(a) if products(a).any(|p| atom_indices(p).next().is_some()))
}

/// The products in a form.
fn products(a: &Affine) -> impl Iterator<Item = &Atom> {
    let has = |t: &&Atom| t.any_atom(&Atom::is_product);
    a.terms.iter().map(|t| &t.0).filter(has)
}

/// With equalities solved for private sums, and without what is entailed; `None` if it is zero.
fn solved(given: &Known, mut t: Term) -> Option<Term> {
    for _ in 0..8 {
        if t.coeff == 0.0 {
            return None;
        }
        t.guard = floors(&t.guard, &t.sums);
        let solved = with_ranges(given, solve(t.clone())?, &t);
        let guard = of_statement(given, &solved.guard, &solved.sums)?;
        // The equality bounds others, perhaps by alternatives: it stays until these are terms of their own.
        if !unbounded(&guard, &solved.sums).is_empty() && unbounded(&t.guard, &t.sums).is_empty() {
            t.guard = of_statement(given, &t.guard, &t.sums)?;
            break;
        }
        t = solved;
        let again = guard.iter().any(|c| matches!(c, Cond::Zero(a) if t.sums.iter().any(|s| solves(a, *s))));
        t.guard = guard;
        if !again {
            break;
        }
    }
    Some(t)
}

fn solves(a: &Affine, s: Index) -> bool {
    let s = s.atom();
    a.coeff(&s) != 0 && !a.terms.iter().any(|t| t.0 != s && t.0.mentions(&s))
}

/// A term whose sums have ranges, as far as it and the one that it comes from say them.
fn with_ranges(given: &Known, mut t: Term, from: &Term) -> Term {
    if !unbounded(&t.guard, &t.sums).is_empty() {
        let visible = visible(given, from, &t);
        t.guard = ranged(t.guard, &visible, &t.sums);
    }
    t
}

/// What a term says of each of the sums that stay by sizes and the indices around, and of all by each other: what goes says it of these.
fn visible(given: &Known, t: &Term, solved: &Term) -> Pred {
    let p = [solved.guard.as_slice(), &t.guard].concat();
    let p = [given.element_bounds(&p), p].concat();
    let is = |all: &[Index], a: &Atom| matches!(a, Atom::Index(i) if all.contains(&Index(*i)));
    let gone = |a: &Atom| project::has_element(a) || is(&t.sums, a) && !is(&solved.sums, a);
    let mut out = project::seen_without(&p, &gone);
    for s in unbounded(&solved.guard, &solved.sums) {
        let others = |a: &Atom| gone(a) || is(&solved.sums, a) && *a != s.atom();
        out.extend(project::seen_without(&p, &others));
    }
    out
}

/// `⌊e / q⌋ = r` is `0 ≤ e − q r < q`, so that it bounds the private sums in `e`; and `e = q r + t` where `e + d ≡ 0 (mod q)`
/// is known beside it, with `t = −d mod q`.
fn floors(p: &Pred, sums: &[Index]) -> Pred {
    let mut out = vec![];
    for c in p {
        match floor_equality(c, sums).and_then(|(e, q, r)| window(p, &e, q, &r)) {
            Some(window) => out.extend(window),
            None => out.push(c.clone()),
        }
    }
    out
}

/// `(e, q, r)` of `⌊e / q⌋ = r`.
fn floor_equality(c: &Cond, sums: &[Index]) -> Option<(Affine, i64, Affine)> {
    let Cond::Zero(a) = c else { return None };
    a.terms.iter().find_map(|(t, k)| {
        let Atom::Floor(e, q) = t else { return None };
        let of_sums = sums.iter().any(|s| e.mentions(&s.atom()));
        let rest = a.plus_scaled(-k, &Affine::from(t.clone()))?;
        let plain = e.terms.iter().chain(&rest.terms).all(|t| matches!(t.0, Atom::Size(_) | Atom::Index(_)));
        (k.abs() == 1 && of_sums && plain).then_some(())?;
        Some((e.as_ref().clone(), *q, rest.scale(-k)?))
    })
}

fn window(p: &Pred, e: &Affine, q: i64, r: &Affine) -> Option<Pred> {
    let over = e.plus_scaled(-q, r)?;
    let remainder = p.iter().find_map(|c| {
        let Cond::Residue(a, k) = c else { return None };
        let d = a.minus(&over)?;
        (*k == q && d.terms.iter().all(|t| t.1 % q == 0)).then(|| (-d.constant).rem_euclid(q))
    });
    Some(match remainder {
        Some(t) => vec![Cond::Zero(over.plus_constant(-t)?)],
        None => vec![Cond::NonNeg(over.clone()), Cond::NonNeg(over.negated().plus_constant(q - 1)?)],
    })
}

/// `sum s. [s = e ∧ p] Y[s] = [p{s:=e}] Y[e]`, and `sum s. [k s = e ∧ p] Y[s] = [k | e ∧ p{s:=e/k}] Y[e/k]`: the range of `s` is in `p`.
/// `None` where the equalities have no solution.
pub(super) fn solve(t: Term) -> Option<Term> {
    if !t.guard.iter().any(|c| matches!(c, Cond::Zero(_))) {
        return Some(t);
    }
    let unknowns: Vec<Atom> = t.sums.iter().map(|s| s.atom()).collect();
    match solve_equalities(&t.guard, &unknowns) {
        Err(Stop::Empty) => None,
        Err(Stop::Unknown) => Some(t),
        Ok((values, _)) if values.is_empty() => Some(t),
        Ok((values, rest)) => {
            let solved = |s: &Index| values.iter().find(|v| v.atom == s.atom());
            let from: Vec<Index> = t.sums.iter().copied().filter(|s| solved(s).is_some()).collect();
            let to: Option<Vec<Affine>> =
                from.iter().map(|s| solved(s).and_then(crate::index::project::Value::as_affine)).collect();
            let Some(put) = to.map(|to| Substitution::new(&from, &to)) else { return Some(t) };
            let Some(factors) = t.factors.iter().map(|a| put.access(a)).collect() else { return Some(t) };
            let sums = t.sums.iter().copied().filter(|s| solved(s).is_none()).collect();
            Some(Term { sums, guard: rest, coeff: t.coeff, factors })
        }
    }
}

/// Conditions in an order in which they may be evaluated: on indices alone, on elements of index arrays, on elements at elements, and last
/// comparisons of reals, which no access is proved in range by.
pub(crate) fn in_order_of_evaluation(mut p: Pred) -> Pred {
    fn depth(a: &Affine) -> usize {
        a.terms.iter().map(|(t, _)| atom_depth(t)).max().unwrap_or(0)
    }
    fn atom_depth(t: &Atom) -> usize {
        match t {
            Atom::Size(_) | Atom::Index(_) => 0,
            Atom::Floor(e, _) => depth(e),
            Atom::Element(_, at) => 1 + at.iter().map(depth).max().unwrap_or(0),
            Atom::Product(factors) => factors.iter().map(atom_depth).max().unwrap_or(0),
        }
    }
    sorted::sort_by_key(&mut p, |c| (has_opaque(c), c.affines().into_iter().map(depth).max().unwrap_or(0)));
    p
}

/// Whether a comparison of reals is asked anywhere in a condition.
pub(super) fn has_opaque(c: &Cond) -> bool {
    match c {
        Cond::Opaque { .. } => true,
        Cond::Any(ps) => ps.iter().flatten().any(has_opaque),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            false
        }
    }
}

/// `[p] e = [gist p] e` where `given` holds; the private sums keep visible ranges. `None` if it never holds.
pub(super) fn simplified(p: &Pred, sums: &[Index], given: &Known) -> Option<Pred> {
    let p = match tidy(p.clone()) {
        Ok(p) => in_order_of_evaluation(p),
        Err(Stop::Empty) => return None,
        Err(Stop::Unknown) => in_order_of_evaluation(p.clone()),
    };
    Some(ranged(given.gist(&p)?, &p, sums))
}

/// The same conjunction, each read of a condition in range where it is asked: see [`Function::guarded`].
pub(super) fn in_range(s: &State, given: &Known, p: &Pred) -> Pred {
    s.f.guarded(p, &|before, c| given.and(before).entails(std::slice::from_ref(c)))
}

/// A guard with enough of the conditions `from` for every private sum to have a range, if they are enough.
pub(crate) fn ranged(mut p: Pred, from: &Pred, sums: &[Index]) -> Pred {
    let mut open = unbounded(&p, sums);
    if open.is_empty() {
        return p;
    }
    let mut all = p.clone();
    all.extend(from.iter().filter(|c| !p.contains(c)).cloned());
    while !open.is_empty() {
        // The next in an order in which all of them have ranges.
        let next = open.iter().copied().find(|s| {
            let later: Vec<Index> = open.iter().copied().filter(|r| r != s).collect();
            [true, false].iter().all(|lower| all.iter().any(|c| bounds(c, *s, *lower, &later)))
        });
        let Some(s) = next else { return p };
        let later: Vec<Index> = open.iter().copied().filter(|r| *r != s).collect();
        for lower in [true, false] {
            if !p.iter().any(|c| bounds(c, s, lower, &later)) {
                p.splice(0..0, from.iter().find(|c| bounds(c, s, lower, &later)).cloned());
            }
        }
        open = unbounded(&p, sums);
        if open.contains(&s) {
            return p;
        }
    }
    p
}

/// In `p1 ∨ p2 ∨ …` what the other conditions exclude goes, and so does what they entail; of many such unions the nearest before it are others. `None`
/// if nothing is left. Beside it the guard with all that the alternatives say that are left: a sum may have its range from there.
fn unions(guard: Pred, given: &Known) -> Option<(Pred, Pred)> {
    if !guard.iter().any(|c| matches!(c, Cond::Any(_))) {
        return Some((guard.clone(), guard));
    }
    let (mut out, mut said): (Pred, Pred) = (vec![], vec![]);
    for (k, c) in guard.iter().enumerate() {
        let Cond::Any(ps) = c else {
            out.push(c.clone());
            said.push(c.clone());
            continue;
        };
        let is_near = |j: usize| (k.saturating_sub(weights::index::NEAR)..k).contains(&j);
        let others = guard.iter().enumerate().filter(|(j, d)| is_near(*j) || !matches!(d, Cond::Any(_)));
        let context = given.and(&others.map(|(_, d)| d.clone()).collect::<Pred>());
        let (mut alternatives, mut live): (Vec<Pred>, Vec<Pred>) = (vec![], vec![]);
        for all in ps {
            if let Some((p, _)) = context.gist(all).and_then(|p| unions(p, &context)) {
                live.push(tidy(all.clone()).unwrap_or_else(|_| all.clone()));
                if !alternatives.contains(&p) {
                    alternatives.push(p);
                }
            }
        }
        match live.as_slice() {
            [only] => said.extend(only.iter().cloned()),
            _ => said.push(Cond::Any(live)),
        }
        if alternatives.iter().any(Vec::is_empty) {
            continue;
        }
        match alternatives.len() {
            0 => return None,
            1 => out.extend(alternatives.pop().unwrap_or_default()),
            _ => out.push(Cond::Any(alternatives)),
        }
    }
    Some((out, said))
}

/// `[p ∨ q] e = [p] e + [q ∧ ¬p] e`, where that is not opaque; with private sums only if the coefficient is not applied twice. A view stays
/// one, so that it can be put in where it is read.
fn split(given: &Known, t: Term) -> Vec<Term> {
    if t.sums.is_empty() && t.factors.len() == 1 && t.coeff.abs() == 1.0 {
        return vec![t];
    }
    let is_union = |c: &Cond| matches!(c, Cond::Any(_)) && !has_opaque(c);
    let may_be = t.sums.is_empty() || t.coeff.abs() == 1.0;
    let is_long = t.guard.iter().filter(|c| is_union(c)).count() > weights::simplify::SPLIT;
    let at = t.guard.iter().position(is_union).filter(|_| may_be && !is_long);
    let Some(at) = at else { return vec![t] };
    let mut rest = t.guard.clone();
    let Cond::Any(ps) = rest.remove(at) else { return vec![t] };
    let Some(pieces) = given.and(&rest).disjoint(&ps, weights::simplify::TERMS) else { return vec![t] };
    let mut out = vec![];
    for piece in pieces {
        let mut guard = rest.clone();
        guard.extend(piece);
        if !unbounded(&guard, &t.sums).is_empty() {
            // What bounds a sum in the alternative that the piece is of may follow from what the others exclude.
            let here = given.and(&guard);
            let holds = |c: &&Cond| here.entails(std::slice::from_ref(*c));
            let from: Pred = ps.iter().flatten().filter(holds).cloned().collect();
            guard = ranged(guard, &from, &t.sums);
        }
        out.extend(term(given, Term { guard, ..t.clone() }));
    }
    out
}

/// The indices that a guard mentions.
pub(super) fn mentions(p: &[Cond], i: Index) -> bool {
    p.iter().any(|c| cond_indices(c).any(|j| j == i))
}

/// The equalities of a guard that are about these indices and sizes alone.
pub(super) fn equalities<'a>(p: &'a [Cond], over: &'a [Index]) -> impl Iterator<Item = &'a Affine> + 'a {
    p.iter().filter_map(move |c| match c {
        Cond::Zero(a) if indices_of(a).all(|i| over.contains(&i)) => Some(a),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => None,
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => None,
    })
}

/// An equality solved for the last of these indices that has a unit coefficient: `(position, value)`.
pub(super) fn solved_for(a: &Affine, over: &[Index]) -> Option<(usize, Affine)> {
    let k = (0..over.len()).rev().find(|k| a.coeff(&over[*k].atom()).abs() == 1 && solves(a, over[*k]))?;
    let c = a.coeff(&over[k].atom());
    let rest = a.plus_scaled(-c, &over[k].affine())?;
    Some((k, rest.scale(-c)?))
}

/// The guard of an extreme.
pub(super) fn of_reduction(given: &Known, p: &Pred, over: Index) -> Option<Pred> {
    Some(plainly_ranged(of_statement(given, p, &[over])?, p, over))
}

/// A guard with conditions `from` that bound an index outside of alternatives: an extreme stays one loop.
pub(crate) fn plainly_ranged(mut p: Pred, from: &Pred, over: Index) -> Pred {
    for lower in [true, false] {
        let is_bound = |c: &&Cond| is_plain_bound(c, over, lower);
        if !p.iter().any(|c| is_bound(&c)) {
            p.splice(0..0, from.iter().find(is_bound).cloned());
        }
    }
    p
}

/// Whether a guard bounds an index on both sides outside of alternatives.
pub(crate) fn is_plainly_ranged(p: &Pred, over: Index) -> bool {
    [true, false].iter().all(|lower| p.iter().any(|c| is_plain_bound(c, over, *lower)))
}

fn is_plain_bound(c: &Cond, over: Index, lower: bool) -> bool {
    !matches!(c, Cond::Any(_)) && bounds(c, over, lower, &[])
}

/// The guard of a whole statement, `sums` being what it binds; `None` if it never holds.
pub(super) fn of_statement(given: &Known, p: &Pred, sums: &[Index]) -> Option<Pred> {
    let (p, said) = unions(simplified(p, sums, given)?, given)?;
    Some(ranged(p, &said, sums))
}
