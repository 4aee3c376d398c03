//! How vectorized loops run: in what vectors, with what for the rest, and where their sums are until they are complete.
//!
//! ```text
//! strips   of each vectorized loop: how many registers at a time
//! carry    of each loop around such: which totals stay in lanes until it ends
//! sums     of each loop inside: partial sums, sums over the lanes by eights, and sums of shifted vectors
//! ```
//!
//! Invariant: totals that a loop carries, and partial sums, are added to alone while it runs: nothing reads them.

mod carry;
mod eights;
mod short;
mod sums;

use super::Options;
use super::cost::operations;
use super::peel::size;
use crate::loops::captures::Captures;
use crate::loops::leaf::InLanes;
use crate::loops::strips::{Strips, Width};
use crate::loops::{Order, Program, Stmt, VarId, Variable, has_steps};
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::ssa::Index;
use crate::weights;
use sums::Inside;

/// Says how each vectorized loop runs, with those around and inside it.
pub(super) fn strips(mut p: Program, _: &Options) -> Program {
    let short = short::all(&p);
    let mut body = std::mem::take(&mut p.body);
    block(&p, &mut body, &short, &Set::new());
    p.body = body;
    p
}

/// Outside of lanes, in loops that carry some totals.
fn block(p: &Program, stmts: &mut [Stmt], short: &Set<Index>, carried: &Set<VarId>) {
    for s in stmts {
        match s {
            Stmt::Leaf(_) => {}
            Stmt::For { order: Order::Lanes { straight: Some(reach), strips, .. }, .. } => {
                strips.apart = reach.windows.len() >= weights::strips::WINDOWS;
            }
            Stmt::For { index, order: Order::Lanes { strips, cost, .. }, body, .. } => {
                let captures = Captures::of(p, *index, body);
                let inside = Inside { p, lane: *index, captures: &captures };
                inside.block(body, (false, false));
                let is_large = *cost >= weights::strips::LARGE && size(body) >= weights::strips::APART;
                *strips = of_loop(&inside, body, (short.contains(index), is_large));
            }
            // What is carried from step to step is no total.
            Stmt::For { order: Order::Steps(_), body, .. } => block(p, body, short, carried),
            Stmt::For { order, body, .. } => {
                let totals = carry::totals(p, body, carried);
                let inner: Set<VarId> = carried.iter().chain(totals.keys()).copied().collect();
                if !totals.is_empty() {
                    mark::hit(Mark::Carried);
                    *order = Order::Carrying(totals);
                }
                block(p, body, short, &inner);
            }
            Stmt::If { body, otherwise, .. } => {
                block(p, body, short, carried);
                block(p, otherwise, short, carried);
            }
        }
    }
}

fn of_loop(inside: &Inside<'_>, body: &[Stmt], (is_short, is_large): (bool, bool)) -> Strips {
    let eights = eights::all(inside.p, inside.lane, inside.captures, body);
    let pairs = sums::has_shifted(body) || walks_steps(inside, body);
    let is_cheap = is_cheap(body);
    let totals = inside.captures.totals.len();
    let apart = is_large && eights.is_empty() && !is_short && !pairs && totals <= weights::strips::TOTALS;
    let (statements, work) = (size(body), work(body));
    let is_busy = work >= weights::strips::BUSY;
    let is_plain = work <= weights::strips::PLAIN * statements as f64;
    let width = if apart {
        Width::Wide
    } else if !eights.is_empty() {
        Width::Part
    } else if is_short {
        mark::hit(Mark::ShortLanes);
        Width::One
    } else if is_busy && statements >= weights::strips::LONG && !pairs {
        mark::hit(Mark::LongLanes);
        Width::Long { pairs: !is_plain || statements < weights::strips::FULL }
    } else {
        Width::Wide
    };
    if apart {
        mark::hit(Mark::LanesOutlined);
    }
    Strips { width, pairs, single: pairs || is_cheap, scalars: is_cheap && totals > 0, apart, eights }
}

/// Whether there are steps inside that are short and keep no arrays: more registers of their states are more of each row that is read and written at once, and
/// more chains of steps beside each other.
fn walks_steps(inside: &Inside<'_>, body: &[Stmt]) -> bool {
    let keeps = |v: &Variable| v.lanes == Some(inside.lane) && !v.extents.is_empty();
    has_steps(body) && size(body) <= weights::strips::STEPS && !inside.p.vars.iter().any(keeps)
}

/// The operations of each iteration, by their time, where there is no loop inside.
fn work(body: &[Stmt]) -> f64 {
    let of_leaf = |leaf: InLanes<'_>| match leaf {
        InLanes::Declare(_, value) | InLanes::Assign(_, value) => operations(value),
        InLanes::Combine(_, _, value) => weights::cost::COMBINE + operations(value),
        InLanes::Let(..) | InLanes::Fill(..) => 0.0,
    };
    let one = |s: &Stmt| match s {
        Stmt::Leaf(leaf) => leaf.in_lanes().map_or(0.0, of_leaf),
        Stmt::For { .. } => f64::NEG_INFINITY,
        Stmt::If { body, otherwise, .. } => work(body) + work(otherwise),
    };
    body.iter().map(one).sum()
}

/// A few operations, and no loops: less time than it takes to sum the lanes of a vector.
fn is_cheap(body: &[Stmt]) -> bool {
    let cost = |s: &Stmt| match s {
        Stmt::Leaf(leaf) => match leaf.in_lanes() {
            Some(InLanes::Declare(_, value) | InLanes::Assign(_, value)) => operations(value),
            Some(InLanes::Combine(_, _, value)) => weights::cost::COMBINE + operations(value),
            Some(InLanes::Let(..) | InLanes::Fill(..)) | None => weights::strips::CHEAP,
        },
        Stmt::For { .. } | Stmt::If { .. } => weights::strips::CHEAP,
    };
    body.iter().map(cost).sum::<f64>() < weights::strips::CHEAP
}

#[cfg(test)]
mod tests {
    use crate::schedule::tests::{Of, as_evaluated};

    /// What is shared between two vectors at a time is loaded once.
    #[test]
    fn convolutions_run_on_two_vectors_at_a_time() {
        for at in ["i + j", "i + m - 1 - j"] {
            let text = format!(
                "size n m\n assume 1 <= n, 1 <= m\n param x[n + m - 1] w[m]\n y[i<n] = sum j<m. x[{at}] w[j]\n result y"
            );
            let loops = as_evaluated(&text, Of::Itself, [[1, 1], [5, 3], [40, 9]], 1e-12);
            assert!(loops.contains("a sum of shifted vectors"), "{loops}");
            assert!(loops.contains("also two vectors at a time"), "{loops}");
        }
    }
}
