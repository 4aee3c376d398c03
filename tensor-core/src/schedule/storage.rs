//! What each array keeps of its dimensions, where it begins, and who writes it first.
//!
//! An array lives inside the loops that all its writers and readers share, each by its own bare index, as far as no writer
//! sums over one. Those dimensions are dropped; with none left it is a local.

mod live;
mod written;

use super::fuse::Item;
use super::node::{Kind, Node, scalar_reads};
use super::range::{bare, narrows, of_sizes};
use crate::index::Affine;
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::{ArrayKind, Extreme, Function, Index};
use crate::weights;

/// How an array is stored.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Its number of loops around; it begins in the body of the last.
    pub depth: usize,
    /// The dimensions that are dropped.
    pub dropped: Set<usize>,
    /// No dimension is left, and it is no tensor result.
    pub local: bool,
    /// What it is filled with where it begins, unless its first writer overwrites all of it.
    pub fill: Option<f64>,
    /// The node that writes it first.
    pub first: usize,
    /// The only one that writes it.
    pub single: bool,
    /// For people.
    pub why: String,
}

/// See [`plan`].
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// By array.
    pub slots: Map<u32, Slot>,
    /// Nodes that overwrite what they write, all of it.
    pub assigns: Set<usize>,
    /// Of these, those whose elements are not read where the conditions do not hold that narrow their loops. The others run over all
    /// elements: no condition narrows a loop of theirs.
    pub narrowed: Set<usize>,
    /// Of these, those of such conditions alone: where they do not hold nothing is written.
    pub partial: Set<usize>,
    /// Arrays that share the buffer of another, which overwrites each element after reading it.
    pub alias: Map<u32, u32>,
    /// The loops around each node, outermost first, by its own indices.
    pub paths: Vec<Vec<(usize, Index)>>,
}

/// The storage of every array that nodes write.
pub(super) fn plan(f: &Function, nodes: &[Node], tree: &[Item]) -> Plan {
    let mut paths = vec![vec![]; nodes.len()];
    let mut order = vec![];
    walk(tree, &mut vec![], &mut paths, &mut order);
    let mut reads: Vec<_> = nodes.iter().map(|n| n.reads(f)).collect();
    // Scalar results are read after everything, by one more reader outside all loops.
    reads.push(scalar_reads(f));
    paths.push(vec![]);
    let (assigns, narrowed, partial) = (Set::new(), Set::new(), Set::new());
    let mut plan = Plan { slots: Map::new(), assigns, narrowed, partial, alias: Map::new(), paths };
    let mut writers: Map<u32, Vec<usize>> = Map::new();
    for n in order {
        nodes[n].writes().into_iter().for_each(|x| writers.entry(x).or_default().push(n));
    }
    let readers = readers(&reads);
    let results: Set<u32> = f.results.iter().map(|r| r.0).collect();
    for (x, writers) in writers.iter() {
        let is_result = results.contains(x) && !f.arrays[*x as usize].extents.is_empty();
        let readers = readers.get(x).map_or(&[][..], Vec::as_slice);
        let slot = slot(f, nodes, &reads, &mut plan, (*x, is_result), writers, readers);
        plan.slots.insert(*x, slot);
    }
    share(f, nodes, &reads, &readers, &mut plan);
    live::share(f, nodes, &reads, tree, &mut plan);
    plan
}

/// By array: who reads it, in order.
fn readers(reads: &Reads) -> Map<u32, Vec<usize>> {
    let mut out: Map<u32, Vec<usize>> = Map::new();
    for (n, reads) in reads.iter().enumerate() {
        for (x, _) in reads {
            let all = out.entry(*x).or_default();
            if all.last() != Some(&n) {
                all.push(n);
            }
        }
    }
    out
}

