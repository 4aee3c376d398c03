//! Which node reads what which other node writes.

use super::Group;
use crate::index::Affine;
use crate::schedule::node::Node;
use crate::sorted::{Map, Set};

/// The nodes of one level of the tree, and how values flow between them.
pub(super) struct Graph {
    /// From each writer to its readers, other than itself.
    after: Map<usize, Set<usize>>,
    /// For each node: writers, readers, and nodes that write the same array.
    related: Map<usize, Set<usize>>,
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
            }
        }
        Graph { after, related }
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

    /// Whether no path leaves the group with m and comes back, also through the groups that are formed.
    pub fn convex(&self, m: usize, g: &Group, groups: &[Group]) -> bool {
        let inside = |x: &usize| *x == m || g.contains_key(x);
        let members = g.keys().copied().chain([m]);
        let mut todo: Vec<usize> =
            members.flat_map(|n| &self.after[&n]).copied().filter(|x| !inside(x)).collect();
        let mut seen: Set<usize> = Set::new();
        while let Some(x) = todo.pop() {
            if !seen.insert(x) {
                continue;
            }
            if let Some(whole) = groups.iter().find(|h| h.contains_key(&x)) {
                todo.extend(whole.keys().filter(|y| !seen.contains(y)));
            }
            for y in &self.after[&x] {
                if inside(y) {
                    return false;
                }
                todo.push(*y);
            }
        }
        true
    }
}
