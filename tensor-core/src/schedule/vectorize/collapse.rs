//! Nests that walk whole rows, as one loop over the elements.
//!
//! ```text
//! for i in a..b { for c in 0..K { y[i, c] = x[i + 1, c] } }  →  for e in K*a..K*b { y[e] = x[e + K] }
//! ```
//!
//! Where the last dimension of each array has the length of the inner loop, rows follow each other in memory.

use super::{Choice, Chooser, Loop};
use crate::index::Affine;
use crate::index::affine::product;
use crate::loops::visit::{Item, visit};
use crate::loops::walk::map_places;
use crate::loops::{Bound, Place, Stmt};
use crate::ssa::Index;

impl Chooser<'_> {
    /// See the module documentation.
    pub(super) fn collapsed(&mut self, l: &Loop) -> Option<Choice> {
        let flat = self.merged(l)?;
        Some(self.each(flat))
    }

    fn merged(&mut self, l: &Loop) -> Option<Loop> {
        let [Stmt::For { index, lower, upper, step: None, order: _, body, .. }] = l.body.as_slice() else {
            return None;
        };
        let inner = Loop { index: *index, lower: lower.clone(), upper: upper.clone(), body: body.clone() };
        let inner = self.merged(&inner).unwrap_or(inner);
        let ([low], [high]) = (inner.lower.as_slice(), inner.upper.as_slice()) else { return None };
        if low.den != 1 || high.den != 1 || !low.num.is_zero() {
            return None;
        }
        let row = high.num.plus_constant(1)?;
        // All rows have one length.
        if row.mentions(&l.index.atom()) {
            return None;
        }
        let lower = ends(&l.lower, &row, 0)?;
        let upper = ends(&l.upper, &row, 1)?;
        let index = self.new_index(&format!("{}_{}", self.name(l.index), self.name(inner.index)));
        // What is no length of an array may be negative.
        let (mut whole, mut has_rows) = (true, false);
        let body = map_places(inner.body.clone(), &mut |p| {
            let found = self.along(&p, (l.index, inner.index), &row, index);
            whole &= found.is_some();
            has_rows |= found.as_ref().is_some_and(|found| *found != p);
            found.unwrap_or(p)
        });
        let mut free = true;
        visit(&body, &mut |item| {
            if let Item::Form(a) = item {
                free &= !a.mentions(&l.index.atom()) && !a.mentions(&inner.index.atom());
            }
        });
        (whole && has_rows && free).then_some(Loop { index, lower, upper, body })
    }

    /// The place with `[…, i + a, c + b]` as `[…, e + a * row + b]`, or as it is where it depends on neither.
    fn along(&self, p: &Place, (i, c): (Index, Index), row: &Affine, e: Index) -> Option<Place> {
        let moves = |a: &Affine, k: Index| a.mentions(&k.atom());
        if !p.at.iter().any(|a| moves(a, i) || moves(a, c)) {
            return Some(p.clone());
        }
        let [before @ .., rows, last] = p.at.as_slice() else { return None };
        if before.iter().any(|a| moves(a, i) || moves(a, c)) {
            return None;
        }
        let extents = &self.program.var(p.var).extents[p.at.len() - 1..];
        let length = extents.iter().try_fold(Affine::from(1), |all, e| product(&all, e))?;
        let (rows, last) = (rows.minus(&i.affine())?, last.minus(&c.affine())?);
        let even = |a: &Affine| !moves(a, i) && !moves(a, c);
        if length != *row || !even(&rows) || !even(&last) {
            return None;
        }
        let mut at = before.to_vec();
        at.push(e.affine().plus(&product(&rows, row)?)?.plus(&last)?);
        Some(Place { var: p.var, at })
    }
}

/// The bounds of the elements of rows: from the first of the first to the one before that of the row after the last.
fn ends(bounds: &[Bound], row: &Affine, after: i64) -> Option<Vec<Bound>> {
    let one = |b: &Bound| {
        let whole = (b.den == 1).then_some(&b.num)?.plus_constant(after)?;
        Some(Bound { num: product(&whole, row)?.plus_constant(-after)?, den: 1 })
    };
    bounds.iter().map(one).collect()
}
