//! Totals that vectorized loops share: what several of them, or one again and again inside a loop, add to and nothing reads between, stays in lanes until
//! the loop around them ends. To sum the lanes of each row of an image would take as long as the row.

use crate::loops::captures::Captures;
use crate::loops::leaf::InLanes;
use crate::loops::strips::Totals;
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Order, Program, Stmt, Storage, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Extreme;

/// The totals of vectorized loops inside the body of a loop that may stay in lanes while it runs, but for those that loops around carry.
pub(super) fn totals(p: &Program, body: &[Stmt], carried: &Set<VarId>) -> Totals {
    let mut found = Totals::new();
    of_lanes(p, body, &mut found);
    found.retain(|v, _| p.var(*v).storage == Storage::Local && !carried.contains(v));
    if found.is_empty() {
        return found;
    }
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
    let mut combined = Map::new();
    combines(body, &mut combined);
    found.retain(|v, op| !other.contains(v) && combined.get(v) == Some(&Some(*op)));
    found
}

/// The totals of all vectorized loops.
fn of_lanes(p: &Program, stmts: &[Stmt], out: &mut Totals) {
    for s in stmts {
        match s {
            // A straight body sums its own.
            Stmt::For { order: Order::Lanes { straight: Some(_), .. }, .. } => {}
            Stmt::For { index, order: Order::Lanes { straight: None, .. }, body, .. } => {
                out.extend(Captures::of(p, *index, body).totals);
            }
            s => s.blocks().into_iter().for_each(|b| of_lanes(p, b, out)),
        }
    }
}

/// How statements combine values with each variable: the one way, or none where there are several.
fn combines(stmts: &[Stmt], out: &mut Map<VarId, Option<Option<Extreme>>>) {
    for s in stmts {
        if let Stmt::Leaf(leaf) = s
            && let Some(InLanes::Combine(op, target, _)) = leaf.in_lanes()
        {
            let all = out.entry(target.var).or_insert(Some(op));
            *all = all.filter(|o| *o == op);
        }
        s.blocks().into_iter().for_each(|b| combines(b, out));
    }
}
