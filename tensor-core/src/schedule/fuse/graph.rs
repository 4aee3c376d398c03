//! Which node reads what which other node writes.

mod reach;

pub(super) use reach::Reach;

use super::Group;
use crate::index::Affine;
use crate::schedule::node::{Kind, Node};
use crate::sorted::{Map, Set};

/// The nodes of one level of the tree, and how values flow between them.
pub(super) struct Graph {
    /// From each writer to its readers, other than itself.
    after: Map<usize, Set<usize>>,
    /// For each node: writers, readers, and nodes that write the same array.
    related: Map<usize, Set<usize>>,
    /// All nodes, in order: what they reach is by their places here.
    all: Vec<usize>,
    /// By place: what values flow to, and from, on any path, also through the groups that are formed. Found by [`Graph::regroup`].
    reach: Vec<Reach>,
}

impl Graph {
    pub fn new(all: &[usize], nodes: &[Node], reads: &[Vec<(u32, Vec<Affine>)>]) -> Graph {
        let mut writers: Map<u32, Vec<usize>> = Map::new();
        for n in all {
            nodes[*n].writes().into_iter().for_each(|x| writers.entry(x).or_default().push(*n));
        }
        let empty = || all.iter().map(|n| (*n, Set::new())).collect::<Map<_, _>>();
        let (mut after, mut related) = (empty(), empty());
        let mut relate = |a: usize, b: usize| {
            if a != b {
                related.entry(a).or_default().insert(b);
                related.entry(b).or_default().insert(a);
            }
        };
        for reader in all {
            for writer in reads[*reader].iter().filter_map(|r| writers.get(&r.0)).flatten() {
                if writer != reader {
                    after.entry(*writer).or_default().insert(*reader);
                }
                relate(*writer, *reader);
            }
        }
        for same in writers.values() {
            for (k, a) in same.iter().enumerate() {
                same[..k].iter().for_each(|b| relate(*a, *b));
                // Halves, then what is mirrored, then what is added to that.
                if matches!(nodes[*a].kind, Kind::Mirror(_)) {
                    for b in same.iter().filter(|b| *b != a) {
                        let (first, then) = if nodes[*b].half.is_some() { (b, a) } else { (a, b) };
                        after.entry(*first).or_default().insert(*then);
                    }
                }
            }
        }
        Graph { after, related, all: all.to_vec(), reach: vec![] }
    }

    /// The place of a node.
    fn place(&self, n: usize) -> usize {
        self.all.partition_point(|m| *m < n)
    }

    /// Takes each of these groups for one node.
    pub fn regroup(&mut self, groups: &[Group]) {
        let places = 0..self.all.len();
        let group = |k: &usize| groups.iter().position(|g| g.contains_key(&self.all[*k]));
        // A node without a group is one by itself.
        let part_of: Vec<usize> = places.clone().map(|k| group(&k).unwrap_or(groups.len() + k)).collect();
        let flows = places.flat_map(|k| self.after[&self.all[k]].iter().map(move |m| (k, *m)));
        let flows: Vec<(usize, usize)> = flows.map(|(k, m)| (k, self.place(m))).collect();
        self.reach = reach::all(&part_of, &flows);
    }

    /// What values of a node flow to and from.
    pub fn reach(&self, n: usize) -> &Reach {
        &self.reach[self.place(n)]
    }

    /// Whether `reader` reads what `writer` writes.
    pub fn flows(&self, writer: usize, reader: usize) -> bool {
        self.after[&writer].contains(&reader)
    }

    /// Whether what one of `a` writes is read by one of `b`.
    pub fn precedes(&self, a: &[usize], b: &[usize]) -> bool {
        a.iter().any(|n| b.iter().any(|m| self.flows(*n, *m)))
    }

    /// The members of a group that write or read what m reads or writes, or write the same array.
    pub fn neighbours<'a>(
        &'a self,
        m: usize,
        g: &'a Group,
    ) -> impl Iterator<Item = (usize, crate::ssa::Index)> {
        self.related[&m].iter().filter_map(|c| Some((*c, *g.get(c)?)))
    }

    /// Whether no path leaves a group with m and comes back, also through the groups that are formed.
    pub fn convex(&self, m: usize, group: &Reach) -> bool {
        group.is_convex_with(self.reach(m))
    }
}
