//! The rows of innermost loops in sequence, outside and inside of vectorized loops: cut before the loop, so that no check is left in it.
//!
//! Inside of lanes only what is the same for all of them: what moves with the lanes is loaded as vectors. What is summed over the lanes, eight sums at a
//! time, is added to as one slice.

use super::Options;
use crate::loops::inside::is_innermost;
use crate::loops::rows::{self, Row};
use crate::loops::strips::Sums;
use crate::loops::{Order, Place, Program, Stmt};
use crate::mark::{self, Mark};
use crate::ssa::Index;

/// Says what rows each loop walks.
pub(super) fn rows(mut p: Program, _: &Options) -> Program {
    block(&mut p.body, None);
    p
}

/// Inside of the vectorized loop over `lane`, if inside of one.
fn block(stmts: &mut [Stmt], lane: Option<Index>) {
    for s in stmts {
        match s {
            Stmt::For { order: Order::Lanes { straight: Some(_), .. }, .. } | Stmt::Leaf(_) => {}
            Stmt::For { index, order: Order::Lanes { .. }, body, .. } => block(body, Some(*index)),
            Stmt::For { index, step: None, order, body, rows, .. } if is_innermost(body) => {
                *rows = of_loop(*index, order, body, lane);
            }
            Stmt::For { body, .. } => block(body, lane),
            Stmt::If { body, otherwise, .. } => {
                block(body, lane);
                block(otherwise, lane);
            }
        }
    }
}

fn of_loop(index: Index, order: &Order, body: &[Stmt], lane: Option<Index>) -> Vec<Row> {
    let sums = match order {
        Order::Summing(Sums::Shifted(_)) => return vec![],
        Order::Summing(Sums::Eights(places)) => places.as_slice(),
        Order::Sequence
        | Order::Steps(_)
        | Order::Outlined
        | Order::Carrying(_)
        | Order::Summing(Sums::Chains(_))
        | Order::Lanes { .. } => &[],
    };
    let is_same = |p: &Place| lane.is_none_or(|lane| !p.moves(lane));
    let is_summed = |p: &Place| sums.iter().any(|s| s.var == p.var);
    let all = rows::all(index, body).into_iter().filter(|r| is_same(&r.place) && !is_summed(&r.place));
    all.inspect(|_| mark::hit(Mark::RowsCut)).collect()
}
