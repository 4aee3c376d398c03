//! Which node reads what which other node writes.

mod bits;
mod flow;
mod paths;

pub(super) use bits::Bits;

use super::{Group, Reads};
use crate::schedule::node::Node;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights::schedule::{PATHS, SHARING};
use flow::Flow;
use paths::{Paths, Reach};

/// The nodes of one level of the tree, and how values flow between them. All nodes have places, in their order.
pub(super) struct Graph {
    all: Vec<usize>,
    paths: Paths,
    /// The places of those that write elements of the same array, or read elements of the same input.
    sharing: Vec<Vec<usize>>,
    /// By place: which of these it is in.
    shares: Vec<Vec<usize>>,
}

impl Graph {
    /// Of all that nodes read, and of what they wait for.
    pub fn new(all: &[usize], nodes: &[Node], (reads, waits): (&Reads, &Reads), inputs: &Set<u32>) -> Graph {
        let flow = Flow::new(all, nodes, waits);
        let mut shared: Map<u32, Vec<usize>> = Map::new();
        for (k, reader) in all.iter().enumerate() {
            let elements = reads[*reader].iter().filter(|(x, at)| inputs.contains(x) && !at.is_empty());
            for x in elements.map(|r| r.0).collect::<Set<u32>>() {
                shared.entry(x).or_default().push(k);
            }
            // Those that write the same scalar have no index in common by that.
            for x in nodes[*reader].writes().into_iter().filter(|_| !nodes[*reader].target.is_empty()) {
                shared.entry(x).or_default().push(k);
            }
        }
        let sharing: Vec<Vec<usize>> = shared.into_iter().map(|(_, places)| places).collect();
        let mut shares = vec![vec![]; all.len()];
        for (n, places) in sharing.iter().enumerate() {
            places.iter().for_each(|k| shares[*k].push(n));
        }
        Graph { all: all.to_vec(), paths: Paths::new(flow), sharing, shares }
    }

    /// The place of a node.
    pub fn place(&self, n: usize) -> usize {
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

    /// Takes a group for one node from now on; what that reaches.
    pub fn merge(&mut self, group: &Group) -> Reach {
        let places: Vec<usize> = group.keys().map(|n| self.place(*n)).collect();
        self.paths.merge(&places)
    }

    /// Whether the group that was merged last, and reaches this, lies between these places, between which nothing lay before.
    pub fn comes_between(&self, group: &mut Reach, places: &[usize]) -> bool {
        self.paths.comes_between(group, places)
    }

    /// What a group reaches that has no nodes yet.
    pub fn reach(&self) -> Reach {
        self.paths.reach(&[], PATHS)
    }

    /// Takes a node in, and what may share a loop with it, if it is left: linked nodes, and some around it that share an array.
    pub fn join(&self, reach: &mut Reach, near: &mut Bits, left: &Bits, place: usize) {
        self.paths.join(reach, place);
        near.remove(place);
        let around = self.shares[place].iter().flat_map(|n| around(&self.sharing[*n], place));
        for k in self.paths.flow.linked(place).chain(around.copied()) {
            if left.contains(k) && !reach.has(k) {
                near.insert(k);
            }
        }
    }

    /// Whether no path leaves a group with m and comes back, also through the groups that are formed, as far as paths are looked for.
    pub fn convex(&self, place: usize, group: &mut Reach) -> bool {
        self.paths.is_convex_with(group, place)
    }

    /// Whether `reader` reads what `writer` writes.
    pub fn flows(&self, writer: usize, reader: usize) -> bool {
        self.paths.flow.flows(self.place(writer), self.place(reader))
    }

    /// The members of a group that write or read what m reads or writes, or write the same array not far from it.
    pub fn neighbours(&self, m: usize, g: &Group) -> Vec<(usize, Index)> {
        let (flow, place) = (&self.paths.flow, self.place(m));
        let same: Set<usize> =
            flow.written(place).flat_map(|x| around(&flow.writers[x], place)).copied().collect();
        let few = flow.linked(place).take(g.len());
        if few.count() == g.len() {
            let is_related = |c: usize| c != place && (flow.is_linked(place, c) || same.contains(&c));
            let all = g.iter().filter(|(c, _)| is_related(self.place(**c)));
            return all.map(|(c, i)| (*c, *i)).collect();
        }
        let all: Set<usize> = flow.linked(place).chain(same).filter(|c| *c != place).collect();
        all.iter().map(|c| self.all[*c]).filter_map(|c| Some((c, *g.get(&c)?))).collect()
    }

    /// An order of items in which each comes after those that it reads: of those that may come next the first.
    pub fn order(&self, items: &[Vec<usize>]) -> Vec<usize> {
        let places = |nodes: &Vec<usize>| nodes.iter().map(|n| self.place(*n)).collect();
        self.paths.flow.order(&items.iter().map(places).collect::<Vec<_>>())
    }
}

/// Those not far from a place.
fn around(places: &[usize], place: usize) -> &[usize] {
    let at = places.partition_point(|k| *k < place);
    &places[at.saturating_sub(SHARING)..places.len().min(at + SHARING)]
}
