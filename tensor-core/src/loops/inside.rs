//! What lives inside which loops, and which locals search.

use super::visit::{Item, head, visit, visit_expr, visit_test};
use super::{Order, Program, Stmt, VarId};
use crate::index::Affine;
#[cfg(any(test, feature = "eval"))]
use crate::sorted::Map;
use crate::sorted::Set;
use crate::ssa::Index;

/// For each variable, the loops in whose iterations it lives: those that all its uses are inside of, but for steps of a recurrence of which each has
/// elements of its own, and what is inside these: another step may read them, one of the next block too. Pieces of a loop, which have one index, count as one. `None`
/// where there is no use.
pub(crate) fn inside(p: &Program) -> Vec<Option<Set<Index>>> {
    let mut out = vec![None; p.vars.len()];
    walk(&p.body, &p.blocks, &mut vec![], &mut out);
    p.scalars.iter().for_each(|e| visit_expr(e, &mut |item| note(&item, &[], &mut out)));
    out
}

/// A loop around.
#[derive(Clone, Copy)]
struct Around {
    index: Index,
    /// Whether its iterations follow each other as the steps of a recurrence do,
    steps: bool,
    /// and are blocks of these.
    blocks: bool,
}

fn walk(stmts: &[Stmt], blocks: &[Index], around: &mut Vec<Around>, out: &mut [Option<Set<Index>>]) {
    for s in stmts {
        head(s, &mut |item| note(&item, around, out));
        let own = match s {
            Stmt::For { index, order, .. } => {
                let steps = matches!(order, Order::Steps(_));
                Some(Around { index: *index, steps, blocks: steps && blocks.contains(index) })
            }
            _ => None,
        };
        around.extend(own);
        s.blocks().into_iter().for_each(|block| walk(block, blocks, around, out));
        around.truncate(around.len() - usize::from(own.is_some()));
    }
}

fn note(item: &Item<'_>, around: &[Around], out: &mut [Option<Set<Index>>]) {
    let (v, at): (u32, &[Affine]) = match item {
        Item::Declared(v) | Item::Filled(v) => (v.0, &[]),
        Item::Place(p, _) => (p.var.0, &p.at),
        Item::Element(v, at) => (*v, at),
        Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => return,
    };
    let is_own = |l: &Around| l.steps && at.iter().any(|a| a.mentions(&l.index.atom()));
    let outside = around.iter().position(is_own).map_or(around, |own| {
        let blocks = around[..own].iter().position(|l| l.blocks);
        &around[..blocks.unwrap_or(own)]
    });
    let here: Set<Index> = outside.iter().map(|l| l.index).collect();
    let slot = &mut out[v as usize];
    *slot = Some(match slot.take() {
        None => here,
        Some(before) => before.intersection(&here).copied().collect(),
    });
}

/// Whether no loop is inside, of ours or of what is called.
pub(crate) fn is_innermost(body: &[Stmt]) -> bool {
    let runs = |s: &Stmt| match s {
        Stmt::For { .. } => true,
        Stmt::Leaf(leaf) => leaf.is_kernel(),
        Stmt::If { .. } => false,
    };
    body.iter().all(|s| !runs(s) && s.blocks().into_iter().all(is_innermost))
}

/// Whether a loop is vectorized.
pub(crate) fn has_lanes(stmts: &[Stmt]) -> bool {
    let is_lanes = |s: &Stmt| matches!(s, Stmt::For { order: Order::Lanes { .. }, .. });
    stmts.iter().any(|s| is_lanes(s) || s.blocks().into_iter().any(has_lanes))
}

/// Whether all loops inside are in sequence, and none is that of a kernel.
pub(crate) fn in_sequence(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::For { order: Order::Sequence, body, .. } => in_sequence(body),
        Stmt::For { .. } => false,
        Stmt::If { body, otherwise, .. } => in_sequence(body) && in_sequence(otherwise),
        Stmt::Leaf(leaf) => !leaf.is_kernel(),
    })
}

/// The buffers that are used elsewhere than inside the vectorized loop that has a copy of them for each lane.
pub(crate) fn used_outside(p: &Program, stmts: &[Stmt]) -> Set<VarId> {
    let mut out = Set::new();
    note_outside(p, stmts, &mut vec![], &mut out);
    out
}

/// Likewise, inside vectorized loops.
fn note_outside(p: &Program, stmts: &[Stmt], around: &mut Vec<Index>, out: &mut Set<VarId>) {
    for s in stmts {
        let mut note = |item: Item<'_>| {
            let v = match item {
                Item::Place(p, _) => p.var,
                Item::Filled(v) => v,
                Item::Element(v, _) => VarId(v),
                Item::Bound(_) | Item::Declared(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => return,
            };
            if p.var(v).lanes.is_none_or(|i| !around.contains(&i)) {
                out.insert(v);
            }
        };
        match s {
            Stmt::For { index, order: Order::Lanes { .. }, body, .. } => {
                around.push(*index);
                note_outside(p, body, around, out);
                around.pop();
            }
            Stmt::For { body, .. } => note_outside(p, body, around, out),
            Stmt::If { tests, body, otherwise } => {
                tests.iter().for_each(|t| visit_test(t, &mut note));
                note_outside(p, body, around, out);
                note_outside(p, otherwise, around, out);
            }
            Stmt::Leaf(_) => visit(std::slice::from_ref(s), &mut note),
        }
    }
}

/// The locals in which an [`Leaf::ArgExtreme`](super::Leaf::ArgExtreme) searches, or did before its loop was found to be empty: what they are declared with is
/// an index before all. Other local indices are assigned later, and the number that they are declared with means nothing.
#[cfg(any(test, feature = "eval"))]
pub(crate) fn searches(stmts: &[Stmt]) -> Set<VarId> {
    use crate::index::Atom;
    let mut out = Set::new();
    for s in stmts {
        match s {
            Stmt::Leaf(super::Leaf::ArgExtreme { at, .. }) => {
                out.insert(*at);
            }
            Stmt::Leaf(super::Leaf::AssignIndex { value, .. }) => {
                if let Some(Atom::Element(at, place)) = value.as_atom()
                    && place.is_empty()
                {
                    out.insert(VarId(*at));
                }
            }
            _ => {}
        }
        s.blocks().into_iter().for_each(|block| out.extend(searches(block).iter().copied()));
    }
    out
}

/// The loops whose iterations follow each other as written: blocks of tiled loops, and those that search. (Steps say so themselves.)
#[cfg(any(test, feature = "eval"))]
pub(crate) fn ordered(p: &Program) -> Set<Index> {
    let mut out = p.blocks.iter().copied().collect();
    note_searches(&p.body, &mut vec![], &mut Map::new(), &mut out);
    out
}

/// The loops between where a search begins and where it looks.
#[cfg(any(test, feature = "eval"))]
fn note_searches(
    stmts: &[Stmt],
    around: &mut Vec<Index>,
    begins: &mut Map<VarId, usize>,
    out: &mut Set<Index>,
) {
    for s in stmts {
        match s {
            Stmt::Leaf(super::Leaf::DeclareIndex { var, .. }) => {
                begins.insert(*var, around.len());
            }
            Stmt::Leaf(super::Leaf::ArgExtreme { at, .. }) => {
                let first = begins.get(at).copied().unwrap_or_default();
                out.extend(around[first..].iter().copied());
            }
            Stmt::Leaf(_) | Stmt::If { .. } => {}
            Stmt::For { index, .. } => around.push(*index),
        }
        s.blocks().into_iter().for_each(|block| note_searches(block, around, begins, out));
        if matches!(s, Stmt::For { .. }) {
            around.pop();
        }
    }
}
