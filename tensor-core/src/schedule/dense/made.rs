//! Products of a batch whose factors would be stored for their sake alone.
//!
//! `z[i, c, a] = Σ_b l[c, a, b] · (x[i, b] - m[c, b])`: a kernel needs the differences, more elements than x and m have. Loops fuse with those that
//! make them, and hold some. The kernel keeps what is stored anyway: what is given, what is returned, other products; and what one of these is as
//! large as.

use super::super::node::Node;
use crate::index::Affine;
use crate::sorted::{Map, Set};
use crate::ssa::Function;

/// The nodes, where no product has such a factor.
pub(in crate::schedule) fn in_loops(f: &Function, mut nodes: Vec<Node>) -> Vec<Node> {
    for k in 0..nodes.len() {
        let Some(d) = nodes[k].dense.as_ref().filter(|_| nodes[k].target.len() > 2) else { continue };
        let sources = Sources::of(f, &nodes);
        if [d.a.var.0, d.b.var.0].iter().any(|x| !sources.hold(*x)) {
            nodes[k].dense = None;
        }
    }
    nodes
}

/// What arrays are made from.
struct Sources<'a> {
    f: &'a Function,
    /// What each array is made from at once, if it need not be stored.
    reads: Map<u32, Set<u32>>,
}

impl Sources<'_> {
    fn of<'a>(f: &'a Function, nodes: &[Node]) -> Sources<'a> {
        let mut reads: Map<u32, Set<u32>> = Map::new();
        for n in nodes.iter().filter(|n| n.dense.is_none()) {
            for x in n.writes() {
                reads.entry(x).or_default().extend(n.reads(f).into_iter().map(|r| r.0));
            }
        }
        let stored = nodes.iter().filter(|n| n.dense.is_some()).flat_map(Node::writes);
        let stored = stored.chain(f.results.iter().map(|r| r.0));
        stored.for_each(|x| {
            reads.remove(&x);
        });
        Sources { f, reads }
    }

    /// Whether some array that is stored anyway has all dimensions of x, which is made from it.
    fn hold(&self, x: u32) -> bool {
        let all = &self.f.arrays[x as usize].extents;
        let (mut open, mut seen) = (vec![x], Set::new());
        while let Some(y) = open.pop() {
            match self.reads.get(&y) {
                None if has(&self.f.arrays[y as usize].extents, all) => return true,
                None => {}
                Some(from) => open.extend(from.iter().filter(|z| seen.insert(**z))),
            }
        }
        false
    }
}

/// Whether each of `some` is among `extents`, as often.
fn has(extents: &[Affine], some: &[Affine]) -> bool {
    let count = |of: &[Affine], e: &Affine| of.iter().filter(|x| *x == e).count();
    some.iter().all(|e| count(extents, e) >= count(some, e))
}
