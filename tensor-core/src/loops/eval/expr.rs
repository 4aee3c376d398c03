//! What indices, tests and expressions are worth.

use super::Machine;
use crate::eval::scalar;
use crate::index::{Affine, Atom, Cond};
use crate::loops::{Expr, Place, Test, VarId};
use crate::prim::Prim;

impl Machine<'_> {
    fn atom(&self, a: &Atom) -> Result<i64, String> {
        Ok(match a {
            Atom::Size(k) => *self.sizes.get(*k as usize).ok_or("a size is missing")?,
            Atom::Index(k) => *self.env.get(k).ok_or("an index is not bound")?,
            Atom::Floor(e, k) => self.affine(e)?.div_euclid(*k),
            Atom::Element(v, at) => {
                let cell = (*v as usize, self.offset(VarId(*v), at)?);
                self.is_written(cell)?;
                self.vars[cell.0].indices[cell.1]
            }
            Atom::Product(fs) => {
                let mut product = 1;
                for f in fs {
                    product *= self.atom(f)?;
                }
                product
            }
        })
    }

    pub(super) fn affine(&self, a: &Affine) -> Result<i64, String> {
        let mut sum = a.constant;
        for (t, c) in &a.terms {
            sum += c * self.atom(t)?;
        }
        Ok(sum)
    }

    fn offset(&self, var: VarId, at: &[Affine]) -> Result<usize, String> {
        let cells = &self.vars[var.0 as usize];
        let mut offset = 0;
        for (d, a) in at.iter().enumerate() {
            let e = if d + 1 < at.len() { cells.extents[d] } else { cells.extents[d..].iter().product() };
            let k = self.affine(a)?;
            if k < 0 || k >= e {
                return Err(format!("`{}` at {k} of {e}", self.program.var(var).name));
            }
            offset = offset * e + k;
        }
        usize::try_from(offset).map_err(|e| e.to_string())
    }

    /// The variable and the element of a place.
    pub(super) fn cell(&self, p: &Place) -> Result<(usize, usize), String> {
        Ok((p.var.0 as usize, self.offset(p.var, &p.at)?))
    }

    pub(super) fn tests(&mut self, tests: &[Test]) -> Result<bool, String> {
        for t in tests {
            if !self.test(t)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn test(&mut self, t: &Test) -> Result<bool, String> {
        self.counts.tests += 1;
        Ok(match t {
            Test::Index(c) => self.index_test(c)?,
            Test::Real { op, left, right, holds } => {
                let (a, b) = (self.expr(left)?.0, self.expr(right)?.0);
                op.of(a, b) == *holds
            }
            Test::Any(ps) => {
                for p in ps {
                    if self.tests(p)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }

    fn index_test(&self, c: &Cond) -> Result<bool, String> {
        Ok(match c {
            Cond::Zero(a) => self.affine(a)? == 0,
            Cond::NonZero(a) => self.affine(a)? != 0,
            Cond::NonNeg(a) => self.affine(a)? >= 0,
            Cond::Residue(a, k) => self.affine(a)?.rem_euclid(*k) == 0,
            Cond::NonResidue(a, k) => self.affine(a)?.rem_euclid(*k) != 0,
            Cond::Opaque { .. } | Cond::Any(_) => return Err(format!("`{c:?}` is not a test of indices")),
        })
    }

    /// A value, and whether it counts as a term: a zero that nothing was added to does not.
    pub(super) fn expr(&mut self, e: &Expr) -> Result<(f64, bool), String> {
        Ok(match e {
            // What a maximum starts from is no candidate.
            Expr::Number(x) => (*x, *x != 0.0 && x.is_finite()),
            Expr::Constant(path) => ((self.constants)(path), true),
            Expr::OfIndex(a) => (scalar::real(self.affine(a)?), true),
            Expr::Read(p) => {
                self.settle(p.var)?;
                let cell = self.cell(p)?;
                self.get(cell)?
            }
            Expr::Neg(a) => {
                let (x, live) = self.expr(a)?;
                (-x, live)
            }
            Expr::Add(a, b) => {
                let ((x, l), (y, r)) = (self.expr(a)?, self.expr(b)?);
                self.counts.adds += u64::from(l && r);
                (x + y, l || r)
            }
            Expr::Mul(a, b) => {
                let (x, (y, live)) = (self.expr(a)?.0, self.expr(b)?);
                // A coefficient is applied to what was summed, if there is any.
                let live = live || !matches!(**a, Expr::Number(_));
                self.counts.muls += u64::from(live);
                (x * y, live)
            }
            Expr::Call(f, args) => {
                let args = args.iter().map(|a| Ok(self.expr(a)?.0)).collect::<Result<Vec<_>, String>>()?;
                self.counts.calls += scalar::cost(f, args.len());
                (self.call(f, &args)?, true)
            }
            Expr::If(tests, a) => {
                if self.tests(tests)? {
                    self.expr(a)?
                } else {
                    (0.0, false)
                }
            }
        })
    }

    fn call(&self, f: &Prim, args: &[f64]) -> Result<f64, String> {
        scalar::prim(f, args, &mut |a| self.affine(a))
    }
}
