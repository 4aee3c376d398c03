//! What `loops` promises of rows: `emit` cuts them to slices before the loop, or reads them there, and nothing in the loop may tell the difference. What
//! every iteration uses is in range as a whole, where each of its elements is.

use crate::loops::inside::is_innermost;
use crate::loops::rows::{self, Row};
use crate::loops::strips::Sums;
use crate::loops::visit::{How, Item, visit};
use crate::loops::{Order, Program, Stmt};
use crate::ssa::Index;

/// Whether all loops may have their rows.
///
/// # Errors
/// The first that may not.
pub fn rows(program: &Program) -> Result<(), String> {
    each(program, &program.body, None)
}

/// Inside of the vectorized loop over `lane`, if inside of one.
fn each(p: &Program, stmts: &[Stmt], lane: Option<Index>) -> Result<(), String> {
    stmts.iter().try_for_each(|s| match s {
        Stmt::For { index, order, rows, body, .. } => {
            // All that it may have, asked once.
            let all = if rows.is_empty() { vec![] } else { rows::all(*index, body) };
            let wrong = rows.iter().find(|r| !all.contains(r) || !may_have(s, r, lane) || !is_alone(r, body));
            wrong.map_or(Ok(()), |r| {
                let (array, index) = (&p.var(r.place.var).name, &p.indices[index.0 as usize]);
                Err(format!("the loop of `{index}` has no row of `{array}`"))
            })?;
            let lane = if matches!(order, Order::Lanes { .. }) { Some(*index) } else { lane };
            each(p, body, lane)
        }
        s => s.blocks().into_iter().try_for_each(|b| each(p, b, lane)),
    })
}

/// Whether a row is all that a loop uses of an array that it writes.
fn is_alone(row: &Row, body: &[Stmt]) -> bool {
    let mut is_alone = true;
    visit(body, &mut |item| {
        if let Item::Place(p, how) = item
            && p.var == row.place.var
        {
            is_alone &= if row.is_written { *p == row.place } else { how == How::Read };
        }
    });
    is_alone
}

fn may_have(s: &Stmt, row: &Row, lane: Option<Index>) -> bool {
    let Stmt::For { step: None, order, body, .. } = s else { return false };
    let is_other = match order {
        Order::Lanes { .. } | Order::Summing(Sums::Shifted(_)) => true,
        Order::Summing(Sums::Eights(places)) => places.iter().any(|p| p.var == row.place.var),
        Order::Sequence
        | Order::Steps(_)
        | Order::Outlined
        | Order::Carrying(_)
        | Order::Summing(Sums::Chains(_)) => false,
    };
    !is_other && !lane.is_some_and(|lane| row.place.moves(lane)) && is_innermost(body)
}
