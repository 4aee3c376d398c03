//! Congruences of one form: `x + c ≡ 0 (mod k)`, where `x` is the same.

use crate::index::affine::Affine;
use crate::index::omega::{R, Stop, gcd, inverse};
use crate::index::pred::Cond;
use crate::weights;
use std::borrow::Cow;

/// `p`, with one congruence for all of a form: modulo the least common multiple, where that is not too large. `Empty` where two exclude each other.
pub(super) fn joined<'a>(p: impl Iterator<Item = &'a Cond>) -> R<Vec<Cow<'a, Cond>>> {
    let mut out: Vec<Cow<'a, Cond>> = vec![];
    'each: for c in p {
        if let Cond::Residue(a, k) = c {
            for before in &mut out {
                let Cond::Residue(b, m) = &**before else { continue };
                if a.terms != b.terms {
                    continue;
                }
                if let Some((constant, modulus)) = both((b.constant, *m), (a.constant, *k))? {
                    if modulus != *m {
                        let form = Affine { terms: a.terms.clone(), constant };
                        *before = Cow::Owned(Cond::Residue(form, modulus));
                    }
                    continue 'each;
                }
            }
        }
        out.push(Cow::Borrowed(c));
    }
    Ok(out)
}

/// `x + c ≡ 0 (mod k)` and `x + d ≡ 0 (mod m)` as one; `None` where its modulus is large.
fn both((c, k): (i64, i64), (d, m): (i64, i64)) -> R<Option<(i64, i64)>> {
    let g = gcd(k, m);
    let (c, d) = (c.rem_euclid(k), d.rem_euclid(m));
    if (d - c) % g != 0 {
        return Err(Stop::Empty);
    }
    let Some(modulus) = (k / g).checked_mul(m).filter(|l| *l <= weights::index::MODULUS) else {
        return Ok(None);
    };
    // c + k t ≡ d (mod m)
    let t = (d - c) / g % (m / g) * inverse(k / g, m / g) % (m / g);
    Ok(Some(((c + k * t).rem_euclid(modulus), modulus)))
}

/// The form of a congruence or of its negation, the modulus, and which of both it is.
fn congruence(c: &Cond) -> Option<(&Affine, i64, bool)> {
    match c {
        Cond::Residue(a, k) => Some((a, *k, true)),
        Cond::NonResidue(a, k) => Some((a, *k, false)),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Opaque { .. } | Cond::Any(_) => None,
    }
}

/// Whether a congruence, or the negation of one, follows from congruences of its form. Each says what it says modulo the common divisor, and together
/// they say that modulo the least common multiple; one that leaves another remainder there excludes it.
pub(super) fn follows(c: &Cond, others: &[&Cond]) -> bool {
    let Some((a, k, is_residue)) = congruence(c) else { return false };
    let mut known = 1;
    for other in others {
        if let Cond::Residue(b, m) = other
            && a.terms == b.terms
            && let Some(d) = a.constant.checked_sub(b.constant)
        {
            let g = gcd(k, *m);
            if d % g == 0 {
                known = known / gcd(known, g) * g;
            } else if !is_residue {
                return true;
            }
        }
    }
    is_residue && known == k
}

/// Whether [`follows`] has said all there is to say: what else speaks of the same is congruent, too, and there is at most one negation. (The ranges
/// around of what is counted are no shorter than its moduli.)
pub(super) fn is_decided(c: &Cond, others: &[&Cond], given: &[Cond]) -> bool {
    let Some((a, ..)) = congruence(c) else { return false };
    let speaks = |d: &&Cond| d.any_atom(&|t| c.mentions(t));
    let is_range = |d: &&Cond| matches!(d, Cond::NonNeg(_));
    let of_form = |d: &Cond| congruence(d).is_some_and(|(b, ..)| a.terms == b.terms);
    let mut about = others.iter().copied().filter(speaks);
    let negations = about.clone().filter(|d| matches!(d, Cond::NonResidue(..))).count();
    negations <= 1 && about.all(of_form) && !given.iter().filter(speaks).any(|d| !is_range(&d))
}

/// Whether two congruences of one form say nothing of each other: their moduli have no common divisor.
pub(super) fn is_independent(c: &Cond, d: &Cond) -> bool {
    matches!((c, d), (Cond::Residue(a, k), Cond::Residue(b, m)) if a.terms == b.terms && gcd(*k, *m) == 1)
}

#[cfg(test)]
mod tests {
    use super::{follows, joined};
    use crate::index::pred::{Cond, Pred};
    use crate::index::{Affine, Atom};

    fn congruent(constant: i64, k: i64) -> Cond {
        Cond::Residue(Affine::from(Atom::Index(0)).step(constant), k)
    }

    fn holds(p: &[Cond], x: i64) -> bool {
        p.iter().all(|c| c.eval(&|_| x, &|_, _| false))
    }

    /// All pairs and a third, against enumeration over the least common multiple of all.
    #[test]
    fn joined_they_hold_at_the_same_points() {
        let all = (2..8).flat_map(|k| (0..k).map(move |c| congruent(c - 2 * k, k)));
        let all: Pred = all.collect();
        for c in &all {
            for d in &all {
                let p = [c.clone(), d.clone(), congruent(1, 4)];
                let one: Option<Pred> =
                    joined(p.iter()).ok().map(|p| p.into_iter().map(|c| c.into_owned()).collect());
                assert!(one.as_ref().is_none_or(|p| p.len() == 1));
                for x in -10..1680 {
                    assert_eq!(holds(&p, x), one.as_ref().is_some_and(|p| holds(p, x)), "{p:?} {one:?} {x}");
                }
                let entailed = (0..1680).all(|x| !holds(&p[1..], x) || holds(&p[..1], x));
                let possible = (0..1680).any(|x| holds(&p[1..], x));
                let found = follows(&p[0], &[&p[1], &p[2]]);
                assert!(if possible { found == entailed } else { !found || entailed }, "{p:?}");
                let Cond::Residue(a, k) = &p[0] else { unreachable!() };
                let not = Cond::not_residue(a.clone(), *k);
                let excluded = (0..1680).all(|x| !holds(&p[1..], x) || !holds(&p[..1], x));
                let found = follows(&not, &[&p[1], &p[2]]);
                assert!(if possible { found == excluded } else { !found || excluded }, "{not:?} {p:?}");
            }
        }
    }
}
