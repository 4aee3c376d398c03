//! What arrays depend on.

use super::rename::{Read, elements_of};
use super::{ArrayId, ArrayKind, Function, Stmt};
use crate::sorted::Set;

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
        let mut stmts = std::mem::take(&mut self.stmts);
        let before = stmts.len();
        stmts.reverse();
        stmts.retain(|s| {
            let is_needed = needed.contains(&s.array);
            if is_needed {
                self.reads(s, &mut |_, array| {
                    needed.insert(array);
                });
            }
            is_needed
        });
        stmts.reverse();
        self.stmts = stmts;
        self.stmts.len() != before
    }
}
