//! Sizes from shapes.

use super::Value;
use crate::index::affine::{Affine, Atom};

/// A way to compute the sizes from the dimensions of the arguments.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// In order: `size = num / den` over dimensions (as `Index` atoms, by number) and sizes found before.
    /// The division must be exact and the result non-negative.
    pub found: Vec<Value>,
    /// Dimensions that were not used to find a size: to be compared with their extents.
    pub checks: Vec<usize>,
    /// Sizes that the shapes do not determine.
    pub free: Vec<Atom>,
}

fn is_size(a: &Atom) -> bool {
    matches!(a, Atom::Size(_))
}

/// The equation and the size to solve next: fewest unknown sizes, then the least coefficient, then the shortest. A size that
/// also stands inside a product or a quotient of the equation cannot be had from it.
fn next(eqs: &[Option<Affine>]) -> Option<(usize, Atom)> {
    let mut best: Option<((usize, i64, usize, usize), Atom)> = None;
    for (d, e) in eqs.iter().enumerate() {
        let Some(e) = e else { continue };
        let hidden = |a: &Atom| e.terms.iter().any(|t| t.0 != *a && t.0.mentions(a));
        let unknown = e.terms.iter().filter(|t| is_size(&t.0)).count();
        for (a, c) in e.terms.iter().filter(|t| is_size(&t.0) && !hidden(&t.0)) {
            let key = (unknown, c.abs(), e.terms.len(), d);
            if best.as_ref().is_none_or(|b| key < b.0) {
                best = Some((key, a.clone()));
            }
        }
    }
    best.map(|((_, _, _, d), a)| (d, a))
}

/// Solves `dim_d = extent_d` for the sizes. A bare size is taken from its first dimension; then equations with one
/// unknown size, the smallest coefficient first; then unit coefficients, then the rest. `None` on overflow.
#[must_use]
pub fn solve_sizes(extents: &[Affine], n_sizes: u32) -> Option<Sizes> {
    // e_d = scale_d · (extent - dim) with the found sizes replaced
    let equation = |(d, e): (usize, &Affine)| e.minus(&Affine::index(u32::try_from(d).ok()?));
    let mut eqs: Vec<Option<Affine>> =
        extents.iter().enumerate().map(|e| equation(e).map(Some)).collect::<Option<_>>()?;
    let mut used = vec![false; eqs.len()];
    let mut out = Sizes::default();
    while let Some((d, size)) = next(&eqs) {
        let e = eqs[d].take()?;
        used[d] = true;
        let c = e.coeff(&size);
        let rest = e.plus_scaled(-c, &size.clone().into())?.scale(-c.signum())?;
        for other in eqs.iter_mut().flatten() {
            *other = other.substitute(&size, &rest, c.abs())?;
        }
        // Sizes found earlier may be in terms of this one: replaced too, so that only dimensions remain.
        for v in &mut out.found {
            v.substitute(&size, &rest, c.abs())?;
        }
        out.found.push(Value { atom: size, num: rest, den: c.abs() });
    }
    out.found.iter_mut().for_each(Value::reduce);
    // Not found, or still in terms of a size: not determined.
    let is_open = |v: &Value| v.num.any_atom(&is_size);
    let determined = |s: &Atom| out.found.iter().any(|v| v.atom == *s && !is_open(v));
    out.free = (0..n_sizes).map(Atom::Size).filter(|s| !determined(s)).collect();
    out.checks = (0..used.len()).filter(|d| !used[*d]).collect();
    Some(out)
}
