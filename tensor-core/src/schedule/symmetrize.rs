//! Triangles of symmetric matrices: they are written to the whole, and symmetrized there.
//!
//! ```text
//! T[i, k] = [i <= k] Σ terms     H[i, k] = [i <= k] T[i, k] + [k < i] T[k, i]
//! ```
//!
//! Nothing but H reads T, so T is no array: that triangle of H is written, and a kernel copies it across the diagonal. What else is added to H is
//! added later. With more dimensions, `H[i, a, k, b] = [i < k] T[i, a, k, b] + [k < i] T[k, b, i, a]`, H is a matrix of blocks: those on the
//! diagonal stay as they are.
//!
//! Where T was no more than a factor times what an array has, H reads that array: one triangle of H does. Where these blocks are halved, too, `blocks` has more
//! of what is on the same side of the diagonal.

mod blocks;

use super::dense;
use super::node::{Kind, Node, Part, Symmetrize, scalar_reads};
use super::range::{bare, minus, ranged_gist};
use crate::index::affine::product;
use crate::index::{Affine, Atom, Cond};
use crate::loops::walk::substitute_cond;
use crate::loops::{Band, Expr, Place, Way};
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::ssa::{Function, Index};
use crate::weights;

/// How a matrix of so many rows is symmetrized, in an array of so many.
pub(super) fn way(stride: &Affine, rows: &Affine, block: &Affine, above: bool) -> Way {
    let is_whole = stride == rows;
    if *block != 1.into() {
        Way::Kernel
    } else if *rows == Way::ROWS.into() && !is_whole && above {
        Way::Registers
    } else if is_whole && rows.as_constant().is_some_and(|n| n < weights::schedule::SYMMETRIZED) {
        Way::Loops
    } else {
        Way::Kernel
    }
}

/// See the module documentation.
pub(super) fn symmetrize(f: &Function, mut nodes: Vec<Node>) -> Vec<Node> {
    let mut gone: Set<usize> = Set::new();
    for h in 0..nodes.len() {
        let Some(triangle) = triangle(f, &nodes, h) else { continue };
        let (array, target) = (nodes[h].array, nodes[h].target.clone());
        let mut symmetrize = Node { dims: vec![], ranges: vec![], gens: 0, dense: None, ..nodes[h].clone() };
        let read = place(&triangle.part).filter(|p| p.at == target);
        if let Some(x) = read.and_then(|p| own(f, &nodes, p, &f.array(array).extents, &[h])) {
            for n in nodes.iter_mut().filter(|n| n.array.0 == x) {
                n.array = array;
                n.triangle = Some(triangle.side.clone());
                if triangle.is_strict {
                    keep_beside(f, n, 0, &triangle.side);
                }
            }
            gone.insert(h);
        } else if triangle.is_strict && is_computed(&nodes, &triangle.part) {
            let n = &mut nodes[h];
            n.guard = triangle.part.guard;
            n.kind = Kind::Value(vec![Part { guard: vec![], value: triangle.part.value }]);
            n.triangle = Some(triangle.side.clone());
        } else {
            continue;
        }
        let (mut is_strict, mut tied) = (triangle.is_strict, 1);
        while is_strict && let Some(inner) = blocks::inner(f, &nodes, array, tied, &triangle.side) {
            mark::hit(Mark::SymmetrizedBlocks);
            inner.move_to(f, &mut nodes, array, tied, &triangle.side);
            gone.extend(inner.reads);
            is_strict = inner.is_strict;
            tied += 1;
        }
        let above = matches!(triangle.side, Band::From(_));
        mark::hit(Mark::Symmetrized);
        symmetrize.kind = Kind::Symmetrize(Symmetrize {
            rows: triangle.rows,
            block: triangle.blocks[tied - 1].clone(),
            above,
        });
        nodes.push(symmetrize);
    }
    let mut at = 0..;
    nodes.retain(|_| at.next().is_none_or(|n| !gone.contains(&n)));
    nodes
}

/// One triangle of a matrix, of which the other is a copy.
struct Triangle {
    part: Part,
    side: Band,
    /// Whether the diagonal is not in it.
    is_strict: bool,
    /// How many rows there are.
    rows: Affine,
    /// How many rows a block has, by how many indices blocks are told apart.
    blocks: Vec<Affine>,
}

fn triangle(f: &Function, nodes: &[Node], h: usize) -> Option<Triangle> {
    let whole = &nodes[h];
    let Kind::Value(parts) = &whole.kind else { return None };
    let ([a, b], [Some(i), Some(k)]) = (parts.as_slice(), rows_and_columns(whole)) else { return None };
    let rank = whole.target.len() / 2;
    let (row, column) = whole.target.split_at(rank);
    let across = [column, row].concat();
    let other = across_of(&b.value, &whole.target, &across);
    let is_whole = whole.guard.is_empty() && whole.lets.is_empty() && whole.sums().is_empty();
    if !is_whole || other.as_ref() != Some(&a.value) {
        return None;
    }
    let (side, beyond) = (band_of(a, i, k)?, band_of(b, i, k)?);
    // What walks along rows, as far as there is a choice.
    let along =
        |p: &Part| (place(p).is_some_and(|p| p.at == whole.target), reads_along(p, whole.target.last()));
    let (part, side, beyond) = if along(a) >= along(b) { (a, side, beyond) } else { (b, beyond, side) };
    let is_strict = is_strict(&side, &beyond)?;
    let extents = &f.array(whole.array).extents;
    let (rows, columns) = extents.split_at(rank);
    let length = |extents: &[Affine]| extents.iter().try_fold(Affine::from(1), |a, e| product(&a, e));
    let blocks = (1..=rank).map(|d| length(&rows[d..])).collect::<Option<_>>()?;
    let all = length(rows)?;
    (rows == columns).then(|| Triangle { part: part.clone(), side, is_strict, rows: all, blocks })
}

