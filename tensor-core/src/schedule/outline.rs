//! Loops that are functions of their own, for rustc's sake.
//!
//! Loops in sequence that take little of the program's time are compiled once, and not for each instruction set: those at the ends of stencils above all;
//! a nest of d loops has 2 d pieces beside its interior, each of which has all of the body. Of several nests with vectorized loops inside each is a
//! function of its own, compiled for each instruction set: what LLVM takes for a function grows faster than the function does.
//!
//! Invariant: an outlined loop has either neither a vectorized loop nor a kernel inside, or no total that a loop around carries.

use super::node::constant_difference;
use super::peel::size;
use super::{Options, cost};
use crate::loops::inside::{has_lanes, in_sequence};
use crate::loops::{Bound, Order, Program, Stmt};
use crate::mark::{self, Mark};
use crate::weights;

/// See the module documentation.
pub(super) fn outline(mut p: Program, o: &Options) -> Program {
    if has_lanes(&p.body) {
        let most = weights::outline::PART * time(&p, &p.body);
        let mut body = std::mem::take(&mut p.body);
        if !o.threads {
            nests(&p, &mut body);
        }
        block(&p, &mut body, most, true);
        p.body = body;
    }
    p
}

/// Of several nests with vectorized loops, each becomes a function, if it runs once, or once for each block: elsewhere a call might take as long as it.
fn nests(p: &Program, stmts: &mut [Stmt]) {
    let is_nest = |s: &Stmt| {
        let Stmt::For { order: Order::Sequence, step: None, body, .. } = s else { return false };
        has_lanes(body)
            && size(body) >= weights::outline::BODY
            && time(p, std::slice::from_ref(s)) >= weights::outline::BESIDE_CALLS
    };
    let many = stmts.iter().filter(|s| is_nest(s)).count() > 1;
    for s in stmts {
        let found = many && is_nest(s);
        match s {
            Stmt::For { order, .. } if found => {
                mark::hit(Mark::NestOutlined);
                *order = Order::Outlined;
            }
            Stmt::For { index, order: Order::Sequence, body, .. } if p.blocks.contains(index) => {
                nests(p, body)
            }
            Stmt::For { .. } | Stmt::Leaf(_) => {}
            Stmt::If { body, otherwise, .. } => {
                nests(p, body);
                nests(p, otherwise);
            }
        }
    }
}

/// Statements that run once in the time of which an outlined loop may take so much, and where the time of a call is little.
fn block(p: &Program, stmts: &mut [Stmt], most: f64, calls: bool) {
    for s in stmts {
        let may_be = calls && may_be_outlined(s) && time(p, std::slice::from_ref(s)) <= most;
        match s {
            Stmt::For { order, .. } if may_be => {
                mark::hit(Mark::SequenceOutlined);
                *order = Order::Outlined;
            }
            Stmt::For { order: Order::Lanes { .. }, .. } | Stmt::Leaf(_) => {}
            Stmt::For { lower, upper, body, .. } => {
                let calls = time(p, body) >= weights::outline::BESIDE_CALLS;
                block(p, body, most / iterations(p, lower, upper), calls);
            }
            Stmt::If { body, otherwise, .. } => {
                block(p, body, most, calls);
                block(p, otherwise, most, calls);
            }
        }
    }
}

/// Whether a loop may be a function, and is worth one.
fn may_be_outlined(s: &Stmt) -> bool {
    let Stmt::For { order: Order::Sequence, step: None, body, .. } = s else { return false };
    size(body) >= weights::outline::BODY && in_sequence(body)
}

/// What statements take, where each loop of which nothing is known runs as often.
#[allow(clippy::cast_precision_loss)]
fn time(p: &Program, stmts: &[Stmt]) -> f64 {
    let one = |s: &Stmt| match s {
        Stmt::For { order: Order::Lanes { cost, .. }, .. } => *cost as f64,
        Stmt::For { lower, upper, body, .. } => iterations(p, lower, upper) * time(p, body),
        Stmt::If { body, otherwise, .. } => weights::cost::TEST + time(p, body) + time(p, otherwise),
        Stmt::Leaf(leaf) => cost::leaf(p, leaf, false, &cost::access)
            .total(|a| a.as_constant().map_or(weights::nominal::COUNT, |n| n as f64)),
    };
    stmts.iter().map(one).sum()
}

/// How often a loop runs: as often as two of its bounds say, if any do. An end of the range that is cut into blocks is in one of them.
#[allow(clippy::cast_precision_loss)]
fn iterations(p: &Program, lower: &[Bound], upper: &[Bound]) -> f64 {
    let of_block = |b: &Bound| p.blocks.iter().any(|i| b.num.mentions(&i.atom()));
    let is_cut = lower.iter().chain(upper).any(of_block);
    let between = |a: &Bound, b: &Bound| {
        let is_whole = a.den == 1 && b.den == 1;
        let d = constant_difference(&a.num, &b.num).filter(|_| is_whole)?;
        let blocks = if is_cut && !of_block(a) { weights::nominal::COUNT } else { 1.0 };
        Some((d + 1).max(1) as f64 / blocks)
    };
    let all = lower.iter().flat_map(|a| upper.iter().filter_map(move |b| between(a, b)));
    all.fold(weights::nominal::COUNT, f64::min)
}
