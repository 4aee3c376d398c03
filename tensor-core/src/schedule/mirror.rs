//! Halves of symmetric matrices: they are written to the whole, and mirrored there.
//!
//! ```text
//! T[i, k] = [i <= k] Σ terms     H[i, k] = [i <= k] T[i, k] + [k < i] T[k, i]
//! ```
//!
//! Nothing but H reads T, so T is no array: that half of H is written, and a kernel copies it across the diagonal. What else is added to H is
//! added later. With more dimensions, `H[i, a, k, b] = [i <= k] T[i, a, k, b] + [k < i] T[k, b, i, a]`, H is a matrix of blocks: those on the
//! diagonal stay as they are.

use super::dense;
use super::node::{Kind, Mirror, Node, Part, scalar_reads};
use super::range::bare;
use crate::index::Affine;
use crate::index::affine::product;
use crate::loops::{Band, Expr, Place};
use crate::ssa::{Function, Index};

/// See the module documentation.
pub(super) fn mirror(f: &Function, mut nodes: Vec<Node>) -> Vec<Node> {
    for h in 0..nodes.len() {
        let Some(Half { of, side, mirror }) = half(f, &nodes, h) else { continue };
        let array = nodes[h].array;
        for n in nodes.iter_mut().filter(|n| n.array.0 == of) {
            n.array = array;
            n.half = Some(side.clone());
        }
        let whole = &mut nodes[h];
        whole.kind = Kind::Mirror(mirror);
        whole.dims.clear();
        whole.ranges.clear();
        whole.gens = 0;
    }
    nodes
}

/// An array of which a node is the whole.
struct Half {
    of: u32,
    side: Band,
    mirror: Mirror,
}

fn half(f: &Function, nodes: &[Node], h: usize) -> Option<Half> {
    let whole = &nodes[h];
    let Kind::Value(parts) = &whole.kind else { return None };
    let ([a, b], [Some(i), Some(k)]) = (parts.as_slice(), rows_and_columns(whole)) else { return None };
    let rank = whole.target.len() / 2;
    let (row, column) = whole.target.split_at(rank);
    let across = [column, row].concat();
    let ((at, side), (other, beyond)) = if place(a)?.at == whole.target {
        (part(a, i, k)?, part(b, i, k)?)
    } else {
        (part(b, i, k)?, part(a, i, k)?)
    };
    let opposite = match &side {
        Band::From(d) if d.is_zero() => Band::UpTo(Affine::from(-1)),
        Band::UpTo(d) if d.is_zero() => Band::From(Affine::from(1)),
        Band::From(_) | Band::UpTo(_) => return None,
    };
    let x = at.var.0;
    let is_whole = whole.guard.is_empty() && whole.lets.is_empty() && whole.sums().is_empty();
    if !is_whole || at.at != whole.target || other.at != across || other.var != at.var || beyond != opposite {
        return None;
    }
    let computes = |n: &Node| !n.writes().contains(&x) || matches!(n.kind, Kind::Value(_));
    let reads = |n: usize| n != h && nodes[n].reads(f).iter().any(|r| r.0 == x);
    let is_read = (0..nodes.len()).any(reads) || scalar_reads(f).iter().any(|r| r.0 == x);
    let extents = &f.array(whole.array).extents;
    let (rows, columns) = extents.split_at(rank);
    let is_square = rows == columns && f.arrays[x as usize].extents == *extents;
    let is_result = f.results.iter().any(|r| r.0 == x);
    let length = |extents: &[Affine]| extents.iter().try_fold(Affine::from(1), |a, e| product(&a, e));
    let mirror =
        Mirror { rows: length(rows)?, block: length(&rows[1..])?, above: matches!(side, Band::From(_)) };
    (nodes.iter().all(computes) && is_square && !is_read && !is_result).then_some(Half {
        of: x,
        side,
        mirror,
    })
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

/// What is read, and on which side of a diagonal.
fn part(p: &Part, i: Index, k: Index) -> Option<(&Place, Band)> {
    let [c] = p.guard.as_slice() else { return None };
    Some((place(p)?, dense::band(c, i, k)?))
}
