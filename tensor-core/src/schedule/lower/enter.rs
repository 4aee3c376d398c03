//! A loop with what must stand around it: tests, and private sums.

use super::{Lower, State, wrap};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::{Expr, Leaf, Place, Stmt};
use crate::schedule::fuse::Loop;
use crate::schedule::node::Kind;
use crate::schedule::range::{bare, entails, gist};
use crate::schedule::symmetrize;
use crate::sorted::Set;
use crate::ssa::{Access, Extreme, Index};

impl Lower {
    /// One loop, with what must stand around it.
    pub(super) fn enter(&mut self, item: &Loop, depth: usize, out: &mut Vec<Stmt>) {
        let members = &item.members;
        let saved: Vec<(usize, State)> = members.keys().map(|n| (*n, self.states[*n].clone())).collect();
        let private: Vec<usize> =
            members.keys().copied().filter(|n| self.sums_privately(*n, depth)).collect();
        let opened: Vec<Vec<Stmt>> = private.iter().map(|n| self.open_private(*n)).collect();
        let first = saved[0].0;
        // Outside its array a node does nothing; elsewhere it may still have to write zeros.
        let mut common = self.ready(first);
        let wide = common.iter().any(|c| self.states[first].within.contains(c));
        if wide {
            common.retain(|c| self.states[first].within.contains(c));
        }
        let ready = |l: &Lower, n: usize| -> Pred {
            let mut p = l.ready(n);
            if p.iter().any(|c| l.states[n].within.contains(c)) {
                p.retain(|c| l.states[n].within.contains(c));
            }
            p
        };
        let hoist = !common.is_empty()
            && members.keys().all(|n| ready(self, *n) == common && (wide || self.may_hoist(*n)));
        // Where the tests do not hold an element is still written, if there is one. What is not is declared where they do: it may begin at a place that they
        // keep in range.
        let mut inner = vec![];
        let mut inside = vec![];
        for (n, stmts) in private.iter().zip(opened) {
            let is_there = self.is_free(*n) && !common.iter().any(|c| self.states[*n].within.contains(c));
            if hoist && !is_there {
                inside.push(*n);
                inner.extend(stmts);
            } else {
                out.extend(stmts);
            }
        }
        let sides: Vec<Pred> = private.iter().map(|n| self.target_side(*n)).collect();
        if hoist {
            members.keys().for_each(|n| self.assume(*n, &common));
        }
        members.keys().for_each(|n| self.lets(*n, &mut inner, false));
        let here: Vec<(usize, State)> = members.keys().map(|n| (*n, self.states[*n].clone())).collect();
        self.each(item, depth, &mut inner);
        for (n, s) in here {
            self.states[n] = s;
        }
        let mut after = vec![];
        for (n, side) in private.iter().zip(sides) {
            let (place, side) =
                if inside.contains(n) { (&mut inner, self.target_side(*n)) } else { (&mut after, side) };
            self.close_private(*n, hoist, &side, place);
        }
        if hoist {
            let tests = self.tests(&common);
            out.push(Stmt::If { tests, body: inner, otherwise: vec![] });
        } else {
            out.append(&mut inner);
        }
        out.append(&mut after);
        for (n, s) in saved {
            self.states[n] = s;
        }
    }

    /// Whether a test may skip what is left of a node: not where that would leave elements unwritten.
    fn may_hoist(&self, n: usize) -> bool {
        !self.plan.assigns.contains(&n) || self.plan.partial.contains(&n) || self.states[n].private.is_some()
    }

    /// Whether only sums are left from this depth on that the target does not depend on, and it is no local that may
    /// be added to directly, nor all that a kernel adds to.
    fn sums_privately(&self, n: usize, depth: usize) -> bool {
        let s = &self.states[n];
        let path = &self.plan.paths[n];
        let original = |k: usize| path[k].1;
        let own = |k: usize| {
            let i = original(k);
            s.node.is_sum(i) && !self.depends(n, i)
        };
        let inner = (depth..path.len()).all(own);
        let is_arg = matches!(s.node.kind, Kind::ArgExtreme(..));
        let local = self.plan.slots[&s.node.array.0].local && !is_arg;
        inner && s.private.is_none() && !local && s.node.dense.is_none()
    }

    /// Whether where a node writes depends on an index, through lets too.
    fn depends(&self, n: usize, i: Index) -> bool {
        let node = &self.states[n].node;
        let by = |a: &Affine, i: Index| a.mentions(&i.atom());
        node.target.iter().any(|a| by(a, i) || node.lets.iter().any(|(k, e)| by(a, *k) && by(e, i)))
    }

