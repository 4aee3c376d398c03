//! What arrays depend on.

use super::rename::{Read, elements_of};
use super::{ArrayId, ArrayKind, Function, Stmt};
use crate::sorted::Set;
use std::ops::Range;

impl Function {
    /// Every array that a statement reads: where its right-hand side does, and, where it is a place, in the range of that.
    pub fn reads(&self, s: &Stmt, f: &mut dyn FnMut(Read, ArrayId)) {
        s.rhs.reads(self, f);
        if let ArrayKind::Index { lower, upper, .. } = &self.array(s.array).kind {
            [lower, upper].into_iter().for_each(|e| elements_of(e, &mut |array, _| f(Read::Element, array)));
        }
    }

    /// Drops the statements that some arrays do not depend on, and adds to these those that they do: what is read, and the places that the range
    /// of a place reads. Whether a statement went.
    pub fn keep_only(&mut self, needed: &mut Set<ArrayId>) -> bool {
        // What a member reads may stand behind it.
        for unit in self.units().into_iter().rev() {
            self.add_of(unit, needed);
        }
        let before = self.stmts.len();
        self.stmts.retain(|s| needed.contains(&s.array));
        self.stmts.len() != before
    }

    /// Adds what those of a unit read that are needed, until nothing is new.
    fn add_of(&self, unit: Range<usize>, needed: &mut Set<ArrayId>) {
        let mut left: Vec<&Stmt> = self.stmts[unit].iter().collect();
        while let Some(at) = left.iter().position(|s| needed.contains(&s.array)) {
            self.reads(left.swap_remove(at), &mut |_, array| {
                needed.insert(array);
            });
        }
    }
}