fn walk(
    items: &[Item],
    around: &mut Vec<(usize, Map<usize, Index>)>,
    paths: &mut [Vec<(usize, Index)>],
    order: &mut Vec<usize>,
) {
    for item in items {
        match item {
            Item::Leaf(n) => {
                paths[*n] = around.iter().map(|(id, m)| (*id, m[n])).collect();
                order.push(*n);
            }
            Item::Loop(l) => {
                around.push((l.id, l.members.clone()));
                walk(&l.kids, around, paths, order);
                around.pop();
            }
        }
    }
}

type Reads = [Vec<(u32, Vec<Affine>)>];

fn slot(
    f: &Function,
    nodes: &[Node],
    reads: &Reads,
    plan: &mut Plan,
    (x, is_result): (u32, bool),
    writers: &[usize],
    readers: &[usize],
) -> Slot {
    let rank = f.arrays[x as usize].extents.len();
    let (mut depth, mut dropped) = (0, Set::new());
    if !is_result {
        for k in 0.. {
            let Some(d) = shared_dimension(nodes, reads, &plan.paths, x, writers, readers, k) else { break };
            dropped.insert(d);
            depth = k + 1;
        }
    }
    let local = !is_result && dropped.len() == rank;
    let first = writers[0];
    let n = &nodes[first];
    let zero = match &n.kind {
        Kind::Value(_) | Kind::ArgExtreme(..) | Kind::Call(_) | Kind::Symmetrize(_) => 0.0,
        Kind::Extreme(Extreme::Max, _) => f64::NEG_INFINITY,
        Kind::Extreme(Extreme::Min, _) => f64::INFINITY,
    };
    let indices = f.arrays[x as usize].kind != ArrayKind::Real;
    let alone = writers[1..].iter().all(|w| apart(nodes, &plan.paths, first, *w));
    let sums = !n.sums().is_empty();
    // What others add to must begin as zero.
    let inner = !is_result && !local && dropped.is_empty() && writers.len() == 1;
    let narrow = !n.guard.is_empty() && n.guard.iter().any(narrows);
    // What is known of a place holds of every place: all are written.
    let partly = !indices && inner && narrow && written::read_where_written(f, nodes, readers, first)
        || written::is_triangle(n);
    let overwrites = indices || alone && covers(f, nodes, &plan.paths, first, partly) && !(local && sums);
    if overwrites {
        plan.assigns.insert(first);
        if partly {
            plan.narrowed.insert(first);
        }
        if partly && n.guard.iter().all(narrows) {
            plan.partial.insert(first);
        }
    }
    let why = if is_result {
        "result".to_string()
    } else if local {
        format!("inside {depth} loops")
    } else {
        let other = readers.iter().find(|r| {
            writers
                .iter()
                .any(|w| plan.paths[**r].first().map(|p| p.0) != plan.paths[*w].first().map(|p| p.0))
        });
        match other.or(readers.first()) {
            Some(r) if *r < nodes.len() => {
                format!("read by `{}`", f.arrays[nodes[*r].array.0 as usize].name)
            }
            Some(_) | None => "read by a result".to_string(),
        }
    };
    let fill = (!overwrites).then_some(zero);
    Slot { depth, dropped, local, fill, first, single: writers.len() == 1, why }
}

/// The dimension of x that the k-th loop around all its writers and readers runs over, for each of them by its bare index.
fn shared_dimension(
    nodes: &[Node],
    reads: &Reads,
    paths: &[Vec<(usize, Index)>],
    x: u32,
    writers: &[usize],
    readers: &[usize],
    k: usize,
) -> Option<usize> {
    let (id, i) = *paths[writers[0]].get(k)?;
    let d = nodes[writers[0]].position(i)?;
    let at = |n: usize| paths[n].get(k).filter(|p| p.0 == id).map(|p| p.1);
    let written = writers.iter().all(|w| at(*w).is_some_and(|i| bare(&nodes[*w].target[d]) == Some(i)));
    let read = readers.iter().all(|r| {
        at(*r).is_some_and(|i| reads[*r].iter().filter(|a| a.0 == x).all(|(_, at)| bare(&at[d]) == Some(i)))
    });
    (written && read).then_some(d)
}

