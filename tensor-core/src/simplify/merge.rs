//! Terms that are equal up to names, or that complement each other, are one.

use super::ask::Known;
use super::guard;
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::{self, Map};
use crate::ssa::rename::{Substitution, cond_indices, indices_of};
use crate::ssa::verify::unbounded;
use crate::ssa::{Access, ArrayId, Index, Term};
use crate::weights;

/// Where canonical names of private sums begin, and those of the indices of a statement.
const SUMS: u32 = 0x8000_0000;
/// See [`SUMS`].
const GENS: u32 = 0x4000_0000;

/// A term up to the names of its private sums, the order of its factors and conditions, and what its equalities say.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct TermKey {
    sums: usize,
    factors: Vec<Access>,
    guard: Pred,
}

/// Names that do not depend on those of the statement.
pub(super) fn canonical_gens(gens: &[Index]) -> Substitution {
    let to: Vec<Index> = (0..).zip(gens).map(|(k, _)| Index(GENS + k)).collect();
    Substitution::renaming(gens, &to)
}

/// The key of a term, and its private sums in canonical order.
pub(super) fn key(t: &Term, gens: &[Index], names: &Substitution) -> Option<(TermKey, Vec<Index>)> {
    let reduced = reduced(&t.factors, &t.guard, gens).unwrap_or_else(|| t.factors.clone());
    let mut best: Option<(TermKey, Vec<Index>)> = None;
    for order in orders(&reduced) {
        let sums = order_of_sums(t, &order);
        let to: Vec<Index> = (0..).zip(&sums).map(|(k, _)| Index(SUMS + k)).collect();
        let rename = Substitution::renaming(&sums, &to);
        let both = |a: &Access| names.access(&rename.access(a)?);
        let mut factors = order.iter().map(both).collect::<Option<Vec<_>>>()?;
        sorted::sort(&mut factors);
        let mut guard = names.pred(&rename.pred(&t.guard)?)?;
        sorted::sort(&mut guard);
        let k = TermKey { sums: sums.len(), factors, guard };
        if best.as_ref().is_none_or(|b| k < b.0) {
            best = Some((k, sums));
        }
    }
    best
}

fn orders(factors: &[Access]) -> Vec<Vec<Access>> {
    let mut out = vec![factors.to_vec()];
    if let [a, b] = factors
        && a.array == b.array
    {
        out.push(vec![b.clone(), a.clone()]);
    } else {
        sorted::sort_by_key(&mut out[0], |a| a.array);
    }
    out
}

/// By first appearance in the factors, then in the guard.
fn order_of_sums(t: &Term, factors: &[Access]) -> Vec<Index> {
    let mut out: Vec<Index> = vec![];
    let in_factors = factors.iter().flat_map(|a| a.at.iter().flat_map(indices_of));
    for i in in_factors.chain(t.guard.iter().flat_map(cond_indices)).chain(t.sums.iter().copied()) {
        if t.sums.contains(&i) && !out.contains(&i) {
            out.push(i);
        }
    }
    out
}

/// The factors with what the equalities of the guard say of the indices of the statement put in.
fn reduced(factors: &[Access], p: &[Cond], gens: &[Index]) -> Option<Vec<Access>> {
    let mut factors = factors.to_vec();
    let mut equalities: Vec<Affine> = guard::equalities(p, gens).cloned().collect();
    while let Some(e) = equalities.pop() {
        let Some((k, value)) = guard::solved_for(&e, gens) else { continue };
        let put = Substitution::new(&[gens[k]], &[value]);
        factors = factors.iter().map(|a| put.access(a)).collect::<Option<_>>()?;
        equalities = put_all(&put, &equalities)?;
    }
    Some(factors)
}

fn put_all(put: &Substitution, list: &[Affine]) -> Option<Vec<Affine>> {
    list.iter().map(|a| put.affine(a)).collect()
}

/// `c e + d e = (c + d) e`, and `[p] e + [q] e = [p ∨ q] e` where `p ∧ q` is empty and `p ∨ q` one conjunction.
pub(super) fn merged(terms: Vec<Term>, gens: &[Index], given: &Known) -> Vec<Term> {
    let mut out: Vec<Term> = vec![];
    let mut seen: Map<TermKey, usize> = Map::new();
    for t in terms {
        match key(&t, gens, &Substitution::default()) {
            Some((k, _)) if seen.contains_key(&k) => {
                mark::hit(Mark::TermsAdded);
                out[seen[&k]].coeff += t.coeff;
            }
            k => {
                seen.extend(k.map(|(k, _)| (k, out.len())));
                out.push(t);
            }
        }
    }
    out.retain(|t| t.coeff != 0.0);
    unite(out, gens, given)
}

fn unite(terms: Vec<Term>, gens: &[Index], given: &Known) -> Vec<Term> {
    let mut tries = 0;
    let mut out: Vec<Option<Term>> = vec![];
    let mut kinds: Map<Kind, Alike> = Map::new();
    for mut t in terms {
        let alike = kinds.entry(Kind::of(&t)).or_default();
        let (mut before, mut looks) = (out.len(), 0);
        while let Some(k) = alike.last(&t, gens, before).filter(|_| looks < weights::simplify::ALIKE) {
            before = k;
            looks += 1;
            if tries < weights::simplify::UNIONS
                && let Some(other) = &out[k]
                && let Some((asked, union)) = united(other, &t, gens, given)
            {
                tries += asked;
                if let Some(union) = union {
                    t = union;
                    out[k] = None;
                    before = out.len();
                }
            }
        }
        alike.insert(&t, gens, out.len());
        out.push(Some(t));
    }
    out.into_iter().flatten().collect()
}

