//! What conditions say of some atoms, by their looks alone: each bound from below against each from above.
//!
//! Fourier and Motzkin's elimination over the rationals, so what comes out may say less than there is. It is for bounds that are to be seen.

use crate::index::affine::product;
use crate::index::query::{self, Facts};
use crate::index::{Affine, Atom, Cond, Pred, omega::Work};
use crate::mark::{self, Mark};
use crate::sorted;
use crate::weights;

/// `a ≤ s` and `s ≤ b` say `a ≤ b`: what holds of the rest once the atoms that are `gone` are eliminated. An equality bounds from both sides.
#[must_use]
pub fn seen_without(p: &[Cond], gone: &dyn Fn(&Atom) -> bool) -> Pred {
    let bounds = |c: &Cond| match c {
        Cond::NonNeg(a) => vec![a.clone()],
        Cond::Zero(a) => vec![a.clone(), a.negated()],
        Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) => vec![],
        Cond::Opaque { .. } | Cond::Any(_) => vec![],
    };
    let mut all: Vec<Affine> = vec![];
    p.iter().flat_map(bounds).for_each(|a| insert(&mut all, a));
    let next = |all: &[Affine]| {
        let terms = || all.iter().flat_map(|a| &a.terms).map(|t| &t.0).filter(|t| gone(t));
        // What others stand in goes first.
        let is_inside = |s: &Atom| terms().any(|t| t != s && t.any_atom(&|u| u == s));
        terms().find(|t| !is_inside(t)).cloned()
    };
    while let Some(s) = next(&all) {
        let (about, mut rest): (Vec<Affine>, Vec<Affine>) = all.into_iter().partition(|a| a.mentions(&s));
        for a in about.iter().filter(|a| a.coeff(&s) > 0) {
            for b in about.iter().filter(|b| b.coeff(&s) < 0) {
                let (k, l) = (a.coeff(&s), -b.coeff(&s));
                let sum = a.scale(l).and_then(|a| a.plus_scaled(k, b));
                let is_said = |e: &Affine| !e.mentions(&s) && !e.is_constant();
                if let Some(sum) = sum.filter(is_said) {
                    mark::hit(Mark::Seen);
                    insert(&mut rest, sum);
                }
            }
        }
        // Of too many those of indices, and of these the simplest: all that is said holds.
        if rest.len() > weights::index::BOUNDS {
            let is_index = |t: &Atom| matches!(t, Atom::Index(_));
            sorted::sort_by_key(&mut rest, |a| (!a.any_atom(&is_index), a.terms.len()));
            rest.truncate(weights::index::BOUNDS);
        }
        all = rest;
    }
    all.into_iter().map(Cond::NonNeg).collect()
}

/// Adds what is not negative; of two forms that differ by a number the smaller says both.
fn insert(all: &mut Vec<Affine>, a: Affine) {
    match all.iter_mut().find(|b| b.terms == a.terms) {
        Some(b) => b.constant = b.constant.min(a.constant),
        None => all.push(a),
    }
}

/// Whether the value of an atom depends on an element of an index array.
#[must_use]
pub fn has_element(a: &Atom) -> bool {
    a.any_atom(&|t| matches!(t, Atom::Element(..)))
}

/// The bounds of the elements of index arrays that occur in `p`, where it holds: the end where there is something to choose from; where there is not,
/// that it is the least. So for floors and products of these.
#[must_use]
pub fn element_bounds(p: &[Cond], given: &[Cond], facts: &Facts) -> Pred {
    let note = |a: &Affine, all: &mut Vec<Atom>| {
        a.each_atom(&mut |t| {
            if has_element(t) && !all.contains(t) {
                all.push(t.clone());
            }
        });
    };
    let mut elements: Vec<Atom> = vec![];
    p.iter().flat_map(Cond::affines).for_each(|a| note(a, &mut elements));
    let holds = |c: &Cond| query::entails_cond(&[given, p], c, facts, &mut Work::default());
    let is_natural = |t: &Atom| holds(&Cond::NonNeg(t.clone().into()));
    let (mut out, mut k) = (vec![], 0);
    while let Some(e) = elements.get(k).cloned() {
        out.extend(own_bounds(&e, facts, &holds));
        if let Atom::Product(factors) = &e {
            out.extend(factors.iter().all(is_natural).then(|| e.clone().into()));
            let own = multiplied(factors, &is_natural, &|t| own_bounds(t, facts, &holds));
            // That of a square has the product with what bounds it.
            own.iter().for_each(|a| note(a, &mut elements));
            out.extend(own);
        }
        k += 1;
    }
    out.into_iter().map(Cond::NonNeg).collect()
}

/// What is not negative by the definition of a quotient, and by the range of an element.
fn own_bounds(t: &Atom, facts: &Facts, holds: &dyn Fn(&Cond) -> bool) -> Vec<Affine> {
    let value = Affine::from(t.clone());
    match t {
        Atom::Floor(inner, k) => {
            let rest = inner.plus_scaled(-k, &value);
            rest.iter().map(|r| r.negated().step(k - 1)).chain(rest.clone()).collect()
        }
        Atom::Element(id, at) => {
            let Some((lower, upper)) = facts.ranges.get(id).and_then(|r| r.at(at)) else { return vec![] };
            let below = |a: &Affine, b: &Affine, k: i64| b.minus(a).map(|d| d.step(-k));
            let is_some = below(&lower, &upper, 1).is_some_and(|d| holds(&Cond::NonNeg(d)));
            let most = match is_some {
                true => below(&value, &upper, 1),
                false => below(&value, &lower, 0).filter(|d| holds(&Cond::NonNeg(d.clone()))),
            };
            below(&lower, &value, 0).into_iter().chain(most).collect()
        }
        Atom::Size(_) | Atom::Index(_) | Atom::Product(_) => vec![],
    }
}

/// `x · b ≥ 0` for a product `x · t`, where `b ≥ 0` bounds t and x is not negative.
fn multiplied(
    factors: &[Atom],
    is_natural: &dyn Fn(&Atom) -> bool,
    own: &dyn Fn(&Atom) -> Vec<Affine>,
) -> Vec<Affine> {
    let mut out = vec![];
    for (j, t) in factors.iter().enumerate() {
        let mut others = factors.iter().enumerate().filter(|(l, _)| *l != j).map(|(_, t)| t);
        let x = others.clone().try_fold(Affine::from(1), |all, t| product(&all, &t.clone().into()));
        if let (Some(x), true) = (x, others.all(is_natural)) {
            out.extend(own(t).iter().filter_map(|b| product(b, &x)));
        }
    }
    out
}