    /// Whether where a node writes is a loop of its own in each dimension: an equality determines none.
    fn is_free(&self, n: usize) -> bool {
        let s = &self.states[n];
        let entered = s.fixed.iter().zip(&self.plan.paths[n]);
        let gens: Vec<Index> = entered.filter(|(_, step)| !s.node.is_sum(step.1)).map(|(i, _)| *i).collect();
        let target: Set<Index> = s.node.target.iter().filter_map(bare).collect();
        target.len() == s.node.target.len()
            && target.iter().all(|i| gens.contains(i) && !s.solved.contains(i))
    }

    /// Declares what a node sums up by itself.
    pub(super) fn open_private(&mut self, n: usize) -> Vec<Stmt> {
        let mut out = vec![];
        let (name, kind) =
            (self.f.array(self.states[n].node.array).name.clone(), self.states[n].node.kind.clone());
        let var = self.local(&name, false);
        let (start, at) = match &kind {
            Kind::Value(_) | Kind::Call(_) | Kind::Symmetrize(_) => (0.0, var),
            Kind::Extreme(Extreme::Max, _) => (f64::NEG_INFINITY, var),
            Kind::Extreme(Extreme::Min, _) => (f64::INFINITY, var),
            Kind::ArgExtreme(_, least, _) => {
                let at = self.local(&format!("{name}_at"), true);
                let mut value = self.affine(least);
                value.constant -= 1;
                out.push(Stmt::Leaf(Leaf::DeclareIndex { var: at, value }));
                (f64::NAN, at)
            }
        };
        out.push(Stmt::Leaf(Leaf::Declare { var, value: Expr::Number(start) }));
        self.states[n].private = Some((var, at));
        out
    }

    /// Adds the private sum to where it belongs, on a side of a matrix.
    fn close_private(&mut self, n: usize, tested: bool, side: &[Cond], out: &mut Vec<Stmt>) {
        let Some((var, at)) = self.states[n].private else { return };
        let free = self.is_free(n);
        // What could not be named before its tests stands where it is used.
        for (i, e) in self.states[n].node.lets.clone() {
            self.states[n].node.substitute(i, &e);
        }
        let target = self.target(n);
        let value = Expr::Read(Place { var, at: vec![] });
        let assigns = self.plan.assigns.contains(&n);
        let stmt = match &self.states[n].node.kind {
            Kind::ArgExtreme(_, least, _) => {
                let value = Affine::from(Atom::Element(at.0, vec![]));
                Stmt::Leaf(Leaf::AssignIndex { target, value, least: self.affine(least) })
            }
            Kind::Value(_) | Kind::Extreme(..) if assigns => Stmt::Leaf(Leaf::Assign { target, value }),
            Kind::Value(_) | Kind::Call(_) | Kind::Symmetrize(_) => {
                Stmt::Leaf(Leaf::Accumulate { target, value })
            }
            Kind::Extreme(op, _) => Stmt::Leaf(Leaf::Extreme { op: *op, target, value }),
        };
        // Where the target is determined by an equality it may be out of range unless its tests hold.
        let mut p = self.ready(n);
        if free {
            p.retain(|c| self.states[n].within.contains(c));
        } else {
            p.extend(self.target_range(n));
        }
        let mut tests = if tested && free { vec![] } else { self.tests(&p) };
        tests.extend(self.tests(side));
        out.push(wrap(tests, vec![stmt], vec![]));
    }

    /// Of what is written to one side of a matrix and copied to the other, that it is there, where that is not known: beyond it is nothing to add to.
    fn target_side(&self, n: usize) -> Pred {
        let s = &self.states[n];
        if s.node.triangle.is_none() {
            return vec![];
        }
        let mut node = s.node.clone();
        s.node.lets.iter().for_each(|(i, e)| node.substitute(*i, e));
        let side: Pred = symmetrize::is_inside(&node).into_iter().collect();
        gist(&self.f, &side, &s.context).unwrap_or(side)
    }

    /// What is not known of the range of a target that equalities determine, and of what it reads: the sums that entail it may be empty.
    fn target_range(&self, n: usize) -> Pred {
        let s = &self.states[n];
        let target = Access { array: s.node.array, at: s.node.target.clone() };
        let mut all: Pred = vec![];
        for access in self.f.elements_in(&target.at).iter().chain([&target]) {
            all.extend(self.f.in_range(access).unwrap_or_default());
        }
        let unknown = gist(&self.f, &all, &s.context).unwrap_or(all);
        self.f.guarded(&unknown, &|before, c| entails(&self.f, &s.context, before, c))
    }
}
