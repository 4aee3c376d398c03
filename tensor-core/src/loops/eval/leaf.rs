//! Statements without others inside.

use super::{Cell, Machine};
use crate::index::Affine;
use crate::loops::{Expr, Leaf, Place, VarId};
use crate::ssa::Extreme;

impl<'a> Machine<'a> {
    pub(super) fn leaf(&mut self, leaf: &'a Leaf) -> Result<(), String> {
        match leaf {
            Leaf::LetIndex { index, value } => {
                let value = self.affine(value)?;
                self.env.insert(index.0, value);
            }
            Leaf::Declare { var, value } => self.assign(&Place { var: *var, at: vec![] }, value)?,
            Leaf::DeclareIndex { var, value } => {
                let value = self.affine(value)?;
                self.set_index((var.0 as usize, 0), value);
                self.vars[var.0 as usize].written[0] = self.searches.contains(var);
            }
            Leaf::Assign { target, value } => self.assign(target, value)?,
            Leaf::Accumulate { target, value } => self.accumulate(target, value)?,
            Leaf::Extreme { op, target, value } => self.extreme(*op, target, value)?,
            Leaf::ArgExtreme { op, best, at, first, value, index } => {
                self.arg_extreme((*op, *best, *at), first, value, index)?;
            }
            Leaf::AssignIndex { target, value, least } => {
                let x = self.affine(value)?.max(self.affine(least)?);
                let cell = self.cell(target)?;
                self.set_index(cell, x);
            }
            Leaf::Product(p) => self.product(p)?,
            Leaf::Symmetrize(m) => self.symmetrize(m)?,
            Leaf::Call(c) => self.call_whole(c)?,
            Leaf::Fill { var, value } => {
                let cells = &mut self.vars[var.0 as usize];
                cells.reals.fill(*value);
                cells.live.fill(false);
                cells.written.fill(true);
            }
        }
        Ok(())
    }

    /// A copy of nothing is nothing: what a block of rows keeps for the next may be more than is there.
    fn assign(&mut self, target: &Place, value: &Expr) -> Result<(), String> {
        if let Expr::Read(from) = value {
            self.settle(from.var)?;
            let (from, to) = (self.cell(from)?, self.cell(target)?);
            if self.is_written(from).is_err() {
                self.vars[to.0].written[to.1] = false;
                return Ok(());
            }
        }
        let (x, live) = self.expr(value)?;
        let cell = self.cell(target)?;
        self.set(cell, x, live);
        Ok(())
    }

    /// A value that is no term is added all the same: it may be the `-∞` of an empty maximum.
    fn accumulate(&mut self, target: &Place, value: &Expr) -> Result<(), String> {
        let x = self.expr(value)?;
        let cell = self.cell(target)?;
        if self.waits(target, cell, x) {
            return Ok(());
        }
        self.add(cell, x)
    }

    pub(super) fn add(&mut self, cell: Cell, (x, live): (f64, bool)) -> Result<(), String> {
        let (old, was_live) = self.get(cell)?;
        self.counts.adds += u64::from(live && was_live);
        self.set(cell, old + x, live || was_live);
        Ok(())
    }

    /// Where a straight body chooses what a maximum starts from, there is no candidate.
    fn extreme(&mut self, op: Extreme, target: &Place, value: &Expr) -> Result<(), String> {
        let (x, is_term) = self.expr(value)?;
        let is_candidate = is_term || x.is_finite();
        let cell = self.cell(target)?;
        let (old, live) = self.get(cell)?;
        self.counts.adds += u64::from(live && is_candidate);
        let new = match op {
            Extreme::Max => old.max(x),
            Extreme::Min => old.min(x),
        };
        self.set(cell, new, live || is_candidate);
        Ok(())
    }

    fn arg_extreme(
        &mut self,
        (op, best, at): (Extreme, VarId, VarId),
        first: &Affine,
        value: &Expr,
        index: &Affine,
    ) -> Result<(), String> {
        let (best, at) = ((best.0 as usize, 0), (at.0 as usize, 0));
        let (x, _) = self.expr(value)?;
        self.is_written(at)?;
        let (old, unseen) = (self.get(best)?.0, self.vars[at.0].indices[0] < self.affine(first)?);
        self.counts.adds += u64::from(!unseen);
        let better = match op {
            Extreme::Max => x > old,
            Extreme::Min => x < old,
        };
        if unseen || better || old.is_nan() && !x.is_nan() {
            self.vars[best.0].reals[0] = x;
            self.vars[at.0].indices[0] = self.affine(index)?;
        }
        Ok(())
    }
}
