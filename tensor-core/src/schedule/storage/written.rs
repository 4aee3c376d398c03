//! Arrays that are read only where they are written: what is elsewhere need not be zero.

use crate::index::{Affine, Cond, Pred};
use crate::schedule::dense::band;
use crate::schedule::node::{Kind, Node, scalar_reads, tests};
use crate::schedule::range::{bare, gist, narrows};
use crate::schedule::symmetrize::rows_and_columns;
use crate::ssa::Function;

/// An array, and where it is read.
type Read = (u32, Vec<Affine>);

/// Whether the conditions that narrow the range of a node hold wherever the array that it writes is read, given the nodes that do: the last of
/// all are the scalar results. (An empty sum is written, too.)
pub(super) fn read_where_written(f: &Function, nodes: &[Node], readers: &[usize], first: usize) -> bool {
    let w = &nodes[first];
    let of_gens = |c: &&Cond| !w.sums().iter().any(|i| c.mentions(&i.atom()));
    let needed: Vec<&Cond> = w.guard.iter().filter(of_gens).filter(|c| narrows(c)).collect();
    let holds = |given: &[Cond], at: &[Affine]| {
        needed.iter().all(|c| {
            let here = c.rename(&|a| {
                let dimension = w.target.iter().position(|t| bare(t).is_some_and(|i| i.atom() == *a))?;
                Some(at[dimension].clone())
            });
            here.is_some_and(|c| gist(f, &[c], given).is_some_and(|rest| rest.is_empty()))
        })
    };
    let of_array = |reads: &[Read], given: &[Cond]| {
        reads.iter().filter(|(x, _)| *x == w.array.0).all(|(_, at)| holds(given, at))
    };
    // A product reads whole matrices, a call whole arrays.
    let reads_all = |n: &Node| n.dense.is_some() || matches!(n.kind, Kind::Call(_));
    let of_reader = |r: &usize| match nodes.get(*r) {
        Some(n) => !reads_all(n) && parts(f, n).iter().all(|(given, reads)| of_array(reads, given)),
        None => of_array(&scalar_reads(f), &[]),
    };
    readers.iter().all(of_reader)
}

/// Whether what narrows the range of a node is the side of the diagonal, and that itself, of which the other is a copy.
pub(super) fn is_triangle(n: &Node) -> bool {
    let [Some(row), Some(col)] = rows_and_columns(n) else { return false };
    let has_diagonal = n.triangle.as_ref().is_some_and(|side| side.diagonal().is_zero());
    let of_gens = |c: &&Cond| !n.sums().iter().any(|i| c.mentions(&i.atom()));
    let is_side = |c: &Cond| n.triangle.is_some() && band(c, row, col) == n.triangle;
    has_diagonal && n.guard.iter().filter(of_gens).filter(|c| narrows(c)).all(is_side)
}

/// What a node reads, with what is known there: of tests the ranges alone.
fn parts(f: &Function, n: &Node) -> Vec<(Pred, Vec<Read>)> {
    let mut all = vec![];
    let around = [n.ranges.as_slice(), &n.guard].concat();
    match &n.kind {
        Kind::Value(parts) => {
            for p in parts {
                let mut reads = vec![];
                p.value.visit(&mut |_| {}, &mut |place| reads.push((place.var.0, place.at.clone())));
                all.push(([around.as_slice(), &p.guard].concat(), reads));
            }
        }
        Kind::Extreme(_, e) | Kind::ArgExtreme(_, _, e) => {
            let mut reads = vec![];
            e.visit(&mut |_| {}, &mut |place| reads.push((place.var.0, place.at.clone())));
            all.push((around, reads));
        }
        Kind::Call(_) | Kind::Symmetrize(_) => {}
    }
    let guards = if let Kind::Value(parts) = &n.kind { parts.as_slice() } else { &[] };
    let mut reads = vec![];
    for p in guards.iter().map(|p| &p.guard).chain([&n.guard]) {
        for t in tests(f, p) {
            t.map(&mut Affine::clone, &mut |place| {
                reads.push((place.var.0, place.at.clone()));
                place
            });
        }
    }
    all.push((n.ranges.clone(), reads));
    all
}
