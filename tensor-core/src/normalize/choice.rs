//! `if`, `else if`, …, `else`.

use super::Translation;
use super::value::{Value, monomial};
use crate::index::pred::{any, complement};
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::ssa::{RealCompare, Rhs};
use crate::typed::{Expr, ExprKind};
use crate::weights;

impl Translation<'_> {
    /// `if p { a } else if q { b } else { c } → [p] a + [¬p ∧ q] b + [¬p ∧ ¬q] c`
    pub fn choose(&mut self, p: &Pred, a: &Expr, b: &Expr, at: Option<&[Affine]>) -> Value {
        let mut branches: Vec<(Pred, Pred, Value)> = vec![];
        let (mut p, mut a, mut otherwise) = (p, a, b);
        let mut others: Pred = vec![];
        let last = loop {
            let here = self.under(&others, |t| t.pred(p));
            let before = others.clone();
            let value = self.under(&[before.as_slice(), &here].concat(), |t| t.expr(a, at));
            others.push(any(complement(&here)));
            others = self.one_for_all(others);
            branches.push((before, here, value));
            match &otherwise.kind {
                ExprKind::If(q, b, c) => (p, a, otherwise) = (q, b, c),
                _ => break self.under(&others, |t| t.expr(otherwise, at)).guarded(&others),
            }
        };
        let branch = |(before, here, value): (Pred, Pred, Value)| value.guarded(&here).guarded(&before);
        branches.into_iter().rev().map(branch).fold(last, |rest, branch| branch.plus(rest))
    }

    /// The same conditions; of many that ask of reals alone, one that asks whether `X[i] = [p ∧ …] 1` is 1: of a long chain each branch would say
    /// all those before it.
    fn one_for_all(&mut self, all: Pred) -> Pred {
        if all.iter().filter(|c| is_real(c)).count() < weights::normalize::BRANCHES {
            return all;
        }
        mark::hit(Mark::OneForAll);
        let (real, mut out): (Pred, Pred) = all.into_iter().partition(is_real);
        let counts = Rhs::Contract(vec![monomial(real, 1.0, vec![])]);
        let left = self.under(&out, |t| t.define(counts, &[], None, "none"));
        let right = self.access(vec![monomial(vec![], 1.0, vec![])], "one");
        out.push(self.f.compare(RealCompare::Eq, left, right, true));
        out
    }
}

/// Whether nothing is known of indices where it holds.
fn is_real(c: &Cond) -> bool {
    match c {
        Cond::Opaque { .. } => true,
        Cond::Any(ps) => ps.iter().flatten().all(is_real),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            false
        }
    }
}
