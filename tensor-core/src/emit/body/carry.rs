//! Totals that loops in lanes share: what several of them, or one again and again inside a loop, add to and nothing reads between, stays in lanes until
//! the loop around them ends. To sum the lanes of each row of an image would take as long as the row.

use super::expr::Tokens;
use super::lanes::Captures;
use crate::loops::leaf::InLanes;
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Order, Stmt, Storage, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Extreme;

/// The totals of loops in lanes inside the body of a loop that may stay in lanes while it runs.
pub(super) fn totals(t: &Tokens<'_>, body: &[Stmt]) -> Map<VarId, Option<Extreme>> {
    let mut found = Map::new();
    of_lanes(t, body, &mut found);
    let mut other = Set::new();
    visit(body, &mut |item| match item {
        Item::Declared(v) => {
            other.insert(v);
        }
        Item::Place(p, how) if how != How::Combine => {
            other.insert(p.var);
        }
        _ => {}
    });
    let is_alike = |v: VarId, op: Option<Extreme>| combined(body, v).iter().all(|o| *o == op);
    found.retain(|v, op| {
        let is_local = t.program.var(*v).storage == Storage::Local;
        is_local && !t.carried.contains(v) && !other.contains(v) && is_alike(*v, *op)
    });
    found
}

/// The totals of all loops in lanes.
fn of_lanes(t: &Tokens<'_>, stmts: &[Stmt], out: &mut Map<VarId, Option<Extreme>>) {
    for s in stmts {
        match s {
            // A straight body sums its own.
            Stmt::For { order: Order::Lanes { straight: true, .. }, .. } => {}
            Stmt::For { index, order: Order::Lanes { straight: false, .. }, body, .. } => {
                out.extend(Captures::of(t.program, *index, body).totals);
            }
            s => s.blocks().into_iter().for_each(|b| of_lanes(t, b, out)),
        }
    }
}

/// How statements combine values with a variable.
fn combined(stmts: &[Stmt], v: VarId) -> Vec<Option<Extreme>> {
    let mut out = vec![];
    for s in stmts {
        if let Stmt::Leaf(leaf) = s
            && let Some(InLanes::Combine(op, target, _)) = leaf.in_lanes()
            && target.var == v
        {
            out.push(op);
        }
        s.blocks().into_iter().for_each(|b| out.extend(combined(b, v)));
    }
    out
}
