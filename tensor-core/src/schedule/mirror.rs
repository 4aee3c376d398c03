//! Halves of symmetric matrices: where a product of matrices is one, it is written to the whole, and mirrored there.
//!
//! ```text
//! T[i, k] = [i <= k] Σ_n A[n, i] · B[n, k]     H[i, k] = [i <= k] T[i, k] + [k < i] T[k, i]
//! ```
//!
//! Nothing but H reads T, so T is no array: the kernel writes that half of H, and copies it across the diagonal. What else is added to H is
//! added later.

use super::dense;
use super::node::{Kind, Node, Part, scalar_reads};
use super::range::bare;
use crate::index::Affine;
use crate::loops::{Band, Expr, Place};
use crate::ssa::{Function, Index};

/// See the module documentation.
pub(super) fn mirror(f: &Function, mut nodes: Vec<Node>) -> Vec<Node> {
    for h in (0..nodes.len()).rev() {
        let Some((t, side)) = half(f, &nodes, h) else { continue };
        nodes[t].array = nodes[h].array;
        if let Some(d) = &mut nodes[t].dense {
            d.mirrored = true;
        }
        if let [Some(i), Some(k)] = indices(&nodes[t]) {
            nodes[t].guard.retain(|c| dense::band(c, i, k).as_ref() != Some(&side));
        }
        nodes.remove(h);
    }
    nodes
}

/// The node of the product that is a half of what this node is the whole of, and which half.
fn half(f: &Function, nodes: &[Node], h: usize) -> Option<(usize, Band)> {
    let whole = &nodes[h];
    let Kind::Value(parts) = &whole.kind else { return None };
    let ([a, b], [Some(i), Some(k)]) = (parts.as_slice(), indices(whole)) else { return None };
    let across = [k.affine(), i.affine()];
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
    let mut writers = (0..nodes.len()).filter(|n| nodes[*n].writes().contains(&x));
    let (t, None) = (writers.next()?, writers.next()) else { return None };
    let [Some(row), Some(col)] = indices(&nodes[t]) else { return None };
    nodes[t].dense.as_ref()?;
    let is_half = nodes[t].guard.iter().any(|c| dense::band(c, row, col).as_ref() == Some(&side));
    let reads = |n: usize| n != h && nodes[n].reads(f).iter().any(|r| r.0 == x);
    let is_read = (0..nodes.len()).any(reads) || scalar_reads(f).iter().any(|r| r.0 == x);
    let extents = &f.arrays[x as usize].extents;
    let is_square = extents[0] == extents[1] && *extents == f.array(whole.array).extents;
    let is_result = f.results.iter().any(|r| r.0 == x);
    (is_half && is_square && !is_read && !is_result).then_some((t, side))
}

/// The indices of a matrix, where it is written.
fn indices(n: &Node) -> [Option<Index>; 2] {
    match n.target.as_slice() {
        [i, k] => [bare(i), bare(k)],
        _ => [None, None],
    }
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
