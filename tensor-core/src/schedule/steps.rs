//! What a step of a recurrence reads of the steps before it, and of itself.

use super::node::{Node, constant_difference};
use crate::index::Affine;
use crate::sorted::Map;
use crate::ssa::{Function, Index, Stmt};

/// The statements of recurrences, by their arrays.
pub(super) struct Steps<'a> {
    f: &'a Function,
    members: Map<u32, usize>,
}

impl Steps<'_> {
    pub fn new(f: &Function) -> Steps<'_> {
        let members = f.stmts.iter().enumerate().filter(|(_, s)| s.is_member());
        Steps { f, members: members.map(|(k, s)| (s.array.0, k)).collect() }
    }

    /// Whether a node reads what an earlier step of a recurrence around it has computed: within a step nothing waits for that. It is earlier where it comes no
    /// sooner in the list, and where it is of another time.
    pub fn is_carried(&self, n: &Node, x: u32, at: &[Affine]) -> bool {
        let (Some(w), Some(r)) = (self.members.get(&x), self.members.get(&n.array.0)) else { return false };
        let (writer, reader) = (&self.f.stmts[*w], &self.f.stmts[*r]);
        let recs = self.f.recs_of(writer).into_iter().zip(self.f.recs_of(reader));
        let common = recs.take_while(|(a, b)| a == b).count();
        let is_apart = |(theirs, own): (&Index, &Index)| {
            let then = writer.gens.iter().position(|g| g == theirs).and_then(|d| at.get(d));
            let now = reader.gens.iter().position(|g| g == own).and_then(|d| n.target.get(d));
            then.zip(now).and_then(|(a, b)| constant_difference(a, b)).is_some_and(|d| d != 0)
        };
        common > 0 && (r <= w || times(writer).iter().zip(times(reader)).take(common).any(is_apart))
    }
}

/// The times of a statement, outermost first.
fn times(s: &Stmt) -> &[Index] {
    s.step.as_ref().map_or(&[], |step| &step.times)
}
