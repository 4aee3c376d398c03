//! Equalities solved for indices.

use super::exists;
use crate::index::affine::{Affine, Atom, floor};
use crate::index::omega::{R, Stop, Work, floor_div, gcd};
use crate::index::pred::{Cond, Pred};
use crate::index::query::Facts;

/// `atom = num / den`, exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// What is determined.
    pub atom: Atom,
    /// The numerator.
    pub num: Affine,
    /// The denominator, at least 1.
    pub den: i64,
}

impl Value {
    /// The value as an affine form; `None` on overflow.
    #[must_use]
    pub fn as_affine(&self) -> Option<Affine> {
        floor(&self.num, self.den)
    }
    /// Puts `e / k` for `u`.
    pub(super) fn substitute(&mut self, u: &Atom, e: &Affine, k: i64) -> Option<()> {
        if self.num.mentions(u) {
            self.num = self.num.substitute(u, e, k)?;
            self.den = self.den.checked_mul(k)?;
            self.reduce();
        }
        Some(())
    }
    /// Lowest terms.
    pub(super) fn reduce(&mut self) {
        let g = gcd(gcd(self.num.content(), self.num.constant), self.den);
        self.num.terms.iter_mut().for_each(|t| t.1 /= g);
        self.num.constant /= g;
        self.den /= g;
    }
}

/// What decides which unknown comes first: its coefficient, whether it has a range, whether it is in that of another or another equality gives it, its rank, and
/// the place of the equality.
type Order = (i64, bool, bool, usize, usize);

/// The equality and the unknown to solve next: least coefficient, then order of the unknowns. The order is reversed where an unknown stands
/// in a product: of `k = i (i − 1) / 2 + j` the ranges of i and j bound k, but no range of k bounds them. One whose range has been left out, as it follows from
/// the others', comes before all, and then those that no range of another mentions: where `j < i`, j would have none without i. What an equality gives that has no
/// other unknown is known by that: the product is a condition on the others, which may have no range but by it.
fn next<'a>(p: &[Cond], unknowns: &'a [Atom], values: &[Value]) -> R<Option<(usize, &'a Atom)>> {
    let mut best: Option<(Order, &Atom)> = None;
    let is_side =
        |u: &Atom, sign: i64| p.iter().any(|c| matches!(c, Cond::NonNeg(a) if a.coeff(u).signum() == sign));
    let has_others = |a: &Affine, u: &Atom| unknowns.iter().any(|v| v != u && a.mentions(v));
    let bounds_others =
        |u: &Atom| p.iter().any(|c| matches!(c, Cond::NonNeg(a) if a.mentions(u) && has_others(a, u)));
    let is_given =
        |u: &Atom| p.iter().any(|c| matches!(c, Cond::Zero(a) if a.coeff(u) != 0 && !has_others(a, u)));
    for (at, c) in p.iter().enumerate() {
        let Cond::Zero(a) = c else { continue };
        let g = a.content();
        if if g == 0 { a.constant != 0 } else { a.constant % g != 0 } {
            return Err(Stop::Empty);
        }
        let product = |t: &Atom| t.is_product() && unknowns.iter().any(|u| t.mentions(u));
        let reversed = a.any_atom(&product);
        for (rank, u) in unknowns.iter().enumerate() {
            let rank = if reversed { unknowns.len() - rank } else { rank };
            let k = a.coeff(u).abs() / g.max(1);
            let hidden = a.terms.iter().any(|t| t.0 != *u && t.0.mentions(u));
            if k == 0 || hidden || values.iter().any(|v| v.atom == *u) {
                continue;
            }
            let has_range = !reversed || is_given(u) || is_side(u, 1) && is_side(u, -1);
            let key = (k, has_range, reversed && (is_given(u) || bounds_others(u)), rank, at);
            if best.as_ref().is_none_or(|b| key < b.0) {
                best = Some((key, u));
            }
        }
    }
    Ok(best.map(|((.., at), u)| (at, u)))
}

