//! What `loops` promises of a program's names: each index and local is used where it is in scope.

use crate::index::Affine;
use crate::loops::leaf::Operand;
use crate::loops::visit::{Item, head};
use crate::loops::walk::elements;
use crate::loops::{Bound, Expr, Leaf, Place, Program, Stmt, Storage, Test, VarId};
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
    for s in &program.body {
        head(s, &mut |item| {
            if let Item::Declared(var) = item {
                v.locals.push(var);
            }
        });
    }
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
            Stmt::For { index, lower, upper, step, order: _, body, .. } => {
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
            Stmt::If { tests, body, otherwise } => {
                self.tests(tests)?;
                self.block(body)?;
                self.block(otherwise)
            }
            Stmt::Leaf(leaf) => self.leaf(leaf),
        }
    }

    fn leaf(&mut self, leaf: &Leaf) -> Result<(), String> {
        leaf.check()?;
        let (scope, mut all) = (self.indices.len(), Ok(()));
        leaf.visit(&mut |o| {
            if all.is_ok() {
                all = self.operand(o);
            }
        });
        if !matches!(leaf, Leaf::LetIndex { .. }) {
            self.indices.truncate(scope);
        }
        all
    }

    fn operand(&mut self, o: Operand<'_>) -> Result<(), String> {
        match o {
            Operand::Form(a) => self.affine(a),
            Operand::Bound(i) => {
                self.indices.push(i);
                Ok(())
            }
            Operand::Value(e) => self.expr(e),
            Operand::Place(p, _) => self.place(p),
            Operand::Declared(v) => {
                self.locals.push(v);
                Ok(())
            }
            Operand::Filled(v) => self.var(v, self.program.var(v).extents.len()),
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
