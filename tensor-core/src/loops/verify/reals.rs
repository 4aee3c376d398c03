//! Tests of reals: what a search has tested holds where the same is tested again, as long as nothing that it reads is written.

use crate::index::{Atom, Cond};
use crate::loops::visit::{How, Item, visit, visit_test};
use crate::loops::{Stmt, Test, VarId};
use crate::sorted::Set;

/// Tests without indices, by numbers: the same number where one is sure to have the same truth.
#[derive(Clone, Default)]
pub(super) struct Reals {
    known: Vec<Known>,
    next: u32,
}

#[derive(Clone)]
struct Known {
    id: u32,
    /// Of which truth, does not matter.
    test: Test,
    reads: Set<VarId>,
}

impl Reals {
    /// A test as a condition; `None` where it speaks of indices, or is none of reals.
    pub fn cond(&mut self, t: &Test) -> Option<Cond> {
        let Test::Real { op, left, right, holds } = t else { return None };
        let test = Test::Real { op: *op, left: left.clone(), right: right.clone(), holds: true };
        let id = match self.known.iter().find(|k| k.test == test) {
            Some(known) => known.id,
            None => {
                let reads = reads(t)?;
                self.next += 1;
                self.known.push(Known { id: self.next, test, reads });
                self.next
            }
        };
        Some(Cond::Opaque { id, args: vec![], holds: *holds })
    }

    /// The same of a test in a statement that is left: `None` where it writes what the test reads.
    pub fn lasting(&mut self, t: &Test, s: &Stmt) -> Option<Cond> {
        let read = reads(t)?;
        if written(std::slice::from_ref(s)).intersection(&read).next().is_some() {
            return None;
        }
        self.cond(t)
    }

    /// What these statements write has other values from here on.
    pub fn forget(&mut self, stmts: &[Stmt]) {
        if !self.known.is_empty() {
            let written = written(stmts);
            self.known.retain(|k| written.intersection(&k.reads).next().is_none());
        }
    }
}

/// The variables whose elements a test reads, where no index moves the places.
fn reads(t: &Test) -> Option<Set<VarId>> {
    let (mut out, mut stays) = (Set::new(), true);
    visit_test(t, &mut |item| match item {
        Item::Place(p, _) => drop(out.insert(p.var)),
        Item::Element(v, _) => drop(out.insert(VarId(v))),
        Item::Form(a) | Item::Decides(a) => stays &= !a.any_atom(&|t| matches!(t, Atom::Index(_))),
        Item::Bound(_) | Item::Declared(_) | Item::Filled(_) | Item::Whole => {}
    });
    stays.then_some(out)
}

/// The variables that statements write.
fn written(stmts: &[Stmt]) -> Set<VarId> {
    let mut out = Set::new();
    visit(stmts, &mut |item| match item {
        Item::Place(p, How::Assign | How::Combine) => drop(out.insert(p.var)),
        Item::Declared(v) | Item::Filled(v) => drop(out.insert(v)),
        Item::Place(_, How::Read) | Item::Element(..) | Item::Form(_) | Item::Decides(_) => {}
        Item::Bound(_) | Item::Whole => {}
    });
    out
}
