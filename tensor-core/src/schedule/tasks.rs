//! Long loops are cut between threads: what may be cut, and how long it takes, by which sizes decide whether it is.
//!
//! Of loops inside each other the outermost alone. See `time` for how long a loop takes, `parts` for what may be cut.

mod parts;
mod time;

use super::Options;
use super::range::greatest;
use crate::index::Affine;
use crate::loops::tasks::{Part, Tasks};
use crate::loops::{Bound, Order, Program, Stmt};
use crate::mark::{self, Mark};
use crate::weights;

/// See the module documentation.
pub(crate) fn tasks(p: Program, o: &Options) -> Program {
    if !o.threads {
        return p;
    }
    let body = block(&p, &p.body);
    Program { body, ..p }
}

fn block(p: &Program, stmts: &[Stmt]) -> Vec<Stmt> {
    let one = |s: &Stmt| match s {
        Stmt::For { index, lower, upper, step, order, rows, body, .. } => Stmt::For {
            index: *index,
            lower: lower.clone(),
            upper: upper.clone(),
            step: step.clone(),
            order: order.clone(),
            tasks: cut(p, s).map(Box::new),
            rows: rows.clone(),
            body: body.clone(),
        },
        Stmt::If { tests, body, otherwise } => {
            Stmt::If { tests: tests.clone(), body: block(p, body), otherwise: block(p, otherwise) }
        }
        Stmt::Leaf(leaf) => Stmt::Leaf(leaf.clone()),
    };
    stmts.iter().map(one).collect()
}

/// How a loop is cut; none if it cannot be, or never is long enough.
fn cut(p: &Program, s: &Stmt) -> Option<Tasks> {
    let Stmt::For { lower, upper, step: None, order, .. } = s else { return None };
    if is_short(lower, upper) || matches!(order, Order::Outlined | Order::Steps(_)) {
        return None;
    }
    let unit = match order {
        Order::Lanes { .. } => weights::threads::UNIT,
        Order::Sequence | Order::Steps(_) | Order::Outlined | Order::Carrying(_) | Order::Summing(_) => 1,
    };
    let parts = parts::parts(p, s)?;
    parts.values().for_each(|part| match part {
        Part::Shared => {}
        Part::Total(_) => mark::hit(Mark::TaskTotal),
        Part::Rows { .. } => mark::hit(Mark::TaskRows),
        Part::Sums => mark::hit(Mark::TaskSums),
        Part::Scratch => mark::hit(Mark::TaskScratch),
        Part::Local(_) => mark::hit(Mark::TaskLocal),
        Part::Lanes => mark::hit(Mark::TaskLanes),
    });
    Some(Tasks { parts, time: time::time(p, s)?, unit })
}

/// Whether a range has only few iterations, whatever the sizes.
fn is_short(lower: &[Bound], upper: &[Bound]) -> bool {
    let whole = |bs: &[Bound]| bs.iter().filter(|b| b.den == 1).map(|b| b.num.clone()).collect::<Vec<_>>();
    let (lower, upper) = (whole(lower), whole(upper));
    let most = |a: &Affine, b: &Affine| {
        b.minus(a).and_then(|d| greatest(&d)).is_some_and(|d| d + 1 < weights::threads::ITERATIONS)
    };
    lower.iter().any(|a| upper.iter().any(|b| most(a, b)))
}
