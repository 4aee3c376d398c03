//! Products.

use super::Translation;
use super::value::{Sum, as_literal, monomial, scale};
use crate::index::{Affine, pred};
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::typed::{Expr, ExprKind};
use crate::weights::normalize::FACTORS;

impl Translation<'_> {
    /// `u[j, k] z[i, k] s[i, k] → u[j, k] t[i, k]`: of several factors those are multiplied first whose product has fewer elements, for certain; else from the left.
    pub fn product(&mut self, e: &Expr) -> Sum {
        let (mut factors, mut left) = (vec![], e);
        while let ExprKind::Mul(a, b) = &left.kind {
            factors.push(&**b);
            left = a;
        }
        factors.push(left);
        let mut values: Vec<Sum> = factors.into_iter().rev().map(|e| self.scalar(e)).collect();
        while (3..=FACTORS).contains(&values.len()) {
            let (k, l) = first_pair(&values);
            let b = values.remove(l);
            let a = std::mem::take(&mut values[k]);
            values[k] = self.multiply(a, b);
        }
        values.into_iter().reduce(|a, b| self.multiply(a, b)).unwrap_or_default()
    }

    /// `c · Σ t → Σ c · t` for a single term, or c = ±1, and `([p] c x) · ([q] d y) → [p ∧ q] c d x · y`. Anything else is named first:
    /// products distributed over sums would cost more.
    fn multiply(&mut self, a: Sum, b: Sum) -> Sum {
        if a.is_empty() || b.is_empty() {
            return vec![];
        }
        for (literal, other) in [(&a, &b), (&b, &a)] {
            if let Some(c) = as_literal(literal) {
                return self.times(c, other.clone());
            }
        }
        let (a, mut b) = (self.monomial(a), self.monomial(b));
        if !(a.coeff * b.coeff).is_finite() {
            b = monomial(vec![], 1.0, vec![self.access(vec![b], "t")]);
        }
        let mut guard = a.guard;
        guard.extend(b.guard);
        vec![monomial(guard, a.coeff * b.coeff, [a.factors, b.factors].concat())]
    }

    /// `c · x`
    pub fn times(&mut self, c: f64, x: Sum) -> Sum {
        let is_finite = x.iter().all(|t| (c * t.coeff).is_finite());
        if (x.len() > 1 && c.abs() != 1.0) || !is_finite {
            mark::hit(Mark::Named);
            let named = self.access(x, "t");
            return vec![monomial(vec![], c, vec![named])];
        }
        scale(x, c)
    }

    /// `x² → x · x`
    pub fn square(&mut self, x: Sum) -> Sum {
        if x.is_empty() {
            return x;
        }
        let mut x = self.monomial(x);
        if !(x.coeff * x.coeff).is_finite() {
            x = monomial(vec![], 1.0, vec![self.access(vec![x], "t")]);
        }
        vec![monomial(x.guard, x.coeff * x.coeff, [x.factors.clone(), x.factors].concat())]
    }
}

/// Which two of some factors are multiplied first: if not the first two, some whose product has fewer dimensions, all of them among those of the product that it
/// is instead of.
fn first_pair(values: &[Sum]) -> (usize, usize) {
    let indices: Vec<Set<u32>> = values.iter().map(indices).collect();
    let both = |k: usize, l: usize| -> Set<u32> { indices[k].iter().chain(&indices[l]).copied().collect() };
    let (mut first, mut least) = ((0, 1), both(0, 1));
    let number = |k: &usize| as_literal(&values[*k]).is_none();
    for k in (0..values.len()).filter(number) {
        for l in (k + 1..values.len()).filter(number) {
            let pair = both(k, l);
            if pair.len() < least.len() && pair.is_subset(&least) {
                mark::hit(Mark::Reassociated);
                (first, least) = ((k, l), pair);
            }
        }
    }
    first
}

/// The indices of the scope that terms depend on.
fn indices(terms: &Sum) -> Set<u32> {
    let mut out = Set::new();
    for t in terms {
        out.extend(pred::indices(&t.guard));
        out.extend(t.factors.iter().flat_map(|a| &a.at).flat_map(Affine::indices));
        t.sums.iter().for_each(|i| {
            out.remove(&i.0);
        });
    }
    out
}
