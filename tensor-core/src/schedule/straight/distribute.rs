//! Vectorized loops around steps, distributed over them: a block of iterations at a time, and each step for all of the block before the next, in a straight
//! body.
//!
//! ```text
//! vectorized i { a; steps k { b }; c }
//! ↦  for j { vectorized i of block j { a }  steps k { vectorized i of block j { b } }  vectorized i of block j { c } }
//! ```
//!
//! What an iteration hands from one of these bodies to another, or from step to step, is in rows of a block (`cells`). A long step in lanes takes rustc many
//! times as long as a straight body, and its operations wait for each other, while those of several vectors of a block do not.
//!
//! Invariant: all bodies in steps become straight, and what they reach of the rows of a block is in windows; or the loop stays as it is.

mod cells;
mod last;
mod uses;

use super::{Bodies, block, operations};
use crate::ast::Elem;
use crate::index::Affine;
use crate::loops::straight::is_of_indices;
use crate::loops::windows::Reach;
use crate::loops::{Bound, Leaf, Order, Program, Stmt, VarId, has_steps};
use crate::mark::{self, Mark};
use crate::ssa::Index;
use crate::weights;
use cells::{Cells, Fill};

/// The loop in blocks, if all bodies in its steps become straight, and one of them is long.
pub(super) fn distributed(
    p: &mut Program,
    s: &Stmt,
    bodies: Bodies,
    around: &mut Vec<Affine>,
) -> Option<Stmt> {
    let (l, least) = (Loop::of(p, s)?, bodies.steps?);
    let lengths = (p.vars.len(), p.work.len(), p.indices.len(), p.padded.len());
    let new = l
        .in_blocks(p, around)
        .and_then(|s| l.straight(p, s, bodies, around))
        .filter(|s| longest(s.blocks()[0], false) >= least);
    if new.is_some() {
        mark::hit(Mark::Distributed);
    } else {
        p.vars.truncate(lengths.0);
        p.work.truncate(lengths.1);
        p.indices.truncate(lengths.2);
        p.padded.truncate(lengths.3);
    }
    new
}

/// A vectorized loop around long steps.
struct Loop<'a> {
    lane: Index,
    low: &'a Affine,
    high: &'a Affine,
    order: &'a Order,
    body: &'a [Stmt],
    /// The number of a block,
    number: Index,
    /// and how many iterations it has.
    block: i64,
}

