//! Rows four at a time.
//!
//! ```text
//! for i { s = 0; lanes j { s += a[i, j] * x[j] }; y[i] = s }
//! ```
//!
//! Where the iterations of a loop around vectorized loops are independent, four of them run as one: what all four read is loaded once, and what all
//! four add to is loaded and stored once. The remainder runs by itself.

use super::{Loop, groups, is_plain};
use crate::loops::{Order, Program, Stmt, Storage};
use crate::schedule::peel::size;
use crate::schedule::range::minus;
use crate::schedule::vectorize::independent;
use crate::ssa::Index;
use crate::weights;

/// The loop in groups, and the remainder.
pub(super) fn jammed(p: &mut Program, l: &Loop<'_>) -> Option<Vec<Stmt>> {
    let (low, high) = l.ends()?;
    if minus(high, low).is_constant() || size(l.body) > weights::jam::BODY_OF_ROWS {
        return None;
    }
    let simple = l.body.iter().all(|s| match s {
        Stmt::For { order: Order::Lanes { .. }, lower, upper, body, .. } => {
            let free = lower.iter().chain(upper).all(|b| !b.num.mentions(&l.index.atom()));
            free && body.iter().all(is_plain)
        }
        s => is_plain(s),
    });
    let shares = l.body.iter().any(|s| matches!(s, Stmt::For { body, .. } if shares(p, body, l.index)));
    if !simple || !shares || !independent(p, l.index, l.body) {
        return None;
    }
    let groups = groups(p, l, weights::jam::ROWS, "rows")?;
    let body = groups.members.copy(l.body);
    Some(groups.stmts(l, body))
}

/// Whether the body of a vectorized loop reads or adds to an array at a place that is the same for all rows.
fn shares(p: &Program, body: &[Stmt], i: Index) -> bool {
    use crate::loops::visit::{Item, visit};
    let mut found = false;
    visit(body, &mut |item| {
        if let Item::Place(place, _) = item {
            let is_array = p.var(place.var).storage != Storage::Local && !place.at.is_empty();
            found |= is_array && !place.moves(i);
        }
    });
    found
}
