//! Recurrences: the order in which some statements are computed.
//!
//! Invariant (R1): the statements of a rec, those of recs within it among them, stand together.
//! Invariant (R2): the times of a step are gens of its statement, as many as recs are around it. A `Constant` has no step; the dimensions that a call
//!   itself gives are no times.
//! Invariant (R3): a statement reads members of its outermost rec only where (times, place in the list) is lexicographically before its own: the
//!   times of the recs around both, in the directions of these, then the list.
//! Invariant (R4): every rec is a cycle of reads, apart from those that the recs around it carry.

use super::rename::{Read, elements_of};
use super::{Access, Function, Index, Rhs, Stmt};
use crate::ast::Keep;
use crate::index::{Affine, Cond, Pred, cond};
use std::ops::Range;

/// A rec of the function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RecId(pub u32);

/// A sequential dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rec {
    /// A hint for printing.
    pub name: String,
    /// The rec in each of whose steps it runs.
    pub within: Option<RecId>,
    /// Whether it runs from the last time to the first.
    pub backward: bool,
    /// What the reverse sweep finds stored, if that is said.
    pub keep: Option<Keep>,
}

/// The place of a statement in recs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The innermost.
    pub rec: RecId,
    /// Its times in all of them, outermost first.
    pub times: Vec<Index>,
}

impl Function {
    /// A rec.
    #[must_use]
    pub fn rec(&self, id: RecId) -> &Rec {
        &self.recs[id.0 as usize]
    }

    /// The recs around a statement, outermost first.
    #[must_use]
    pub fn recs_of(&self, s: &Stmt) -> Vec<RecId> {
        let mut out = vec![];
        let mut next = s.step.as_ref().map(|step| step.rec);
        // As many as there are, should they be within each other.
        while let Some(id) = next.filter(|_| out.len() < self.recs.len()) {
            out.push(id);
            next = self.recs.get(id.0 as usize).and_then(|r| r.within);
        }
        out.reverse();
        out
    }

    /// The statements in order, those of an outermost rec together.
    #[must_use]
    pub fn units(&self) -> Vec<Range<usize>> {
        self.units_of(&self.stmts)
    }

    /// [`Function::units`] of some statements.
    #[must_use]
    pub fn units_of(&self, stmts: &[Stmt]) -> Vec<Range<usize>> {
        let mut out: Vec<(Option<RecId>, Range<usize>)> = vec![];
        for (k, s) in stmts.iter().enumerate() {
            let rec = self.recs_of(s).first().copied();
            match out.last_mut() {
                Some((last, range)) if rec.is_some() && *last == rec => range.end = k + 1,
                _ => out.push((rec, k..k + 1)),
            }
        }
        out.into_iter().map(|(_, range)| range).collect()
    }

    /// All that a statement reads, each under conditions on which it does.
    pub fn each_read(&self, s: &Stmt, visit: &mut dyn FnMut(&[Cond], &Access)) {
        let guards = s.rhs.guards();
        for guard in &guards {
            self.each_asked(guard, &mut vec![], visit);
        }
        for (how, a) in s.rhs.accesses() {
            let term = if let Read::Factor(k) = how { k } else { 0 };
            let guard: &[Cond] = guards.get(term).map_or(&[], |guard| guard);
            a.at.iter().for_each(|e| each_element(e, guard, visit));
            visit(guard, a);
        }
        match &s.rhs {
            Rhs::Prim { guard, .. } => {
                s.rhs.affines().into_iter().for_each(|e| each_element(e, guard, visit))
            }
            Rhs::OfIndex(e) => each_element(e, &[], visit),
            Rhs::Contract(_) | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => {}
            Rhs::Constant(_) | Rhs::Call(_) => {}
        }
    }

    /// What the comparisons and the forms of a predicate read.
    fn each_asked(&self, p: &[Cond], before: &mut Pred, visit: &mut dyn FnMut(&[Cond], &Access)) {
        let depth = before.len();
        for c in p {
            if !matches!(c, Cond::Any(_)) {
                c.affines().into_iter().for_each(|e| each_element(e, before, visit));
            }
            match c {
                Cond::Any(ps) => ps.iter().for_each(|p| self.each_asked(p, before, visit)),
                Cond::Opaque { .. } => self.each_compared(c, &mut |a| visit(before, &a)),
                Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => {}
                Cond::Residue(..) | Cond::NonResidue(..) => {}
            }
            before.push(c.clone());
        }
        before.truncate(depth);
    }

    /// The range of each gen of a statement.
    #[must_use]
    pub fn ranges_of(&self, s: &Stmt) -> Pred {
        let extents = &self.array(s.array).extents;
        let one =
            |(g, e): (&Index, &Affine)| cond::within(&Affine::zero(), &g.affine(), e).unwrap_or_default();
        s.gens.iter().zip(extents).flat_map(one).collect()
    }
}

/// The elements of index arrays that a form reads.
fn each_element(e: &Affine, guard: &[Cond], visit: &mut dyn FnMut(&[Cond], &Access)) {
    elements_of(e, &mut |array, at| visit(guard, &Access { array, at: at.to_vec() }));
}
