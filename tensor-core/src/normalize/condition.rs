//! Predicates: indices are translated, comparisons of reals read arrays.

use super::Translation;
use super::rewrite::{Rewrite, cond};
use crate::index::pred::{any, complement};
use crate::index::{Affine, Cond, Pred};
use crate::ssa::Index;

impl Translation<'_> {
    /// A predicate of the program. Both sides of a comparison are evaluated where the conditions before it hold:
    /// `p ∧ a < b → p ∧ X < Y` with `X = [p] a`, `Y = [p] b`; and `p ∨ q` evaluates what is in `q` where p does not hold.
    pub fn pred(&mut self, p: &Pred) -> Pred {
        let depth = self.scope.path.len();
        let mut out = vec![];
        for c in p {
            let c = self.cond(c);
            self.scope.path.push(c.clone());
            out.push(c);
        }
        self.scope.path.truncate(depth);
        out
    }

    fn cond(&mut self, c: &Cond) -> Cond {
        let Cond::Any(alternatives) = c else {
            return cond(c, self);
        };
        let depth = self.scope.path.len();
        let mut out = vec![];
        for p in alternatives {
            let p = self.pred(p);
            self.scope.path.push(any(complement(&p)));
            out.push(p);
        }
        self.scope.path.truncate(depth);
        Cond::Any(out)
    }
}

/// Conditions of the program.
impl Rewrite for Translation<'_> {
    fn affine(&mut self, a: &Affine) -> Affine {
        Translation::affine(self, a)
    }
    fn bound(&mut self, index: Index) -> Index {
        index
    }
    fn opaque(&mut self, id: u32, _: &[Affine], holds: bool) -> Cond {
        let Some(c) = self.typed.comparisons.get(id as usize) else {
            // `check` has made it.
            return Cond::Any(vec![]);
        };
        let left = self.scalar(&c.left);
        let x = self.access(left.clone(), "left");
        let right = self.scalar(&c.right);
        let y = self.access(right.clone(), "right");
        let sides = [(&left, x.array), (&right, y.array)];
        let cond = self.f.compare(c.op, x, y, holds);
        self.thresholds.note(&cond, c.op, sides, self.f.elem);
        cond
    }
}
