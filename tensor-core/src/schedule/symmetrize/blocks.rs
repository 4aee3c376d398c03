//! Blocks on the diagonal of a matrix that is symmetrized, of which one triangle is known.
//!
//! ```text
//! H[i, a, k, b] = [i < k] T[i, a, k, b] + [k < i] T[k, b, i, a] + [i == k, a <= b] D[i, a, b] + [i == k, b < a] D[i, b, a]
//! ```
//!
//! In the order of its elements, what T and D have is one side of the diagonal of H: D is written to H, too, and all is symmetrized at once.

use super::{is_strict, keep_beside, own, place};
use crate::index::{Affine, Cond, Pred};
use crate::loops::{Band, Place};
use crate::schedule::dense::band;
use crate::schedule::node::{Kind, Node};
use crate::schedule::range::{bare, of_sizes, ranged_gist};
use crate::sorted::Set;
use crate::ssa::{ArrayId, Function};

/// An array of blocks, of which one triangle is read on both sides.
pub(super) struct Inner {
    of: u32,
    /// The nodes that read it.
    pub reads: [usize; 2],
    /// Whether the diagonals of the blocks are not in it.
    pub is_strict: bool,
    /// The side that is read as it is.
    side: Band,
    /// What must hold beside.
    given: Pred,
}

/// The triangles of the blocks where so many indices of rows and columns are the same, on a side of the diagonal.
pub(super) fn inner(f: &Function, nodes: &[Node], h: ArrayId, tied: usize, side: &Band) -> Option<Inner> {
    let all: Vec<(usize, Side)> =
        nodes.iter().enumerate().filter_map(|(n, node)| Some((n, Side::of(node, h, tied)?))).collect();
    let above = |b: &Band| matches!(b, Band::From(_));
    all.iter().find_map(|(n, own_side)| {
        let is_own = !own_side.is_across && above(&own_side.band) == above(side);
        let (m, other) = all
            .iter()
            .find(|(_, s)| is_own && s.is_across && s.array == own_side.array && s.given == own_side.given)?;
        let rank = f.array(h).extents.len() / 2;
        let shape = [&f.array(h).extents[..rank], &f.array(h).extents[rank + tied..]].concat();
        let of = own(f, nodes, place_of(&nodes[*n])?, &shape, &[*n, *m])?;
        let is_strict = is_strict(&own_side.band, &other.band)?;
        let (side, given) = (own_side.band.clone(), own_side.given.clone());
        Some(Inner { of, reads: [*n, *m], is_strict, side, given })
    })
}

impl Inner {
    /// The blocks are written to the matrix.
    pub fn move_to(&self, f: &Function, nodes: &mut [Node], h: ArrayId, tied: usize, side: &Band) {
        let rank = f.array(h).extents.len() / 2;
        for n in nodes.iter_mut().filter(|n| n.array.0 == self.of) {
            let (rows, columns) = n.target.split_at(rank);
            n.target = [rows, &rows[..tied], columns].concat();
            n.array = h;
            n.triangle = Some(side.clone());
            let guard = [n.guard.clone(), self.given.clone()].concat();
            n.guard = ranged_gist(f, &guard, &n.ranges, n.sums());
            if self.is_strict {
                keep_beside(f, n, tied, &self.side);
            }
        }
    }
}

/// One side of the blocks, as a node adds it to the matrix.
struct Side {
    array: u32,
    band: Band,
    /// Whether it reads what is on the other.
    is_across: bool,
    /// What sizes must be for it.
    given: Pred,
}

impl Side {
    fn of(n: &Node, h: ArrayId, tied: usize) -> Option<Side> {
        let rank = n.target.len() / 2;
        if n.array != h || tied >= rank || !n.lets.is_empty() || !n.sums().is_empty() {
            return None;
        }
        let (rows, columns) = n.target.split_at(rank);
        let indices: Set<_> = n.target.iter().filter_map(bare).collect();
        let are_tied = rows[..tied] == columns[..tied] && indices.len() == 2 * rank - tied;
        let (i, k) = (bare(&rows[tied])?, bare(&columns[tied])?);
        let Kind::Value(parts) = &n.kind else { return None };
        let guards: Vec<&Cond> = n.guard.iter().chain(parts.iter().flat_map(|p| &p.guard)).collect();
        let (given, sides): (Vec<&Cond>, Vec<&Cond>) =
            guards.into_iter().partition(|c| c.is_affine() && c.affines().into_iter().all(of_sizes));
        let [c] = sides.as_slice() else { return None };
        let place = place_of(n)?;
        let is = |order: [&[Affine]; 3]| place.at == order.concat();
        let own = is([&rows[..tied], &rows[tied..], &columns[tied..]]);
        let across = is([&rows[..tied], &columns[tied..], &rows[tied..]]);
        (are_tied && (own || across)).then_some(Side {
            array: place.var.0,
            band: band(c, i, k)?,
            is_across: across,
            given: given.into_iter().cloned().collect(),
        })
    }
}

/// What a node reads, if that is all that it does.
fn place_of(n: &Node) -> Option<&Place> {
    let Kind::Value(parts) = &n.kind else { return None };
    if let [part] = parts.as_slice() { place(part) } else { None }
}
