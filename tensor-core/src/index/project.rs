//! Projection: bounds of an index, `exists`, and solving equalities.

mod bounds;
mod exists;
mod seen;
mod sizes;
mod solve;

pub use bounds::{Bound, Bounds, available, bounds};
pub use exists::{dnf, exists};
pub use seen::{element_bounds, has_element, seen_without};
pub use sizes::{Sizes, solve_sizes};
pub use solve::{Value, solve_equalities, tidy};

use super::omega::{self, R, Stop, Sys, Work, gcd};
use crate::weights;

/// `row ≡ 0 (mod k)`
type Residue = (Vec<i64>, i64);

/// A set without the eliminated columns: rows and residues.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) sys: Sys,
    pub(crate) residues: Vec<Residue>,
}

/// Eliminates the wanted columns from the equalities: exact. Residues do not mention wanted columns.
fn eliminate_equalities(s: &mut Sys, residues: &mut Vec<Residue>, wanted: &[bool], work: &mut Work) -> R<()> {
    let w = s.w();
    while let Some((r, k)) = s.best_eq(|c| wanted[c]) {
        work.spend(1)?;
        let mut eq = s.take_eq(r);
        let c = eq[k];
        let others = (0..s.n).any(|j| j != k && wanted[j] && eq[j] != 0);
        if c.abs() != 1 && others {
            // Change the column k among the wanted ones so that its coefficient gets smaller.
            let mut q = vec![0; w];
            for j in (0..s.n).filter(|j| *j != k && wanted[*j]) {
                q[j] = omega::floor_div(2 * eq[j] * c.signum() + c.abs(), 2 * c.abs());
                eq[j] -= c * q[j];
            }
            s.shift(k, &q)?;
            s.push_eq(&mut eq)?;
            continue;
        }
        s.eliminate(&eq, k)?;
        if c.abs() != 1 {
            // c x = -e has a solution just where e ≡ 0 (mod c)
            eq[k] = 0;
            push_residue(residues, eq, c.abs())?;
        }
    }
    Ok(())
}

/// Eliminates column `k` from `row ≡ 0 (mod m)` by `eq`: both are scaled by `|eq[k]|`.
fn scale_away(row: &mut [i64], m: &mut i64, eq: &[i64], k: usize) -> R<()> {
    let (c, r) = (eq[k], row[k]);
    let scaled = |x: i64, y: i64| x.checked_mul(c.abs())?.checked_sub((r * c.signum()).checked_mul(y)?);
    for (x, y) in row.iter_mut().zip(eq) {
        *x = scaled(*x, *y).filter(|x| x.unsigned_abs() <= omega::BIG.unsigned_abs()).ok_or(Stop::Unknown)?;
    }
    *m = m.checked_mul(c.abs()).filter(|m| *m <= omega::BIG).ok_or(Stop::Unknown)?;
    Ok(())
}

/// Adds `row ≡ 0 (mod k)` in lowest terms.
fn push_residue(residues: &mut Vec<Residue>, mut row: Vec<i64>, k: i64) -> R<()> {
    let n = row.len() - 1;
    let g = row[..n].iter().fold(k, |g, c| gcd(g, *c));
    if row[n] % g != 0 {
        return Err(Stop::Empty);
    }
    let k = k / g;
    if k == 1 {
        return Ok(());
    }
    row.iter_mut().for_each(|c| *c = (*c / g).rem_euclid(k));
    // The sign that prints best: a leading coefficient of 1 rather than k - 1.
    if row.iter().find(|c| **c != 0).is_some_and(|lead| *lead * 2 > k) {
        row.iter_mut().for_each(|c| *c = (-*c).rem_euclid(k));
    }
    row.iter_mut().filter(|c| **c * 2 > k).for_each(|c| *c -= k);
    if !residues.contains(&(row.clone(), k)) {
        residues.push((row, k));
    }
    Ok(())
}

/// The real shadow on the other columns, tightened: a superset, equal to the projection if the flag says so.
pub(crate) fn shadow(mut s: Sys, wanted: &[bool], work: &mut Work) -> R<(Piece, bool)> {
    let mut residues = vec![];
    let mut exact = true;
    loop {
        eliminate_equalities(&mut s, &mut residues, wanted, work)?;
        let Some(col) = s.next_column(|k| wanted[k]) else {
            return Ok((Piece { sys: s, residues }, exact));
        };
        if col.is_free() {
            s.drop_rows(col.k);
            continue;
        }
        let shadows = s.shadows(col.k, work)?;
        exact &= shadows.exact;
        s = shadows.real;
    }
}

/// The projection on the other columns as a union: dark shadow and splinters where the real one is too large.
fn project(
    mut s: Sys,
    mut residues: Vec<Residue>,
    wanted: &[bool],
    work: &mut Work,
    out: &mut Vec<Piece>,
) -> R<()> {
    loop {
        work.spend(1)?;
        eliminate_equalities(&mut s, &mut residues, wanted, work)?;
        let Some(col) = s.next_column(|k| wanted[k]) else {
            out.push(Piece { sys: s, residues });
            return if out.len() > weights::index::PIECES { Err(Stop::Unknown) } else { Ok(()) };
        };
        if col.is_free() {
            s.drop_rows(col.k);
            continue;
        }
        let shadows = s.shadows(col.k, work)?;
        if shadows.exact {
            s = shadows.real;
            continue;
        }
        let mut union = |piece: R<Sys>, work: &mut Work| match piece
            .and_then(|p| project(p, residues.clone(), wanted, work, out))
        {
            Ok(()) | Err(Stop::Empty) => Ok(()),
            Err(Stop::Unknown) => Err(Stop::Unknown),
        };
        union(shadows.dark, work)?;
        for piece in omega::splinters(&s, &col) {
            work.spend(1)?;
            union(piece, work)?;
        }
        return Ok(());
    }
}
