//! How the bodies of a distributed loop use each variable.

use super::Part;
use crate::index::{Affine, Atom};
use crate::loops::leaf::InLanes;
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Leaf, Place, Program, Stmt, VarId};
use crate::schedule::straight::within;
use crate::sorted::{Map, Set};
use crate::ssa::{Extreme, Index};

/// What becomes the body of a vectorized loop.
pub(super) struct Body<'a> {
    pub stmts: &'a [Stmt],
    /// The loops around, of steps above all, by which it runs several times in a block, and tests.
    pub around: Vec<&'a Stmt>,
}

impl Body<'_> {
    /// Whether it runs several times in a block.
    pub fn in_loop(&self) -> bool {
        self.around.iter().any(|s| matches!(s, Stmt::For { .. }))
    }

    /// Forms that are at least 0 in these.
    pub fn within(&self) -> Vec<Affine> {
        let of = |s: &&Stmt| match s {
            Stmt::For { index, lower, upper, .. } => within(*index, lower, upper),
            Stmt::If { .. } | Stmt::Leaf(_) => vec![],
        };
        self.around.iter().flat_map(of).collect()
    }
}

/// All of them, in order.
pub(super) fn bodies<'a>(parts: &'a [Part], around: &mut Vec<&'a Stmt>, out: &mut Vec<Body<'a>>) {
    for part in parts {
        let (s, blocks): (_, &[&[Part]]) = match part {
            Part::Body(stmts) => {
                out.push(Body { stmts, around: around.clone() });
                continue;
            }
            Part::Alone(_) => continue,
            Part::For(s, inner) => (s, &[inner]),
            Part::If(s, yes, no) => (s, &[yes, no]),
        };
        around.push(s);
        blocks.iter().for_each(|b| bodies(b, around, out));
        around.pop();
    }
}

/// How a variable is used.
pub(super) struct Uses {
    /// In which bodies.
    pub bodies: Map<usize, InBody>,
    /// Whether it is a local of one of them.
    pub is_declared: bool,
    /// So many of its first dimensions are not walked by loops inside of the bodies alone.
    pub outer: usize,
    /// Whether one index stands for several dimensions.
    pub is_flat: bool,
    /// Whether values are only added to it, or compared with it.
    pub is_combined: bool,
    /// The ways of that.
    pub ops: Vec<Option<Extreme>>,
}

/// How one body uses a variable.
#[derive(Default)]
pub(super) struct InBody {
    pub is_written: bool,
    /// How often it is mentioned.
    pub count: usize,
    /// Where all of it gets a value (its bits).
    pub fills: Vec<u64>,
    /// Whether that comes before all else, and in any case.
    pub begins_filled: bool,
    /// Where it is read and written along its first dimension; of numbers one.
    pub read: Vec<Affine>,
    pub written: Vec<Affine>,
}

impl Uses {
    fn new() -> Uses {
        Uses {
            bodies: Map::new(),
            is_declared: false,
            outer: 0,
            is_flat: false,
            is_combined: true,
            ops: vec![],
        }
    }

    /// The bodies that write it.
    pub fn written(&self) -> impl Iterator<Item = usize> {
        self.bodies.iter().filter(|(_, b)| b.is_written).map(|(k, _)| *k)
    }

    fn place(&mut self, p: &Program, place: &Place, how: How, inside: &Set<Index>) {
        let extents = &p.var(place.var).extents;
        let is_outer = |(at, extent): (&Affine, &Affine)| !extent.is_constant() || !is_inside(at, inside);
        let outer = place.at.iter().zip(extents).rposition(is_outer).map_or(0, |d| d + 1);
        self.outer = self.outer.max(outer);
        self.is_flat |= place.at.len() != extents.len();
        self.is_combined &= how == How::Combine;
    }
}

/// Whether a form is one of these indices alone: with them, it is a number.
fn is_inside(a: &Affine, inside: &Set<Index>) -> bool {
    let is_other = |t: &Atom| matches!(t, Atom::Size(_) | Atom::Element(..));
    !a.any_atom(&is_other) && a.indices().into_iter().all(|i| inside.contains(&Index(i)))
}

/// Of all variables that the bodies mention.
pub(super) fn uses(p: &Program, bodies: &[Body<'_>]) -> Map<VarId, Uses> {
    let mut out: Map<VarId, Uses> = Map::new();
    for (k, body) in bodies.iter().enumerate() {
        let inside = bound(body.stmts);
        for s in body.stmts {
            if let Stmt::Leaf(Leaf::Fill { var, .. }) = s {
                let here = out.entry(*var).or_insert_with(Uses::new).bodies.entry(k).or_default();
                here.begins_filled |= here.count == 0;
            }
            visit(std::slice::from_ref(s), &mut |item| note(p, k, &inside, &item, &mut out));
        }
        ops(k, body.stmts, &mut out);
    }
    out
}

/// What the body of this number mentions, in which these indices are bound.
fn note(p: &Program, k: usize, inside: &Set<Index>, item: &Item<'_>, out: &mut Map<VarId, Uses>) {
    let (v, is_written) = match item {
        Item::Declared(v) | Item::Filled(v) => (*v, true),
        Item::Place(place, how) => (place.var, *how != How::Read),
        Item::Element(..) | Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => return,
    };
    let uses = out.entry(v).or_insert_with(Uses::new);
    let here = uses.bodies.entry(k).or_default();
    here.count += 1;
    here.is_written |= is_written;
    if let Item::Place(place, how) = item {
        let all = if *how == How::Read { &mut here.read } else { &mut here.written };
        // One number stands for all of them.
        let is_there =
            |first: &Affine| all.iter().any(|a| a == first || a.is_constant() && first.is_constant());
        if let Some(first) = place.at.first().filter(|a| !is_there(a)) {
            all.push(first.clone());
        }
        uses.place(p, place, *how, inside);
    } else {
        uses.is_declared |= matches!(item, Item::Declared(_));
        uses.is_combined = false;
    }
}

/// What is added, compared and filled.
fn ops(k: usize, stmts: &[Stmt], out: &mut Map<VarId, Uses>) {
    for s in stmts {
        if let Stmt::Leaf(leaf) = s {
            match leaf.in_lanes() {
                Some(InLanes::Combine(op, target, _)) => {
                    if let Some(uses) = out.get_mut(&target.var)
                        && !uses.ops.contains(&op)
                    {
                        uses.ops.push(op);
                    }
                }
                Some(InLanes::Fill(v, value)) => {
                    if let Some(here) = out.get_mut(&v).and_then(|uses| uses.bodies.get_mut(&k)) {
                        here.fills.push(value.to_bits());
                    }
                }
                Some(InLanes::Let(..) | InLanes::Declare(..) | InLanes::Assign(..)) | None => {}
            }
        }
        s.blocks().into_iter().for_each(|b| ops(k, b, out));
    }
}

/// The indices that statements bind.
fn bound(stmts: &[Stmt]) -> Set<Index> {
    let mut out = Set::new();
    visit(stmts, &mut |item| {
        if let Item::Bound(i) = item {
            out.insert(i);
        }
    });
    out
}
