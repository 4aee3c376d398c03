//! What `loops` promises of a program's names: each index and local is used where it is in scope.

use crate::index::Affine;
use crate::loops::walk::elements;
use crate::loops::{Argument, Band, Bound, Expr, Place, Program, Stmt, Storage, Test, VarId};
use crate::ssa::Index;

/// Whether every loop has a range, every index and local is bound where it is used, and every place has an index for each dimension.
///
/// # Errors
/// The first that is not.
pub fn verify(program: &Program) -> Result<(), String> {
    if let Some(index) = program.unbounded.first() {
        return Err(format!("the loop of `{index}` has no range"));
    }
    let mut v = Verifier { program, indices: vec![], locals: vec![] };
    v.block(&program.body)?;
    // The scalars are read at the end of the body, in its scope.
    let top = |s: &Stmt| match s {
        Stmt::Declare { var, .. } | Stmt::DeclareIndex { var, .. } => Some(*var),
        Stmt::For { .. }
        | Stmt::LetIndex { .. }
        | Stmt::If { .. }
        | Stmt::Assign { .. }
        | Stmt::Accumulate { .. }
        | Stmt::Extreme { .. }
        | Stmt::ArgExtreme { .. }
        | Stmt::AssignIndex { .. }
        | Stmt::Product(_)
        | Stmt::Mirror(_)
        | Stmt::Call(_)
        | Stmt::Fill { .. } => None,
    };
    v.locals = program.body.iter().filter_map(top).collect();
    program.scalars.iter().try_for_each(|e| v.expr(e))
}

struct Verifier<'a> {
    program: &'a Program,
    indices: Vec<Index>,
    locals: Vec<VarId>,
}