/// Whether all that `first` writes precedes all that `other` adds to it: they share only loops over the same dimension.
fn apart(nodes: &[Node], paths: &[Vec<(usize, Index)>], first: usize, other: usize) -> bool {
    paths[first]
        .iter()
        .zip(&paths[other])
        .take_while(|(a, b)| a.0 == b.0)
        .all(|(a, b)| nodes[first].position(a.1).is_some_and(|d| nodes[other].position(b.1) == Some(d)))
}

/// Whether a node writes every element that is read, once: no gen is determined, none is narrowed unless `partly` says that this is no
/// harm, and sums run inside gens.
fn covers(f: &Function, nodes: &[Node], paths: &[Vec<(usize, Index)>], n: usize, partly: bool) -> bool {
    let node = &nodes[n];
    if matches!(node.kind, Kind::Call(_)) {
        return node.guard.is_empty();
    }
    let own: Set<Index> = node.target.iter().filter_map(bare).collect();
    if own.len() < node.target.len() || own.iter().any(|i| !node.dims[..node.gens].contains(i)) {
        return false;
    }
    if node.dense.as_ref().is_some_and(|d| d.part.is_some() || node.guard.iter().any(|c| !d.does(c))) {
        return false;
    }
    let path = &paths[n];
    let sums_inside = path.iter().skip_while(|p| !node.is_sum(p.1)).all(|p| node.is_sum(p.1));
    let of_gens = |c: &&crate::index::Cond| !node.sums().iter().any(|s| c.mentions(&s.atom()));
    // What sizes alone decide is chosen at the store: the same everywhere.
    let own: Vec<_> =
        node.guard.iter().filter(of_gens).filter(|c| !c.affines().into_iter().all(of_sizes)).collect();
    if matches!(node.kind, Kind::ArgExtreme(..)) {
        return true;
    }
    // A test that is known outside the innermost loop over the elements is better hoisted, unless that loop is short.
    let extents = &f.array(node.array).extents;
    let is_short = |i: Index| {
        node.position(i)
            .is_some_and(|d| extents[d].is_constant() && extents[d].constant <= weights::schedule::TESTED)
    };
    let gens: Vec<Index> = path.iter().map(|p| p.1).filter(|i| !node.is_sum(*i)).collect();
    let innermost = gens.iter().rfind(|i| !is_short(**i)).or(gens.last()).map(|i| i.atom());
    let inside = !node.sums().is_empty()
        || own.is_empty()
        || partly
        || innermost.is_none_or(|i| own.iter().any(|c| c.mentions(&i)));
    sums_inside && inside && (own.iter().all(|c| !narrows(c)) || partly)
}

/// `X[g] = … X'[g] …`, the only reader of X' and the only writer of X: X' may live in the buffer of X.
fn share(f: &Function, nodes: &[Node], reads: &Reads, readers: &Map<u32, Vec<usize>>, plan: &mut Plan) {
    for (k, n) in nodes.iter().enumerate() {
        let x = n.array.0;
        let slot = &plan.slots[&x];
        let is_call = matches!(n.kind, Kind::Call(_));
        if slot.local
            || !slot.single
            || slot.depth > 0
            || !plan.assigns.contains(&k)
            || !n.sums().is_empty()
            || is_call
        {
            continue;
        }
        let fits = |y: u32| {
            let same = reads[k].iter().filter(|r| r.0 == y).all(|r| r.1 == n.target);
            let alone = readers.get(&y).is_none_or(|all| all.iter().all(|m| *m == k));
            let free = plan.slots.get(&y).is_some_and(|s| !s.local && s.depth == 0 && s.dropped.is_empty());
            let (a, b) = (&f.arrays[x as usize], &f.arrays[y as usize]);
            y != x
                && same
                && alone
                && free
                && a.extents == b.extents
                && a.kind == b.kind
                && !f.results.iter().any(|r| r.0 == y)
        };
        if let Some(y) = reads[k].iter().map(|r| r.0).find(|y| fits(*y)) {
            mark::hit(Mark::InPlace);
            plan.alias.insert(y, x);
        }
    }
}
