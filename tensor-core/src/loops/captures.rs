//! What the body of a loop takes from outside, and what it gives.

use super::leaf::InLanes;
use super::strips::Totals;
use super::visit::{How, Item, visit};
use super::{Program, Stmt, Storage, VarId};
use crate::index::{Affine, Atom};
use crate::sorted::{Map, Set};
use crate::ssa::{Extreme, Index};

/// What the body of a loop takes from outside.
#[derive(Default)]
pub(crate) struct Captures {
    pub sizes: Set<u32>,
    pub indices: Set<Index>,
    /// Variables, and whether they are written.
    pub vars: Map<VarId, bool>,
    pub bound: Set<Index>,
    pub declared: Set<VarId>,
    /// Locals from outside that all lanes add to or are compared with.
    pub totals: Totals,
}

impl Captures {
    pub(crate) fn of(p: &Program, index: Index, body: &[Stmt]) -> Captures {
        let mut c = Captures::default();
        c.bound.insert(index);
        let mut forms: Vec<Affine> = vec![];
        visit(body, &mut |item| match item {
            Item::Bound(i) => {
                c.bound.insert(i);
            }
            Item::Declared(v) => {
                c.declared.insert(v);
            }
            Item::Filled(v) => {
                c.vars.insert(v, true);
            }
            Item::Place(p, how) => *c.vars.entry(p.var).or_default() |= how != How::Read,
            Item::Element(v, _) => {
                c.vars.entry(VarId(v)).or_default();
            }
            Item::Form(a) => forms.push(a.clone()),
            Item::Decides(_) | Item::Whole => {}
        });
        forms.extend(c.vars.keys().flat_map(|v| p.var(*v).extents.clone()));
        for a in &forms {
            c.indices.extend(a.indices().into_iter().map(Index));
            sizes_of(a, &mut c.sizes);
        }
        c.indices.retain(|i| !c.bound.contains(i));
        let declared = &c.declared;
        c.vars.retain(|v, _| !declared.contains(v));
        c.totals(p, body);
        c
    }

    /// Whether each lane of a loop, of which these are the captures, has a variable of its own.
    pub(crate) fn is_own(&self, p: &Program, lane: Index, v: VarId) -> bool {
        self.declared.contains(&v) || p.var(v).lanes == Some(lane)
    }

    /// Locals from outside that the body writes.
    fn totals(&mut self, p: &Program, body: &[Stmt]) {
        for s in body {
            match s {
                Stmt::For { body, .. } => self.totals(p, body),
                Stmt::If { body, otherwise, .. } => {
                    self.totals(p, body);
                    self.totals(p, otherwise);
                }
                Stmt::Leaf(leaf) => {
                    if let Some(InLanes::Combine(op, target, _)) = leaf.in_lanes() {
                        self.total(p, target.var, op);
                    }
                }
            }
        }
    }

    fn total(&mut self, p: &Program, v: VarId, op: Option<Extreme>) {
        if p.var(v).storage == Storage::Local && !self.declared.contains(&v) {
            self.vars.remove(&v);
            self.totals.insert(v, op);
        }
    }
}

/// The sizes in a linear form.
pub(crate) fn sizes_of(a: &Affine, out: &mut Set<u32>) {
    fn atom(t: &Atom, out: &mut Set<u32>) {
        match t {
            Atom::Size(k) => {
                out.insert(*k);
            }
            Atom::Index(_) => {}
            Atom::Floor(e, _) => sizes_of(e, out),
            Atom::Element(_, at) => at.iter().for_each(|a| sizes_of(a, out)),
            Atom::Product(fs) => fs.iter().for_each(|t| atom(t, out)),
        }
    }
    a.terms.iter().for_each(|(t, _)| atom(t, out));
}
