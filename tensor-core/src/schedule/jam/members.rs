//! Several iterations of a loop, statement by statement.

use crate::index::Affine;
use crate::loops::visit::{Item, visit};
use crate::loops::walk::substitute;
use crate::loops::{Bound, Expr, Leaf, Place, Program, Stmt, VarId, Variable};
use crate::ssa::Index;

/// The iterations that run as one.
pub(super) struct Members {
    index: Index,
    /// The index in each.
    pub at: Vec<Affine>,
    /// For each, what stands for the locals that the body declares.
    names: Vec<Vec<(VarId, VarId)>>,
}

impl Members {
    /// Iterations of a loop with this body, with locals of their own.
    pub fn of(p: &mut Program, index: Index, body: &[Stmt], at: Vec<Affine>) -> Members {
        let mut declared = vec![];
        declares(body, &mut declared);
        let mut fresh = |v: &VarId| {
            let var = Variable { ..p.var(*v).clone() };
            p.vars.push(var);
            (*v, VarId(u32::try_from(p.vars.len() - 1).expect("fewer than 2³² variables")))
        };
        let names = at.iter().map(|_| declared.iter().map(&mut fresh).collect()).collect();
        Members { index, at, names }
    }

    /// One iteration, whose locals keep their names.
    pub fn one(index: Index, at: Affine) -> Members {
        Members { index, at: vec![at], names: vec![vec![]] }
    }

    /// The member at a position alone.
    pub fn only(&self, k: usize) -> Members {
        Members { index: self.index, at: vec![self.at[k].clone()], names: vec![self.names[k].clone()] }
    }

    /// Each statement once for every member, loops inside once for all.
    pub fn copy(&self, body: &[Stmt]) -> Vec<Stmt> {
        let mut out = vec![];
        for s in body {
            if let Stmt::For { index, lower, upper, step, order, body, .. } = s {
                // Bounds are those of the first, since they are the same for all.
                let bound = |b: &Bound| Bound { num: self.form(0, &b.num), den: b.den };
                let [lower, upper] = [lower, upper].map(|bs| bs.iter().map(bound).collect());
                let (step, body) = (step.clone(), self.copy(body));
                out.push(Stmt::looped(*index, lower, upper, step, order.clone(), body));
                continue;
            }
            if let Stmt::Leaf(Leaf::Accumulate { target, value }) = s
                && !self.names[0].iter().any(|n| n.0 == target.var)
                && !target.moves(self.index)
            {
                // All members add to the same: at once.
                let sum = (0..self.at.len()).map(|k| self.expr(k, value));
                let value =
                    sum.reduce(|a, b| Expr::Add(Box::new(a), Box::new(b))).unwrap_or(Expr::Number(0.0));
                out.push(Stmt::Leaf(Leaf::Accumulate { target: target.clone(), value }));
                continue;
            }
            out.extend((0..self.at.len()).map(|k| self.stmt(k, s)));
        }
        out
    }

    /// A statement without others inside for one member.
    fn stmt(&self, k: usize, s: &Stmt) -> Stmt {
        let Stmt::Leaf(leaf) = s else { return s.clone() };
        let place = |p: Place| Place { var: self.name(k, p.var), at: p.at };
        Stmt::Leaf(leaf.clone().map(&mut |a| self.form(k, a), &mut { place }, &mut |v| self.name(k, v)))
    }

    /// A value for one member.
    pub fn expr(&self, k: usize, e: &Expr) -> Expr {
        e.map(&mut |a| self.form(k, a), &mut |p| Place { var: self.name(k, p.var), at: p.at })
    }

    /// A form of the index for one member.
    pub fn form(&self, k: usize, a: &Affine) -> Affine {
        substitute(a, &self.index.atom(), &self.at[k])
    }

    fn name(&self, k: usize, v: VarId) -> VarId {
        self.names[k].iter().find(|n| n.0 == v).map_or(v, |n| n.1)
    }
}

fn declares(body: &[Stmt], out: &mut Vec<VarId>) {
    visit(body, &mut |item| {
        if let Item::Declared(v) = item {
            out.push(v);
        }
    });
}
