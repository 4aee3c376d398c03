//! What arrays depend on.

use super::rename::elements_of;
use super::{ArrayId, ArrayKind, Function};
use crate::sorted::Set;

impl Function {
    /// Drops the statements that some arrays do not depend on, and adds to these those that they do: what is read, and the places that the range
    /// of a place reads. Whether a statement went.
    pub fn keep_only(&mut self, needed: &mut Set<ArrayId>) -> bool {
        let mut stmts = std::mem::take(&mut self.stmts);
        let before = stmts.len();
        stmts.reverse();
        stmts.retain(|s| {
            let is_needed = needed.contains(&s.array);
            if is_needed {
                s.rhs.reads(self, &mut |_, array| {
                    needed.insert(array);
                });
                if let ArrayKind::Index { lower, upper, .. } = &self.array(s.array).kind {
                    for e in [lower, upper] {
                        elements_of(e, &mut |array, _| {
                            needed.insert(array);
                        });
                    }
                }
            }
            is_needed
        });
        stmts.reverse();
        self.stmts = stmts;
        self.stmts.len() != before
    }
}
