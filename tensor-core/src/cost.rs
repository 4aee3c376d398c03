//! What a function costs, as a polynomial in its sizes.
//!
//! The cost model is that of *Differentiating a Tensor Language* (Figure 6): scalar additions, multiplications and calls of scalar
//! functions count; arithmetic of indices, accesses, pairs and memory do not.
//!
//! | what | costs |
//! | --- | --- |
//! | variable, literal, constant, access, pair, `-a`, `if`, `stop`, an index as a number | nothing |
//! | `a * b` | 1, by a literal too, unless it is ±1 |
//! | `f(a, …)` of k arguments, division among them | k |
//! | `powi`; all partial derivatives of a call together | 1 |
//! | `[p] e` | `e` where `p`, else nothing |
//! | `[p] a + [q] b` | its parts, and 1 where `p ∧ q` |
//! | `sum i if p { e }` | 1 + `e` where `p`, less 1 if that is anywhere; nested sums count as one |
//! | `max`, `min`, `argmax`, `argmin` | the same |
//! | `logsumexp i if p { e }` | `e`, and with L live iterations: 2 L for differences and `exp`, 2 (L − 1) for maximum and sum, 1 for `ln`, 1 to shift back |
//! | `for` | the sum over its iterations |
//! | a call | what the callee costs |
//! | a call of a Rust function over tensors | nothing: what it costs is not known |
//!
//! In Tensor SSA, an element of a contraction with L live points (of a term and its sums) costs L − 1, one less for each live point than
//! it has factors, and 1 for each term that is live and has a factor and a coefficient other than ±1.
//!
//! [`polynomial`] counts every range in full that no guard of the form `l <= i`, `i < u` or `i = e` narrows, so it is at least the
//! cost; exactly the cost where guards are of this form, their ends do not depend on other indices, and ranges are not empty.

mod count;
mod polynomial;
mod quotient;
#[cfg(test)]
mod tests;

pub use polynomial::Polynomial;

use crate::index::Pred;
use crate::prim::{Outer, Prim};
use crate::ssa::{Function, Index, Rhs, Stmt, Term};
use count::Ranges;

/// The cost of a function.
#[must_use]
pub fn polynomial(f: &Function) -> Polynomial {
    f.stmts.iter().fold(Polynomial::new(&f.sizes), |sum, s| sum.plus(1, &stmt(f, s)))
}

/// The scalars that its statements define: all that is stored if nothing is fused.
#[must_use]
pub fn memory(f: &Function) -> Polynomial {
    let one = |s: &Stmt| {
        let extents = &f.array(s.array).extents;
        extents.iter().fold(Polynomial::from_constant(1), |p, e| p.times(&Polynomial::from_affine(e)))
    };
    f.stmts.iter().fold(Polynomial::new(&f.sizes), |sum, s| sum.plus(1, &one(s)))
}

/// How many points a term of a contraction has, and how many elements of the array it counts in.
#[must_use]
pub fn points(f: &Function, s: &Stmt, t: &Term) -> (Polynomial, Polynomial) {
    let gens = Ranges::new(&s.gens, &f.array(s.array).extents);
    (gens.count(&t.sums, &t.guard), gens.count(&[], &outer(&t.guard, &t.sums)))
}

fn stmt(f: &Function, s: &Stmt) -> Polynomial {
    let gens = Ranges::new(&s.gens, &f.array(s.array).extents);
    match &s.rhs {
        Rhs::Contract(terms) => contract(&gens, terms),
        Rhs::Prim { guard, prim, args } => {
            gens.count(&[], guard).times(&Polynomial::from_constant(arity(prim, args.len())))
        }
        Rhs::Extreme { over, guard, .. } | Rhs::ArgExtreme { over, guard, .. } => {
            let elements = gens.count(&[], &outer(guard, &[*over]));
            gens.count(&[*over], guard).plus(-1, &elements)
        }
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => Polynomial::from_constant(0),
    }
}

/// The conditions that hold of an element before its sums.
fn outer(guard: &Pred, sums: &[Index]) -> Pred {
    guard.iter().filter(|c| !sums.iter().any(|s| c.mentions(&s.atom()))).cloned().collect()
}

fn contract(gens: &Ranges, terms: &[Term]) -> Polynomial {
    let mut sum = Polynomial::from_constant(0);
    let mut elements: Vec<Polynomial> = vec![];
    for t in terms {
        let points = gens.count(&t.sums, &t.guard);
        let live = gens.count(&[], &outer(&t.guard, &t.sums));
        sum = sum.plus(i64::from(t.factors.len() > 1) + 1, &points);
        if t.coeff.abs() != 1.0 && !t.factors.is_empty() {
            sum = sum.plus(1, &live);
        }
        elements.push(live);
    }
    // One addition less for each element: there are at least as many as of one term.
    match elements.first() {
        Some(first) => sum.plus(-1, elements.iter().find(|e| e.degree() > first.degree()).unwrap_or(first)),
        None => sum,
    }
}

fn arity(f: &Prim, args: usize) -> i64 {
    match f {
        Prim::Unary(_) => 1,
        Prim::Binary(_) | Prim::Clamp => i64::try_from(args).unwrap_or(0),
        Prim::Powi(_) | Prim::Formula(_) => 1,
        Prim::Outer(Outer::Rust(_)) => i64::try_from(args).unwrap_or(0),
        Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) => 0,
    }
}
