//! Reverse mode through a recurrence.

use super::{Cotangent, Sweep, Turned};
use crate::ad::counts::{Head, Pending};
use crate::ad::linearize::{linearize, places};
use crate::ad::rec::{self, Flow, Node, Recs};
use crate::ad::rename::at_gens;
use crate::ad::support::{self, Support};
use crate::sorted::Set;
use crate::ssa::{ArrayId, Rhs, Stmt, Term, ranges};

impl Sweep {
    /// The statements of a recurrence: the cotangents have their names and supports before any of them is defined, and are a recurrence that runs
    /// the other way.
    pub(super) fn members(&mut self, stmts: &[Stmt], xs: &[ArrayId], active: &Set<ArrayId>) {
        let is_looked_into = |s: &&Stmt| active.contains(&s.array) && !xs.contains(&s.array);
        let all: Vec<&Stmt> = stmts.iter().rev().filter(is_looked_into).collect();
        let supports = self.supports(&all, active);
        let asked = || all.iter().zip(&supports).filter_map(|(s, support)| Some((*s, support.clone()?)));
        let first = self.batch.len();
        let head = |(s, _): (&Stmt, _)| Head { stmt: s.clone(), first, extents: self.extents(s.array) };
        let heads = asked().map(head).collect();
        let number = self.counts.announce(heads, true);
        let mut bars: Vec<(&Stmt, Cotangent)> = vec![];
        for (k, (s, support)) in asked().enumerate() {
            let gens = self.gens(s.array);
            let array = self.new_bar(s.array);
            let factor = Some(at_gens(array, &gens));
            bars.push((s, Cotangent { number: number + k, gens, support, coeff: 1.0, factor }));
        }
        for (s, x_bar) in &bars {
            let asked = self.asked(s, x_bar);
            for term in linearize(&mut self.f, s, &|a| active.contains(&a), &asked) {
                self.transpose(&term, s, x_bar);
            }
        }
        let terms: Vec<Pending> = bars.iter().filter_map(|(s, _)| self.pending.remove(&s.array)).collect();
        self.counts.complete(&mut self.f, terms.clone());
        let mut recs = Recs::new(true);
        for ((s, x_bar), all) in bars.iter().zip(terms) {
            let Some(array) = x_bar.factor.as_ref().map(|a| a.array) else { continue };
            let terms = all.terms.into_iter().map(|t| t.0).collect();
            let step = recs.step(&mut self.f, s, &all.gens, first);
            self.f.stmts.push(Stmt { array, gens: all.gens, rhs: Rhs::Contract(terms), step });
        }
    }

    /// Where the cotangents of members of a recurrence are not zero; these are in the order of the values.
    fn supports(&mut self, members: &[&Stmt], active: &Set<ArrayId>) -> Vec<Option<Support>> {
        let mut nodes = vec![];
        for s in members {
            let gens = self.gens(s.array);
            let outside = self.pending.get(&s.array).map_or(vec![], |all| all.terms.clone());
            let outside = outside.into_iter().map(|(t, masked)| (t, masked.is_some())).collect();
            let extents = self.extents(s.array);
            nodes.push(Node { gens, extents, time: self.batch.len() + rec::time(s), outside, flows: vec![] });
        }
        for (of, s) in members.iter().enumerate() {
            for place in places(&self.f, s, &|a| active.contains(&a)) {
                let Some(to) = members.iter().position(|s| s.array == place.arg.array) else { continue };
                let Turned { sums, guard, at, .. } = self.turned(&place.arg, &place.sums, &place.guard, s);
                let given = support::context(&self.f, &nodes[to].gens, &nodes[to].extents);
                let Some(short) = support::gist(&guard, &given) else { continue };
                let guard = ranges::keep(short, &sums, &guard);
                let term = Term { sums, guard, coeff: 1.0, factors: vec![] };
                let at = at.iter().map(|i| i.affine()).collect();
                nodes[to].flows.push(Flow { of, at, term, masked: place.masked });
            }
        }
        let later = !rec::is_backward(&self.f, members);
        rec::supports(&mut self.f, &nodes, later)
    }
}