/// Solves the equalities of `p` for indices in `unknowns`, the first that have coefficient ±1 first, then by least
/// coefficient. What remains of `p` does not mention the solved ones: their ranges are conditions on the others
/// now, and a coefficient `k` leaves a residue.
pub fn solve_equalities(p: &[Cond], unknowns: &[Atom]) -> R<(Vec<Value>, Pred)> {
    let mut rest: Pred = p.to_vec();
    let mut values: Vec<Value> = vec![];
    while let Some((at, u)) = next(&rest, unknowns, &values)? {
        let Cond::Zero(a) = &rest[at] else { break };
        // g (c u + e) = 0, so u = -e / c
        let g = a.content();
        let c = a.coeff(u) / g;
        let terms = a.terms.iter().filter(|t| t.0 != *u).map(|t| (t.0.clone(), t.1 / g)).collect();
        let e = Affine { terms, constant: a.constant / g };
        let e = if c > 0 { e.negated() } else { e };
        let k = c.abs();
        let around = if reads_element(&e) { around(&rest, at, u)? } else { vec![] };
        for (j, cond) in rest.iter_mut().enumerate() {
            if j == at {
                *cond = Cond::Residue(e.clone(), k);
            } else {
                *cond = cond.substitute(u, &e, k).ok_or(Stop::Unknown)?;
            }
        }
        for v in &mut values {
            v.substitute(u, &e, k).ok_or(Stop::Unknown)?;
        }
        values.push(Value { atom: u.clone(), num: e, den: k });
        rest = tidy([around, rest].concat())?;
    }
    Ok((values, rest))
}

/// Whether it reads an index array.
fn reads_element(a: &Affine) -> bool {
    a.any_atom(&|t| matches!(t, Atom::Element(..)))
}

/// `∃ u. p` of what `p` says beside the equality `at`, without elements: where that fails there was no `u` to compare an element with, and
/// where there is none the element itself may not be there.
fn around(p: &[Cond], at: usize, u: &Atom) -> R<Pred> {
    let plain = |(k, c): &(usize, &Cond)| {
        *k != at && c.mentions(u) && c.is_affine() && !c.affines().into_iter().any(reads_element)
    };
    let about: Pred = p.iter().enumerate().filter(plain).map(|(_, c)| c.clone()).collect();
    let gone = std::slice::from_ref(u);
    let mut pieces =
        exists(&about, gone, false, &[], &Facts::default(), &mut Work::default()).ok_or(Stop::Unknown)?;
    match pieces.len() {
        0 => Err(Stop::Empty),
        1 => Ok(pieces.remove(0)),
        _ => Ok(vec![Cond::Any(pieces)]),
    }
}

/// Lowest terms, without what is constantly true or said twice. `Err(Empty)` if a condition is constantly false.
pub fn tidy(p: Pred) -> R<Pred> {
    let mut out: Pred = vec![];
    for c in p {
        if let Some(c) = tidy_cond(c)?
            && !out.contains(&c)
        {
            out.push(c);
        }
    }
    Ok(out)
}

/// `a ≡ 0 (mod k)` in lowest terms, with coefficients near zero; `None` if it never holds.
fn lowest(a: &Affine, k: i64) -> Option<(Affine, i64)> {
    let g = gcd(a.content(), k);
    (a.constant % g == 0).then_some(())?;
    let k = k / g;
    let near = |c: i64| {
        let r = (c / g).rem_euclid(k);
        if r * 2 > k { r - k } else { r }
    };
    let terms = a.terms.iter().map(|t| (t.0.clone(), near(t.1))).filter(|t| t.1 != 0).collect();
    Some((Affine { terms, constant: near(a.constant) }, k))
}

fn constantly(holds: bool) -> R<Option<Cond>> {
    if holds { Ok(None) } else { Err(Stop::Empty) }
}

fn tidy_cond(c: Cond) -> R<Option<Cond>> {
    let divide = |a: &mut Affine, g: i64| {
        a.terms.iter_mut().for_each(|t| t.1 /= g);
        a.constant = floor_div(a.constant, g);
    };
    Ok(Some(match c {
        Cond::NonNeg(mut a) => {
            let g = a.content();
            if g == 0 {
                return constantly(a.constant >= 0);
            }
            divide(&mut a, g);
            Cond::NonNeg(a)
        }
        Cond::Zero(mut a) => {
            let g = a.content();
            if g == 0 || a.constant % g != 0 {
                return constantly(g == 0 && a.constant == 0);
            }
            divide(&mut a, g);
            // The first coefficient is positive.
            Cond::Zero(if a.terms.first().is_some_and(|t| t.1 < 0) { a.negated() } else { a })
        }
        Cond::NonZero(mut a) => {
            let g = a.content();
            if g == 0 || a.constant % g != 0 {
                return constantly(g > 0 || a.constant != 0);
            }
            divide(&mut a, g);
            Cond::NonZero(a)
        }
        Cond::Residue(a, k) => match lowest(&a, k) {
            None => return constantly(false),
            Some((_, 1)) => return constantly(true),
            Some((a, k)) => Cond::Residue(a, k),
        },
        Cond::NonResidue(a, k) => match lowest(&a, k) {
            None => return constantly(true),
            Some((_, 1)) => return constantly(false),
            Some((a, k)) => Cond::not_residue(a, k),
        },
        Cond::Opaque { .. } | Cond::Any(_) => c,
    }))
}
