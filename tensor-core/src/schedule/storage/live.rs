//! Buffers by liveness: arrays of one shape that are never in use at the same time share a buffer.

use super::{Plan, Reads};
use crate::mark::{self, Mark};
use crate::schedule::fuse::Item;
use crate::schedule::node::Node;
use crate::sorted::{Map, Set};
use crate::ssa::Function;

/// Arrays in one buffer.
struct Class {
    /// Whose buffer it is.
    owner: u32,
    /// The last item of the program that uses it; none comes after the end, where results are read.
    last: usize,
}

/// Gives arrays that begin outside all loops the buffers of others that are no longer read. `plan.alias` may name some already.
pub(super) fn share(f: &Function, nodes: &[Node], reads: &Reads, tree: &[Item], plan: &mut Plan) {
    let at = positions(tree);
    let mut spans: Map<u32, (usize, usize)> = Map::new();
    // After all nodes comes the reader of the results that are numbers.
    let ends = (nodes.len()..reads.len()).map(|n| (n, tree.len()));
    for (n, k) in at.into_iter().chain(ends) {
        let written = nodes.get(n).map_or(vec![], Node::writes);
        let used = reads[n].iter().map(|r| r.0).chain(written);
        for x in used.filter(|x| plan.slots.contains_key(x)) {
            let span = spans.entry(owner(plan, x)).or_insert((k, k));
            *span = (span.0.min(k), span.1.max(k));
        }
    }
    let results: Set<u32> = f.results.iter().map(|r| r.0).collect();
    let stored = |plan: &Plan, x: u32| {
        let slot = &plan.slots[&x];
        !slot.local && slot.depth == 0 && slot.dropped.is_empty() && !f.arrays[x as usize].extents.is_empty()
    };
    let mut order: Vec<(usize, u32)> = spans.iter().map(|(x, span)| (span.0, *x)).collect();
    order.sort_unstable();
    let mut classes: Vec<Class> = vec![];
    for (first, x) in order {
        if !stored(plan, x) {
            continue;
        }
        let last = if results.contains(&x) { tree.len() } else { spans[&x].1 };
        let fits = |c: &&mut Class| {
            let (a, b) = (&f.arrays[c.owner as usize], &f.arrays[x as usize]);
            c.last < first && a.extents == b.extents && a.kind == b.kind
        };
        match classes.iter_mut().find(fits) {
            Some(c) if results.contains(&x) => {
                mark::hit(Mark::SharedBuffer);
                plan.alias.insert(c.owner, x);
                *c = Class { owner: x, last };
            }
            Some(c) => {
                mark::hit(Mark::SharedBuffer);
                plan.alias.insert(x, c.owner);
                c.last = last;
            }
            None => classes.push(Class { owner: x, last }),
        }
    }
}

fn owner(plan: &Plan, mut x: u32) -> u32 {
    while let Some(y) = plan.alias.get(&x) {
        x = *y;
    }
    x
}

/// The item of the program that each node is in.
fn positions(tree: &[Item]) -> Map<usize, usize> {
    let mut out = Map::new();
    for (k, item) in tree.iter().enumerate() {
        match item {
            Item::Loop(l) => out.extend(l.members.keys().map(|n| (*n, k))),
            Item::Leaf(n) => {
                out.insert(*n, k);
            }
        }
    }
    out
}
