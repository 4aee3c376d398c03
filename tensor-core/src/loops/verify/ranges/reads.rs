//! What forms, tests and numbers read.

use super::Walk;
use crate::index::affine::product;
use crate::index::{Affine, Cond, Pred};
use crate::loops::display::form;
use crate::loops::walk::elements;
use crate::loops::{Expr, Place, Program, Test, VarId};

impl Walk<'_> {
    /// A form: each element of an index array that it reads is in range, and from then on known.
    pub(super) fn form(&mut self, a: &Affine) {
        let mut found = vec![];
        elements(a, &mut found);
        for (v, at) in found {
            if self.here.read.iter().any(|r| r.0 == v && r.1 == at) {
                continue;
            }
            if self.within(VarId(v), &at) {
                let known = self.writers.of(v, &at);
                self.here.context.extend(known);
                self.here.read.push((v, at));
            } else {
                // Whether it is in range was too hard to tell.
                self.writers.cut(v);
            }
        }
    }

    pub(super) fn place(&mut self, p: &Place) {
        p.at.iter().for_each(|a| self.form(a));
        self.within(p.var, &p.at);
    }

    /// `0 <= at < extent` in each dimension; the last index may stand for several.
    fn within(&mut self, v: VarId, at: &[Affine]) -> bool {
        let extents = self.program.var(v).extents.clone();
        let mut all = true;
        for (d, a) in at.iter().enumerate() {
            let own = if d + 1 < at.len() { &extents[d..=d] } else { &extents[d..] };
            let extent = size(own);
            let what = |p: &Program| {
                let extent = extent.as_ref().map_or_else(String::new, |e| form(p, e));
                format!("`{}` at {} of {extent}", p.var(v).name, form(p, a))
            };
            all &= self.holds(Some(Cond::NonNeg(a.clone())), &what);
            let last = extent.as_ref().and_then(|e| e.plus_constant(-1)?.minus(a));
            all &= self.holds(last.map(Cond::NonNeg), &what);
        }
        all
    }

    /// Tests in order, each where those before it hold, which they do from here on.
    pub(super) fn tests(&mut self, tests: &[Test]) {
        for t in tests {
            match t {
                Test::Index(c) => {
                    c.affines().into_iter().for_each(|a| self.form(a));
                    self.here.context.push(c.clone());
                }
                Test::Real { left, right, .. } => {
                    self.expr(left);
                    self.expr(right);
                    if self.keeps {
                        self.here.context.extend(self.reals.cond(t));
                    }
                }
                Test::Any(ps) => {
                    let mut alternatives: Vec<Pred> = vec![];
                    for p in ps {
                        let before = self.here.context.len();
                        self.scope(|w| {
                            w.tests(p);
                            let mut alternative = w.here.context.split_off(before);
                            alternative.retain(|c| !matches!(c, Cond::Opaque { .. }));
                            alternatives.push(alternative);
                        });
                    }
                    self.here.context.push(Cond::Any(alternatives));
                }
            }
        }
    }

    pub(super) fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Number(_) | Expr::Constant(_) => {}
            Expr::OfIndex(a) => self.form(a),
            Expr::Read(p) => self.place(p),
            Expr::Neg(a) => self.expr(a),
            Expr::Add(a, b) | Expr::Mul(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Call(f, args) => {
                let _ = crate::loops::walk::map_prim(f, &mut |a| {
                    self.form(a);
                    a.clone()
                });
                args.iter().for_each(|a| self.expr(a));
            }
            Expr::If(tests, a) => self.scope(|w| {
                w.tests(tests);
                w.expr(a);
            }),
        }
    }
}

/// How many elements there are.
pub(super) fn size(extents: &[Affine]) -> Option<Affine> {
    extents.iter().try_fold(Affine::from(1), |all, e| product(&all, e))
}
