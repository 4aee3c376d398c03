//! Index forms and predicates at a point, with checked reads.

use super::Error;
use crate::index::{Affine, Atom, Cond};

/// Where index forms and predicates are evaluated.
pub trait Point {
    /// A size, an index or an element of an index array; `None` for an index without a value yet.
    fn atom(&mut self, t: &Atom) -> Result<Option<i64>, Error>;
    /// A comparison of reals.
    fn opaque(&mut self, id: u32, args: &[Affine]) -> Result<bool, Error>;
}

/// The value of a form, if all its indices have one.
pub fn known(p: &mut dyn Point, a: &Affine) -> Result<Option<i64>, Error> {
    let mut sum = a.constant;
    for (t, c) in &a.terms {
        let Some(v) = known_atom(p, t)? else { return Ok(None) };
        let product = c.checked_mul(v).and_then(|v| sum.checked_add(v));
        sum = product.ok_or("index arithmetic overflows")?;
    }
    Ok(Some(sum))
}

fn known_atom(p: &mut dyn Point, t: &Atom) -> Result<Option<i64>, Error> {
    match t {
        Atom::Size(_) | Atom::Index(_) | Atom::Element(..) => p.atom(t),
        Atom::Floor(e, k) => Ok(known(p, e)?.map(|v| v.div_euclid(*k))),
        Atom::Product(fs) => {
            let mut all: i64 = 1;
            for f in fs {
                let Some(v) = known_atom(p, f)? else { return Ok(None) };
                all = all.checked_mul(v).ok_or("index arithmetic overflows")?;
            }
            Ok(Some(all))
        }
    }
}

/// The value of a form.
///
/// # Errors
/// An index has no value, or what it reads is out of range.
pub fn affine(p: &mut dyn Point, a: &Affine) -> Result<i64, Error> {
    known(p, a)?.ok_or_else(|| format!("an index of {a:?} has no value"))
}

/// The values of some forms.
///
/// # Errors
/// As [`affine`].
pub fn affines(p: &mut dyn Point, list: &[Affine]) -> Result<Vec<i64>, Error> {
    list.iter().map(|a| affine(p, a)).collect()
}

/// Whether all conditions hold, evaluated in order up to the first that does not.
///
/// # Errors
/// As [`affine`].
pub fn pred(p: &mut dyn Point, conds: &[Cond]) -> Result<bool, Error> {
    for c in conds {
        if !cond(p, c)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn cond(p: &mut dyn Point, c: &Cond) -> Result<bool, Error> {
    Ok(match c {
        Cond::Zero(a) => affine(p, a)? == 0,
        Cond::NonZero(a) => affine(p, a)? != 0,
        Cond::NonNeg(a) => affine(p, a)? >= 0,
        Cond::Residue(a, k) => affine(p, a)?.rem_euclid(*k) == 0,
        Cond::NonResidue(a, k) => affine(p, a)?.rem_euclid(*k) != 0,
        Cond::Opaque { id, args, holds } => p.opaque(*id, args)? == *holds,
        Cond::Any(alternatives) => {
            for q in alternatives {
                if pred(p, q)? {
                    return Ok(true);
                }
            }
            false
        }
    })
}

/// Least and greatest values; an end that is not known is `None`.
pub type Interval = (Option<i64>, Option<i64>);

/// The values of the index `i` that the conditions admit as far as they say so in what is known: for loops.
///
/// # Errors
/// As [`affine`].
pub fn interval(p: &mut dyn Point, conds: &[Cond], i: &Atom) -> Result<Interval, Error> {
    let (mut low, mut high) = (None::<i64>, None::<i64>);
    for c in conds {
        let (l, h) = cond_interval(p, c, i)?;
        low = low.max(l);
        high = match (high, h) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    Ok((low, high))
}

fn cond_interval(p: &mut dyn Point, c: &Cond, i: &Atom) -> Result<Interval, Error> {
    let (a, both) = match c {
        Cond::NonNeg(a) => (a, false),
        Cond::Zero(a) => (a, true),
        Cond::Any(alternatives) => {
            let all =
                alternatives.iter().map(|q| interval(p, q, i)).collect::<Result<Vec<Interval>, Error>>()?;
            let low = all.iter().map(|x| x.0).min().flatten();
            let high = all.iter().map(|x| x.1).collect::<Option<Vec<_>>>().and_then(|v| v.into_iter().max());
            return Ok(if all.is_empty() { (Some(0), Some(-1)) } else { (low, high) });
        }
        Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } => {
            return Ok((None, None));
        }
    };
    let c = a.coeff(i);
    let rest = Affine { terms: a.terms.iter().filter(|t| t.0 != *i).cloned().collect(), ..a.clone() };
    if c == 0 || has_element(&rest) {
        return Ok((None, None));
    }
    let Some(r) = known(p, &rest)? else { return Ok((None, None)) };
    // c i + r >= 0: i >= ⌈-r / c⌉, or i <= ⌊r / -c⌋
    let low = -(r.div_euclid(c.abs()));
    let high = r.div_euclid(c.abs());
    Ok(match (both, c > 0) {
        (false, true) => (Some(low), None),
        (false, false) => (None, Some(high)),
        (true, _) if r % c != 0 => (Some(0), Some(-1)),
        (true, _) => (Some(-r / c), Some(-r / c)),
    })
}

fn has_element(a: &Affine) -> bool {
    fn atom(t: &Atom) -> bool {
        match t {
            Atom::Size(_) | Atom::Index(_) => false,
            Atom::Floor(e, _) => has_element(e),
            Atom::Element(..) => true,
            Atom::Product(fs) => fs.iter().any(atom),
        }
    }
    a.terms.iter().any(|t| atom(&t.0))
}