impl<'a> Loop<'a> {
    fn of(p: &Program, s: &'a Stmt) -> Option<Loop<'a>> {
        let Stmt::For { index, lower, upper, step: None, order: order @ Order::Lanes { .. }, body, .. } = s
        else {
            return None;
        };
        let ([Bound { num: low, den: 1 }], [Bound { num: high, den: 1 }]) =
            (lower.as_slice(), upper.as_slice())
        else {
            return None;
        };
        let number = Index(u32::try_from(p.indices.len()).ok()?);
        let [doubles, singles] = weights::straight::BLOCK;
        let block = match p.function.elem {
            Elem::F64 => doubles,
            Elem::F32 => singles,
        };
        has_steps(body).then_some(Loop { lane: *index, low, high, order, body, number, block })
    }

    /// The first iteration of a block.
    fn first(&self) -> Option<Affine> {
        self.low.plus_scaled(self.block, &self.number.affine())
    }

    /// A loop over the iterations of a block.
    fn of_block(&self, order: Order, body: Vec<Stmt>) -> Option<Stmt> {
        let bound = |num| Bound { num, den: 1 };
        let first = self.first()?;
        let last = first.clone().step(self.block - 1);
        Some(Stmt::looped(
            self.lane,
            vec![bound(first)],
            vec![bound(self.high.clone()), bound(last)],
            None,
            order,
            body,
        ))
    }

    fn in_blocks(&self, p: &mut Program, around: &[Affine]) -> Option<Stmt> {
        let name = format!("{}_block", p.indices[self.lane.0 as usize]);
        p.indices.push(name);
        let parts = last::beside(p, self.lane, cut(self.body)?)?;
        let mut cells = Cells::of(p, self, &parts, around)?;
        let (fills, sums) = cells.totals(p)?;
        let mut body = fills;
        body.extend(self.rebuilt(&mut cells, parts)?);
        if !sums.is_empty() {
            body.push(self.of_block(Order::Sequence, sums)?);
        }
        let count = self.high.minus(self.low)?;
        let (lower, upper) = (Bound { num: 0.into(), den: 1 }, Bound { num: count, den: self.block });
        Some(Stmt::sequence(self.number, vec![lower], vec![upper], body))
    }

    /// The parts with what they keep in cells, each in a vectorized loop of its own.
    fn rebuilt(&self, cells: &mut Cells, parts: Vec<Part>) -> Option<Vec<Stmt>> {
        let mut out = vec![];
        for part in parts {
            match part {
                Part::Body(stmts) => {
                    let (fills, stmts) = cells.rewritten(stmts)?;
                    out.extend(fills.into_iter().map(Fill::stmt));
                    if !stmts.is_empty() {
                        out.push(self.of_block(self.order.clone(), stmts)?);
                    }
                }
                Part::Alone(s) => out.push(s),
                Part::For(s, inner) => {
                    let Stmt::For { index, lower, upper, step, order, .. } = s else { return None };
                    out.push(Stmt::looped(index, lower, upper, step, order, self.rebuilt(cells, inner)?));
                }
                Part::If(s, yes, no) => {
                    let Stmt::If { tests, .. } = s else { return None };
                    let (body, otherwise) = (self.rebuilt(cells, yes)?, self.rebuilt(cells, no)?);
                    out.push(Stmt::If { tests, body, otherwise });
                }
            }
        }
        Some(out)
    }

    /// With straight bodies, if all of those in loops are, and each window of a row of a block is itself.
    fn straight(
        &self,
        p: &mut Program,
        mut s: Stmt,
        bodies: Bodies,
        around: &mut Vec<Affine>,
    ) -> Option<Stmt> {
        let mut changed = false;
        let bodies = Bodies { least: 0, steps: None, ..bodies };
        block(p, std::slice::from_mut(&mut s), bodies, around, &mut changed);
        are_straight(p, s.blocks()[0], false).then_some(s)
    }
}

/// Whether vectorized loops inside of others are straight, and no padded row is copied.
fn are_straight(p: &Program, stmts: &[Stmt], inside: bool) -> bool {
    let moves = |r: &Reach| {
        let is_far = |v: VarId| p.padded.contains(&v);
        !r.windows.iter().any(|w| w.is_padded && w.is_copied) && !r.far.iter().any(|f| is_far(f.place.var))
    };
    stmts.iter().all(|s| match s {
        Stmt::For { order: Order::Lanes { straight, .. }, .. } => straight.as_deref().map_or(!inside, moves),
        s => {
            let inside = inside || matches!(s, Stmt::For { .. });
            s.blocks().into_iter().all(|b| are_straight(p, b, inside))
        }
    })
}

/// The most operations of a straight body in loops.
fn longest(stmts: &[Stmt], inside: bool) -> usize {
    let of = |s: &Stmt| match s {
        Stmt::For { order: Order::Lanes { .. }, body, .. } if inside => operations(body),
        s => longest(s.blocks()[0], inside || matches!(s, Stmt::For { .. }))
            .max(longest(s.blocks()[1], inside)),
    };
    stmts.iter().map(of).max().unwrap_or(0)
}

/// What the body of a vectorized loop with steps inside is made of.
enum Part {
    /// Statements without steps: the body of a vectorized loop.
    Body(Vec<Stmt>),
    /// What brings an index into scope.
    Alone(Stmt),
    /// A loop around steps, or of them: without its body, and what that is made of.
    For(Stmt, Vec<Part>),
    /// Likewise, a test of indices around steps.
    If(Stmt, Vec<Part>, Vec<Part>),
}

/// `None` where what is around steps differs from iteration to iteration.
fn cut(stmts: &[Stmt]) -> Option<Vec<Part>> {
    let (mut out, mut body) = (vec![], vec![]);
    for s in stmts {
        let part = match s {
            Stmt::Leaf(Leaf::LetIndex { .. }) => Part::Alone(s.clone()),
            s if !has_steps(std::slice::from_ref(s)) => {
                body.push(s.clone());
                continue;
            }
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                let (lower, upper, step) = (lower.clone(), upper.clone(), step.clone());
                Part::For(Stmt::looped(*index, lower, upper, step, order.clone(), vec![]), cut(body)?)
            }
            Stmt::If { tests, body, otherwise } if tests.iter().all(is_of_indices) => {
                let empty = Stmt::If { tests: tests.clone(), body: vec![], otherwise: vec![] };
                Part::If(empty, cut(body)?, cut(otherwise)?)
            }
            Stmt::If { .. } | Stmt::Leaf(_) => return None,
        };
        out.extend((!body.is_empty()).then(|| Part::Body(std::mem::take(&mut body))));
        out.push(part);
    }
    out.extend((!body.is_empty()).then_some(Part::Body(body)));
    Some(out)
}
