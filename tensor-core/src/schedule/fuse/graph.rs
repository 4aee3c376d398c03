//! Which node reads what which other node writes.

mod reach;

pub(super) use reach::{Bits, Reach};

use super::Group;
use crate::index::Affine;
use crate::schedule::node::{Kind, Node};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights::schedule::SHARING;

/// The nodes of one level of the tree, and how values flow between them. All nodes have places, in their order.
pub(super) struct Graph {
    all: Vec<usize>,
    /// By place: the readers of what a node writes, other than itself.
    after: Vec<Set<usize>>,
    /// By place: the nodes that read what a node writes, or write what it reads.
    linked: Vec<Set<usize>>,
    /// The nodes that write an array, in order.
    writers: Map<u32, Vec<usize>>,
    /// By place: the arrays that a node writes.
    writes: Vec<Vec<u32>>,
    /// By place: the places of the nodes that it may share a loop with: linked ones, those that write elements of the same array or read elements of the same input.
    near: Vec<Bits>,
    /// By place: what values flow to, and from, on any path, also through the groups that are formed.
    reach: Vec<Reach>,
}

impl Graph {
    pub fn new(all: &[usize], nodes: &[Node], reads: &[Vec<(u32, Vec<Affine>)>], inputs: &Set<u32>) -> Graph {
        let mut writers: Map<u32, Vec<usize>> = Map::new();
        let writes: Vec<Vec<u32>> = all.iter().map(|n| nodes[*n].writes()).collect();
        for (n, writes) in all.iter().zip(&writes) {
            writes.iter().for_each(|x| writers.entry(*x).or_default().push(*n));
        }
        let place = |n: usize| all.partition_point(|m| *m < n);
        let mut after: Vec<Set<usize>> = vec![Set::new(); all.len()];
        let mut linked = after.clone();
        let mut readers: Map<u32, Vec<usize>> = Map::new();
        for (k, reader) in all.iter().enumerate() {
            let elements = reads[*reader].iter().filter(|(x, at)| inputs.contains(x) && !at.is_empty());
            for x in elements.map(|r| r.0).collect::<Set<u32>>() {
                readers.entry(x).or_default().push(k);
            }
            for x in reads[*reader].iter().map(|r| r.0).collect::<Set<u32>>() {
                for writer in writers.get(&x).into_iter().flatten().filter(|w| *w != reader) {
                    after[place(*writer)].insert(*reader);
                    linked[place(*writer)].insert(*reader);
                    linked[k].insert(*writer);
                }
            }
        }
        for same in writers.values() {
            // Triangles, then what is symmetrized, then what is added to that.
            for a in same.iter().filter(|a| matches!(nodes[**a].kind, Kind::Symmetrize(_))) {
                for b in same.iter().filter(|b| *b != a) {
                    let (first, then) = if nodes[*b].triangle.is_some() { (b, a) } else { (a, b) };
                    after[place(*first)].insert(*then);
                }
            }
        }
        let mut near = vec![Bits::new(all.len()); all.len()];
        for (near, linked) in near.iter_mut().zip(&linked) {
            linked.iter().for_each(|n| near.insert(place(*n)));
        }
        // Those that write or read the same scalar have no index in common by that.
        let has_index = |n: &&usize| !nodes[**n].target.is_empty();
        let written = writers.values().map(|all| all.iter().filter(has_index).map(|n| place(*n)).collect());
        for shared in written.chain(readers.values().cloned()) {
            for (at, k) in shared.iter().enumerate() {
                for other in &shared[at.saturating_sub(SHARING)..shared.len().min(at + SHARING)] {
                    near[*k].insert(*other);
                }
            }
        }
        let flows: Vec<(usize, usize)> =
            after.iter().enumerate().flat_map(|(k, after)| after.iter().map(move |m| (k, *m))).collect();
        let flows: Vec<(usize, usize)> = flows.into_iter().map(|(k, m)| (k, place(m))).collect();
        let reach = reach::all(all.len(), &flows);
        Graph { all: all.to_vec(), after, linked, writers, writes, near, reach }
    }