/// What a node writes to a matrix, but for its diagonal, or that of its blocks where so many indices of rows and columns are the same: the
/// copy goes over all that is on the other side, not over these.
fn keep_beside(f: &Function, n: &mut Node, tied: usize, side: &Band) {
    let rank = n.target.len() / 2;
    let beside = is_on(side, &n.target[tied], &n.target[rank + tied]);
    // A test stands before what it makes worth a name.
    let named = |c: Cond, (i, e): &(Index, Affine)| substitute_cond(&c, &i.atom(), e);
    let beside = n.lets.iter().rev().fold(beside, named);
    let guard = [n.guard.as_slice(), &[beside]].concat();
    n.guard = ranged_gist(f, &guard, &n.ranges, n.sums());
}

/// That an element is on a side of a diagonal.
fn is_on(side: &Band, row: &Affine, column: &Affine) -> Cond {
    Cond::NonNeg(match side {
        Band::From(d) => minus(&minus(column, row), d),
        Band::UpTo(d) => minus(&minus(row, column), &d.negated()),
    })
}

/// That what a node writes to a triangle is on the side that is read of it; `None` of what is on the diagonal.
pub(super) fn is_inside(n: &Node) -> Option<Cond> {
    let side = n.triangle.as_ref()?;
    let (rows, columns) = n.target.split_at(n.target.len() / 2);
    let tied = rows.iter().zip(columns).position(|(row, column)| row != column)?;
    let whole = match side {
        Band::From(_) => Band::From(0.into()),
        Band::UpTo(_) => Band::UpTo(0.into()),
    };
    // The side is that of the first dimension; within a block the diagonal may be written, too.
    Some(is_on(if tied == 0 { side } else { &whole }, &rows[tied], &columns[tied]))
}

/// Whether the first of two sides, of which the other is all that is beyond the diagonal, is without the diagonal, too.
fn is_strict(side: &Band, beyond: &Band) -> Option<bool> {
    let other = |d: i64| Affine::from(d);
    let (all, but) = match side {
        Band::From(d) => (d.is_zero(), *d == other(1)),
        Band::UpTo(d) => (d.is_zero(), *d == other(-1)),
    };
    let is_beyond = match side {
        Band::From(_) => *beyond == Band::UpTo(other(-1)),
        Band::UpTo(_) => *beyond == Band::From(other(1)),
    };
    (is_beyond && (all || but)).then_some(but)
}

/// The array of a place, if it has this shape and nothing reads it but these nodes.
fn own(f: &Function, nodes: &[Node], place: &Place, shape: &[Affine], readers: &[usize]) -> Option<u32> {
    let x = place.var.0;
    let computes = |n: &Node| !n.writes().contains(&x) || matches!(n.kind, Kind::Value(_));
    let reads = |n: usize| !readers.contains(&n) && nodes[n].reads(f).iter().any(|r| r.0 == x);
    let is_written = nodes.iter().any(|n| n.writes().contains(&x)) && nodes.iter().all(computes);
    let is_read = (0..nodes.len()).any(reads) || scalar_reads(f).iter().any(|r| r.0 == x);
    let is_result = f.results.iter().any(|r| r.0 == x);
    let fits = f.arrays[x as usize].extents == shape;
    (fits && is_written && !is_read && !is_result).then_some(x)
}

/// Whether what a triangle reads is in the order of its rows.
fn reads_along(triangle: &Part, column: Option<&Affine>) -> bool {
    let mut all = true;
    triangle.value.visit(&mut |_| {}, &mut |p| all &= p.at.last() == column);
    all
}

/// Whether a triangle reads what other loops compute.
fn is_computed(nodes: &[Node], triangle: &Part) -> bool {
    let mut all = true;
    triangle.value.visit(&mut |_| {}, &mut |p| all &= nodes.iter().any(|n| n.writes().contains(&p.var.0)));
    all
}

/// The first index of the rows and that of the columns of a matrix, where it is written; all others stand by themselves, too.
pub(super) fn rows_and_columns(n: &Node) -> [Option<Index>; 2] {
    let rank = n.target.len() / 2;
    if rank == 0 || n.target.len() != 2 * rank || n.target.iter().any(|a| bare(a).is_none()) {
        return [None, None];
    }
    [bare(&n.target[0]), bare(&n.target[rank])]
}

/// What is read.
fn place(p: &Part) -> Option<&Place> {
    if let Expr::Read(place) = &p.value { Some(place) } else { None }
}

/// On which side of a diagonal a part is.
fn band_of(p: &Part, i: Index, k: Index) -> Option<Band> {
    let [c] = p.guard.as_slice() else { return None };
    dense::band(c, i, k)
}

/// What an expression is on the other side of the diagonal.
fn across_of(e: &Expr, target: &[Affine], across: &[Affine]) -> Option<Expr> {
    let transposed = |a: &Atom| target.iter().position(|t| t.as_atom() == Some(a)).map(|d| across[d].clone());
    let mut all = true;
    let out = e.map(
        &mut |a| {
            let to = a.rename(&transposed);
            all &= to.is_some();
            to.unwrap_or_default()
        },
        &mut |p| p,
    );
    all.then_some(out)
}
