//! Which nodes join a loop: those that meet what is in it pointwise, while the group stays convex.

use super::graph::Bits;
use super::{Fuser, Group, Grown, Level, Open};
use crate::schedule::node::constant_difference;
use crate::schedule::range::bare;
use crate::ssa::Index;
use crate::tally::{self, Tally};

impl Fuser<'_> {
    /// The seed with all that can share its loop.
    pub(super) fn grow(&self, seed: usize, open: &Open, level: &Level) -> Grown {
        let graph = level.graph;
        let (first, i) = level.seeds[seed];
        let mut g = Group::from([(graph.node(first), i)]);
        let mut joined = vec![seed];
        let (mut reach, mut near) = (graph.reach(), Bits::new(graph.len()));
        graph.join(&mut reach, &mut near, level.left, first);
        // Who was asked by this group is asked again by a larger one.
        let mut asked = Bits::new(graph.len());
        let mut upwards = true;
        let mut at = near.next(0).filter(|_| level.rows[&graph.node(first)].contains(&i));
        while let Some(place) = at {
            near.remove(place);
            asked.insert(place);
            let m = graph.node(place);
            if graph.convex(place, &mut reach)
                && let Some(im) = self.joins(m, i, &g, level)
            {
                near.take(&mut asked);
                graph.join(&mut reach, &mut near, level.left, place);
                g.insert(m, im);
                joined.extend(level.seed(place, im));
            }
            // Up, then down, then up again.
            at = if upwards { near.next(place + 1) } else { near.last(place) };
            if at.is_none() {
                upwards = !upwards;
                at = if upwards { near.next(0) } else { near.last(graph.len()) };
            }
        }
        let places = joined.iter().map(|k| level.seeds[*k].0).collect();
        Grown { joined, places, score: self.score(&g, open), group: g }
    }

    /// The index by which m may join a group that stays convex with it.
    fn joins(&self, m: usize, i: Index, g: &Group, level: &Level) -> Option<Index> {
        tally::add(Tally::Pairs, 1);
        let fits = |im: &Index| self.legal(m, *im, g, level) && self.same_extent(i, *im);
        self.options(m, g, level).into_iter().find(fits)
    }

    /// Whether one loop can serve both: their ends differ by small constants.
    pub(super) fn same_extent(&self, i: Index, j: Index) -> bool {
        let (Some(a), Some(b)) = (self.extents.get(&i), self.extents.get(&j)) else { return false };
        let near =
            |a, b| constant_difference(a, b).is_some_and(|d| d.abs() <= crate::weights::schedule::APART);
        near(&a.0, &b.0) && near(&a.1, &b.1)
    }

    /// The indices by which m may join: offered by a bare access to a member's array, by a member's bare access to m's
    /// array, by an input read at the same position, or by writing the same array.
    fn options(&self, m: usize, g: &Group, level: &Level) -> Vec<Index> {
        let mut out: Vec<Index> = vec![];
        let node = &self.nodes[m];
        for (c, ic) in level.graph.neighbours(m, g) {
            let member = &self.nodes[c];
            if level.graph.flows(c, m)
                && let Some(d) = member.position(ic)
            {
                let here = self.waits[m].iter().filter(|r| member.writes().contains(&r.0));
                out.extend(here.filter_map(|(_, at)| bare(&at[d])));
            }
            if level.graph.flows(m, c) {
                for (_, at) in self.waits[c].iter().filter(|r| node.writes().contains(&r.0)) {
                    let here = at.iter().zip(&node.target).filter(|(a, _)| bare(a) == Some(ic));
                    out.extend(here.filter_map(|(_, t)| bare(t)));
                }
            }
            if out.is_empty()
                && member.array == node.array
                && let Some(d) = member.position(ic)
            {
                out.extend(bare(&node.target[d]));
            }
        }
        let allowed = &level.choices[&m];
        let mut unique = vec![];
        let mut allow = |i: Index| {
            if allowed.contains(&i) && !unique.contains(&i) {
                unique.push(i);
            }
            unique.len() == allowed.len()
        };
        if !out.is_empty() {
            let _ = out.into_iter().any(&mut allow);
            return unique;
        }
        let inputs: Vec<_> = self.reads[m].iter().filter(|r| self.inputs.contains(&r.0)).collect();
        if inputs.is_empty() {
            return unique;
        }
        for (c, ic) in g {
            for (x, at) in &self.reads[*c] {
                for (_, bt) in inputs.iter().filter(|r| r.0 == *x) {
                    let same = at.iter().zip(bt).filter(|(a, _)| bare(a) == Some(*ic));
                    // All that are allowed are there.
                    if same.filter_map(|(_, b)| bare(b)).any(&mut allow) {
                        return unique;
                    }
                }
            }
        }
        unique
    }

    fn legal(&self, m: usize, im: Index, g: &Group, level: &Level) -> bool {
        if !level.rows[&m].contains(&im) {
            return false;
        }
        let pairs = |w: usize, iw: Index, r: usize, ir: Index| {
            let Some(d) = self.nodes[w].position(iw) else { return false };
            let written = self.nodes[w].writes();
            let mut here = self.waits[r].iter().filter(|a| written.contains(&a.0));
            here.all(|(_, at)| bare(&at[d]) == Some(ir))
        };
        level.graph.neighbours(m, g).into_iter().all(|(c, ic)| {
            (!level.graph.flows(c, m) || pairs(c, ic, m, im))
                && (!level.graph.flows(m, c) || pairs(m, im, c, ic))
        })
    }
}