/// What terms that can be one have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    coeff: u64,
    sums: usize,
    arrays: Vec<ArrayId>,
}

impl Kind {
    fn of(t: &Term) -> Kind {
        let mut arrays: Vec<ArrayId> = t.factors.iter().map(|a| a.array).collect();
        sorted::sort(&mut arrays);
        Kind { coeff: t.coeff.to_bits(), sums: t.sums.len(), arrays }
    }
}

/// The places of terms of one kind: by what they read, where no equality of their guard says that this is also something else.
#[derive(Default)]
struct Alike {
    all: Vec<usize>,
    plain: Map<Vec<Access>, Vec<usize>>,
    solved: Vec<usize>,
}

impl Alike {
    fn insert(&mut self, t: &Term, gens: &[Index], at: usize) {
        self.all.push(at);
        match plain_factors(t, gens) {
            Some(factors) => self.plain.entry(factors).or_default().push(at),
            None => self.solved.push(at),
        }
    }

    /// The last place before `end` of a term that may be one with `t`.
    fn last(&self, t: &Term, gens: &[Index], end: usize) -> Option<usize> {
        let last = |list: &[usize]| list[..list.partition_point(|k| *k < end)].last().copied();
        match plain_factors(t, gens) {
            Some(factors) => last(&self.solved).max(self.plain.get(&factors).and_then(|list| last(list))),
            None => last(&self.all),
        }
    }
}

/// The factors up to the names of private sums; none where an equality speaks of the indices of the statement.
fn plain_factors(t: &Term, gens: &[Index]) -> Option<Vec<Access>> {
    if guard::equalities(&t.guard, gens).next().is_some() {
        return None;
    }
    let sums = order_of_sums(t, &t.factors);
    let to: Vec<Index> = (0..).zip(&sums).map(|(k, _)| Index(SUMS + k)).collect();
    let rename = Substitution::renaming(&sums, &to);
    let mut factors = t.factors.iter().map(|a| rename.access(a)).collect::<Option<Vec<_>>>()?;
    sorted::sort(&mut factors);
    Some(factors)
}

/// Two of one kind as one, if their values are the same: `(whether the solver was asked, the union)`.
fn united(a: &Term, b: &Term, gens: &[Index], given: &Known) -> Option<(usize, Option<Term>)> {
    let (sums_a, sums_b) = (order_of_sums(a, &a.factors), order_of_sums(b, &b.factors));
    let b = &Substitution::renaming(&sums_b, &sums_a).term(b)?;
    let factors = common_factors(a, b, gens)?;
    let with = |guard: Pred| Term { sums: a.sums.clone(), guard, coeff: a.coeff, factors: factors.clone() };
    let ranged = |p: &Pred| unbounded(p, &a.sums).is_empty();
    if let Some(guard) = complementary(&a.guard, &b.guard).filter(ranged) {
        mark::hit(Mark::Complementary);
        return Some((0, Some(with(guard))));
    }
    if a.guard.iter().chain(&b.guard).any(|c| !c.is_affine()) || !given.excludes(&a.guard, &b.guard) {
        return Some((1, None));
    }
    let union = given.coalesce(&a.guard, &b.guard).filter(ranged).map(with);
    Some((1, union.inspect(|_| mark::hit(Mark::Coalesced))))
}

/// Factors that are those of `a` where its guard holds, and those of `b` where that of `b` does.
fn common_factors(a: &Term, b: &Term, gens: &[Index]) -> Option<Vec<Access>> {
    let sorted = |factors: &[Access]| {
        let mut factors = factors.to_vec();
        sorted::sort(&mut factors);
        factors
    };
    if sorted(&a.factors) == sorted(&b.factors) {
        return Some(a.factors.clone());
    }
    let equal_under = |p: &Pred| {
        guard::equalities(p, gens).next()?;
        Some(sorted(&reduced(&a.factors, p, gens)?) == sorted(&reduced(&b.factors, p, gens)?))
    };
    if equal_under(&a.guard) == Some(true) {
        return Some(b.factors.clone());
    }
    (equal_under(&b.guard) == Some(true)).then(|| a.factors.clone())
}

/// `r` where the guards are `r ∧ c` and `r ∧ ¬c`, in any order.
fn complementary(p: &Pred, q: &Pred) -> Option<Pred> {
    if p.len() != q.len() {
        return None;
    }
    let mut only_p = p.iter().filter(|c| !q.contains(c));
    let mut only_q = q.iter().filter(|c| !p.contains(c));
    let (c, d) = (only_p.next()?, only_q.next()?);
    if only_p.next().is_some() || only_q.next().is_some() {
        return None;
    }
    let negated = c.negate();
    (negated.len() == 1 && negated[0].len() == 1 && negated[0][0] == *d)
        .then(|| p.iter().filter(|e| *e != c).cloned().collect())
}