    /// The place of a node.
    fn place(&self, n: usize) -> usize {
        self.all.partition_point(|m| *m < n)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The node of a place.
    pub fn node(&self, place: usize) -> usize {
        self.all[place]
    }

    /// The places of some nodes.
    pub fn places(&self, nodes: impl Iterator<Item = usize>) -> Bits {
        let mut out = Bits::new(self.all.len());
        nodes.for_each(|n| out.insert(self.place(n)));
        out
    }

    /// Takes a group for one node from now on; the places of the nodes of which other values flow to, or from, that.
    pub fn merge(&mut self, group: &Group) -> Bits {
        let places: Vec<usize> = group.keys().map(|n| self.place(*n)).collect();
        reach::merge(&mut self.reach, &places)
    }

    /// Whether one of these nodes is at one of these places.
    pub fn meets(&self, places: &Bits, joined: &[(usize, Index)]) -> bool {
        joined.iter().any(|(n, _)| places.contains(self.place(*n)))
    }

    /// What values of a node flow to and from.
    pub fn reach(&self, n: usize) -> &Reach {
        &self.reach[self.place(n)]
    }

    /// The nodes at some places that may share a loop with this one.
    pub fn near_in(&self, left: Bits, n: usize) -> Near {
        let mut near = Near { near: Bits::new(self.all.len()), left };
        self.join_near(&mut near, n);
        near
    }

    /// Takes a node out, and those in that may share a loop with it too.
    pub fn join_near(&self, near: &mut Near, n: usize) {
        let place = self.place(n);
        near.near.join(&self.near[place]);
        near.left.remove(place);
    }

    /// Whether `reader` reads what `writer` writes.
    pub fn flows(&self, writer: usize, reader: usize) -> bool {
        self.after[self.place(writer)].contains(&reader)
    }

    /// The members of a group that write or read what m reads or writes, or write the same array not far from it.
    pub fn neighbours(&self, m: usize, g: &Group) -> Vec<(usize, Index)> {
        let place = self.place(m);
        let linked = &self.linked[place];
        let around = |all: &'_ Vec<usize>| {
            let at = all.partition_point(|n| *n < m);
            all[at.saturating_sub(SHARING)..all.len().min(at + SHARING)].to_vec()
        };
        let same: Set<usize> =
            self.writes[place].iter().filter_map(|x| self.writers.get(x)).flat_map(around).collect();
        if g.len() <= linked.len() + same.len() {
            let is_related = |c: &usize| *c != m && (linked.contains(c) || same.contains(c));
            return g.iter().filter(|(c, _)| is_related(c)).map(|(c, i)| (*c, *i)).collect();
        }
        let all: Set<usize> = linked.iter().chain(&same).copied().filter(|c| *c != m).collect();
        all.iter().filter_map(|c| Some((*c, *g.get(c)?))).collect()
    }

    /// Whether no path comes back to a group that was convex as it grew, before others were formed.
    pub fn stays_convex(&self, joined: &[(usize, Index)]) -> bool {
        let Some((seed, others)) = joined.split_first() else { return true };
        let mut reach = self.reach(seed.0).clone();
        others.iter().all(|(m, _)| {
            let is_convex = self.convex(*m, &reach);
            reach.join(self.reach(*m));
            is_convex
        })
    }

    /// An order of items in which each comes after those that it reads: of those that may come next the first.
    pub fn order(&self, items: &[Vec<usize>]) -> Vec<usize> {
        let mut item_of = vec![0; self.all.len()];
        for (k, nodes) in items.iter().enumerate() {
            nodes.iter().for_each(|n| item_of[self.place(*n)] = k);
        }
        let after = |k: usize| -> Set<usize> {
            let all = items[k].iter().flat_map(|n| self.after[self.place(*n)].iter());
            all.map(|m| item_of[self.place(*m)]).filter(|j| *j != k).collect()
        };
        let after: Vec<Set<usize>> = (0..items.len()).map(after).collect();
        let mut before = vec![0_usize; items.len()];
        after.iter().flat_map(|after| after.iter()).for_each(|j| before[*j] += 1);
        let mut left: Set<usize> = (0..items.len()).collect();
        let mut ready: Set<usize> = left.iter().copied().filter(|k| before[*k] == 0).collect();
        let mut out = vec![];
        // There is always one that is ready, but where values flow in a circle.
        while let Some(k) = ready.first().or(left.first()).copied() {
            ready.remove(&k);
            left.remove(&k);
            for j in &after[k] {
                before[*j] = before[*j].saturating_sub(1);
                if before[*j] == 0 && left.contains(j) {
                    ready.insert(*j);
                }
            }
            out.push(k);
        }
        out
    }

    /// Whether no path leaves a group with m and comes back, also through the groups that are formed.
    pub fn convex(&self, m: usize, group: &Reach) -> bool {
        group.is_convex_with(self.reach(m))
    }
}

/// What may join a group, by place.
pub(super) struct Near {
    /// What may share a loop with one of the group,
    near: Bits,
    /// if it is among these.
    left: Bits,
}

impl Near {
    /// The first place from here on.
    pub fn next(&self, from: usize) -> Option<usize> {
        self.near.next_of_both(&self.left, from)
    }

    /// The last place before this one.
    pub fn last(&self, before: usize) -> Option<usize> {
        self.near.last_of_both(&self.left, before)
    }
}