impl Verifier<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Result<(), String> {
        let scope = (self.indices.len(), self.locals.len());
        let all = stmts.iter().try_for_each(|s| self.stmt(s));
        self.indices.truncate(scope.0);
        self.locals.truncate(scope.1);
        all
    }

    fn stmt(&mut self, s: &Stmt) -> Result<(), String> {
        match s {
            Stmt::For { index, lower, upper, step, order: _, body } => {
                if lower.is_empty() || upper.is_empty() {
                    return Err(format!("`{}` is not bounded", self.name(*index)));
                }
                let ends = lower.iter().chain(upper).map(|b: &Bound| &b.num);
                ends.chain(step.iter().map(|s| &s.0)).try_for_each(|a| self.affine(a))?;
                self.indices.push(*index);
                self.block(body)?;
                self.indices.pop();
                Ok(())
            }
            Stmt::LetIndex { index, value } => {
                self.affine(value)?;
                self.indices.push(*index);
                Ok(())
            }
            Stmt::If { tests, body, otherwise } => {
                self.tests(tests)?;
                self.block(body)?;
                self.block(otherwise)
            }
            Stmt::Declare { var, value } => {
                self.expr(value)?;
                self.locals.push(*var);
                Ok(())
            }
            Stmt::DeclareIndex { var, value } => {
                self.affine(value)?;
                self.locals.push(*var);
                Ok(())
            }
            Stmt::Assign { target, value }
            | Stmt::Accumulate { target, value }
            | Stmt::Extreme { target, value, .. } => {
                self.place(target)?;
                self.expr(value)
            }
            Stmt::ArgExtreme { best, at, first, value, index, .. } => {
                self.var(*best, 0)?;
                self.var(*at, 0)?;
                self.affine(first)?;
                self.affine(index)?;
                self.expr(value)
            }
            Stmt::AssignIndex { target, value, least } => {
                self.place(target)?;
                self.affine(value)?;
                self.affine(least)
            }
            Stmt::Product(p) => {
                let dims = [&p.rows, &p.cols, &p.inner];
                let of_band = p.band.iter().map(Band::diagonal);
                let of_part = p.part.iter().flat_map(|q| [&q.lower, &q.upper]);
                dims.iter().map(|d| &d.1).chain(of_band).chain(of_part).try_for_each(|a| self.affine(a))?;
                if p.band.is_some() && p.part.as_ref().is_some_and(|q| q.index != p.inner.0) {
                    return Err("a part of a band".into());
                }
                if p.across && p.band != Some(Band::From(Affine::zero())) {
                    return Err("a product across that is no half".into());
                }
                self.var(p.work, self.program.var(p.work).extents.len())?;
                self.indices.extend(dims.iter().map(|d| d.0));
                let all = [&p.a, &p.b, &p.c].into_iter().try_for_each(|place| self.place(place));
                self.indices.truncate(self.indices.len() - dims.len());
                all
            }
            Stmt::Mirror(m) => {
                let (row, column) = m.c.at.split_at(m.c.at.len() / 2);
                if row != column {
                    return Err("a mirror of what is not on the diagonal".into());
                }
                [&m.stride, &m.rows, &m.block].into_iter().try_for_each(|a| self.affine(a))?;
                self.place(&m.c)
            }
            Stmt::Call(c) => {
                for w in c.places() {
                    w.own.iter().try_for_each(|d| self.affine(&d.1))?;
                    let at = &w.place.at[w.place.at.len() - w.own.len()..];
                    if !at.iter().zip(&w.own).all(|(a, d)| *a == d.0.affine()) {
                        return Err("a call of a part that is not in one piece".into());
                    }
                    self.indices.extend(w.own.iter().map(|d| d.0));
                    let place = self.place(&w.place);
                    self.indices.truncate(self.indices.len() - w.own.len());
                    place?;
                }
                c.args.iter().try_for_each(|a| match a {
                    Argument::Number(e) => self.expr(e),
                    Argument::Tensor(_) => Ok(()),
                })
            }
            Stmt::Fill { var, .. } => self.var(*var, self.program.var(*var).extents.len()),
        }
    }

    fn name(&self, i: Index) -> &str {
        &self.program.indices[i.0 as usize]
    }

    fn var(&self, v: VarId, rank: usize) -> Result<(), String> {
        let var = self.program.var(v);
        if var.storage == Storage::Local && !self.locals.contains(&v) {
            return Err(format!("`{}` is not declared", var.name));
        }
        let expected = var.extents.len();
        if rank == expected { Ok(()) } else { Err(format!("`{}` of rank {expected} at {rank}", var.name)) }
    }

    fn place(&self, p: &Place) -> Result<(), String> {
        p.at.iter().try_for_each(|a| self.affine(a))?;
        let rank = self.program.var(p.var).extents.len();
        // The last index may stand for several.
        self.var(p.var, if p.at.is_empty() { 0 } else { rank.max(p.at.len()) })
    }

    fn affine(&self, a: &Affine) -> Result<(), String> {
        for k in a.indices() {
            if !self.indices.contains(&Index(k)) {
                return Err(format!("the index `{}` ({k}) is not bound", self.name(Index(k))));
            }
        }
        let mut found = vec![];
        elements(a, &mut found);
        found.iter().try_for_each(|(v, at)| self.var(VarId(*v), at.len()))
    }

    fn tests(&self, tests: &[Test]) -> Result<(), String> {
        tests.iter().try_for_each(|t| match t {
            Test::Index(c) if !c.is_affine() => Err(format!("`{c:?}` is not a test of indices")),
            Test::Index(c) => c.affines().into_iter().try_for_each(|a| self.affine(a)),
            Test::Real { left, right, .. } => self.expr(left).and_then(|()| self.expr(right)),
            Test::Any(ps) => ps.iter().try_for_each(|p| self.tests(p)),
        })
    }

    fn expr(&self, e: &Expr) -> Result<(), String> {
        match e {
            Expr::Number(_) | Expr::Constant(_) => Ok(()),
            Expr::OfIndex(a) => self.affine(a),
            Expr::Read(p) => self.place(p),
            Expr::Neg(a) => self.expr(a),
            Expr::Add(a, b) | Expr::Mul(a, b) => self.expr(a).and_then(|()| self.expr(b)),
            Expr::Call(_, args) => {
                // The form of a power is the only one of a primitive that has indices.
                let mut all = Ok(());
                let mut affine = |a: &Affine| all = all.clone().and_then(|()| self.affine(a));
                e.visit(&mut affine, &mut |_| {});
                all.and_then(|()| args.iter().try_for_each(|a| self.expr(a)))
            }
            Expr::If(tests, a) => self.tests(tests).and_then(|()| self.expr(a)),
        }
    }
}
