//! Bodies of vectorized loops as straight lines: each value computed once, by one statement, and then what is written.
//!
//! ```text
//! for c in 0..3 { t[c] = a[i, c] - b[i, c] }  for c in 0..3 { s += t[c]*t[c] }  r[i] = s
//! ↦  let t1 = a[i, 0]  …  let t7 = t1 - t4  …  let t10 = t7*t7  let t11 = t10 + t8*t8  …  r[i] = t12
//! ```
//!
//! rustc and LLVM take as long for such a body as it is long; loops inside, arrays of lanes and masks take them many times that.
//!
//! Invariant: a straight body has no loop, and no array that each lane has for itself.
//! Invariant: it declares each local once; no two declarations have equal right-hand sides, but for the order of a sum or a product; each place of
//! memory is read once, and written last.
//! Invariant: under a test stand only a local that is one of two values, and what is written: `if p { t = a } else { t = b }`. A test of indices, which is the
//! same in all lanes, stands around what may be read where it holds alone: `if t >= 1 { u = s[t - 1] } else { u = 0 }`.
//! Invariant: a long body is several functions, and each asks only for what it computes, and for what those before it have kept for it.
//! Invariant: what is computed for a selection alone counts as computed where that chooses it: both branches run in all lanes, and none reads memory
//! that the body as it was would not.

mod distribute;
mod graph;
mod pieces;
mod print;
mod run;
#[cfg(test)]
mod tests;
mod windows;

use crate::index::Affine;
use crate::loops::visit::{How, Item, visit};
use crate::loops::windows::Reach;
use crate::loops::{Bound, Leaf, Order, Place, Program, Stmt, Storage, VarId};
use crate::mark::{self, Mark};
use crate::schedule::Options;
use crate::schedule::range::never_equal;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;
use run::Run;

/// Makes the bodies straight that can be, and are long enough that it pays.
pub(super) fn straight(mut p: Program, o: &Options) -> Program {
    let mut body = std::mem::take(&mut p.body);
    let mut changed = false;
    let steps = (!o.threads).then_some(o.steps);
    let bodies = Bodies { least: weights::straight::OPERATIONS, function: o.function, steps };
    block(&mut p, &mut body, bodies, &mut vec![], &mut changed);
    p.body = body;
    if changed {
        forget_unused(&mut p);
    }
    p
}

/// How many loops are vectorized.
fn loops(stmts: &[Stmt]) -> usize {
    let of = |s: &Stmt| match s {
        Stmt::For { order: Order::Lanes { .. }, .. } => 1,
        _ => s.blocks().into_iter().map(loops).sum(),
    };
    stmts.iter().map(of).sum()
}

/// Which bodies become straight.
#[derive(Clone, Copy)]
struct Bodies {
    /// Those of at least so many operations,
    least: usize,
    /// in functions of at most so many.
    function: usize,
    /// Loops around steps run in blocks if a body has so many. None do for threads, which have them whole.
    steps: Option<usize>,
}

/// In loops that make these forms at least 0.
fn block(p: &mut Program, stmts: &mut [Stmt], bodies: Bodies, around: &mut Vec<Affine>, changed: &mut bool) {
    for s in stmts {
        let known = around.len();
        if let Some(new) = distribute::distributed(p, s, bodies, around) {
            (*s, *changed) = (new, true);
            continue;
        }
        match s {
            Stmt::For { index, lower, step: None, order: Order::Lanes { straight, .. }, body, .. } => {
                if let Some((new, reach)) = straight_body(p, (*index, lower), body, bodies, around) {
                    mark::hit(Mark::Straight);
                    *body = new;
                    (*straight, *changed) = (Some(Box::new(reach)), true);
                }
            }
            Stmt::For { index, lower, upper, order, body, .. } => {
                around.extend(within(*index, lower, upper));
                let are_many = matches!(order, Order::Steps(_)) && loops(body) > weights::straight::LOOPS;
                let in_steps = weights::straight::OPERATIONS_IN_STEPS.min(bodies.least);
                let least = if are_many { in_steps } else { bodies.least };
                block(p, body, Bodies { least, ..bodies }, around, changed);
                around.truncate(known);
            }
            Stmt::If { body, otherwise, .. } => {
                block(p, body, bodies, around, changed);
                block(p, otherwise, bodies, around, changed);
            }
            Stmt::Leaf(_) => {}
        }
    }
}

/// Forms that are at least 0 in a loop.
fn within(index: Index, lower: &[Bound], upper: &[Bound]) -> Vec<Affine> {
    let i = index.affine();
    let whole = |b: &&Bound| b.den == 1;
    let from = lower.iter().filter(whole).filter_map(|b| i.minus(&b.num));
    from.chain(upper.iter().filter(whole).filter_map(|b| b.num.minus(&i))).collect()
}

/// The straight body, if it has at least so many operations, in functions of at most so many, and what it reaches.
fn straight_body(
    p: &mut Program,
    (lane, lower): (Index, &[Bound]),
    body: &[Stmt],
    bodies: Bodies,
    around: &[Affine],
) -> Option<(Vec<Stmt>, Reach)> {
    let mut run = Run::new(p, lane, around);
    run.block(body)?;
    let mut variables = vec![];
    let out = print::statements(&run, p, lane, &mut variables);
    let before = p.vars.len();
    p.vars.extend(variables);
    let operations = operations(&out);
    let reach = if operations >= bodies.least && are_apart(&out, lane) {
        windows::reach(p, (lane, lower), &out)
    } else {
        None
    };
    let Some(mut reach) = reach else {
        p.vars.truncate(before);
        return None;
    };
    let rare = [
        (Mark::StraightInSteps, operations < weights::straight::OPERATIONS),
        (Mark::StraightGuarded, reach.windows.iter().any(|w| !w.tests.is_empty())),
        (Mark::StraightCopied, reach.windows.iter().any(|w| w.is_copied)),
    ];
    rare.into_iter().filter(|m| m.1).for_each(|m| mark::hit(m.0));
    reach.pieces = pieces::pieces(lane, &out, bodies.function);
    Some((out, reach))
}

/// How many operations a straight body has.
fn operations(body: &[Stmt]) -> usize {
    let computes = |s: &&Stmt| matches!(s, Stmt::Leaf(Leaf::Declare { value, .. }) if !value.is_atom());
    body.iter().filter(computes).count()
}

/// Whether no two lanes meet in what is written of an array: its places that move are one, or never the same in any two lanes. What does not move is
/// only added to then, and joins at the end.
fn are_apart(body: &[Stmt], lane: Index) -> bool {
    let mut places: Map<VarId, Uses> = Map::new();
    visit(body, &mut |item| {
        if let Item::Place(p, how) = item
            && !p.at.is_empty()
        {
            let uses = places.entry(p.var).or_default();
            uses.are_written |= how != How::Read;
            if !p.moves(lane) {
                uses.still.push(how);
            } else if !uses.moving.contains(p) {
                uses.moving.push(p.clone());
            }
        }
    });
    places.values().all(|u| {
        let apart = |k: usize| u.moving[..k].iter().all(|b| never_meet(&u.moving[k], b, lane));
        let join = u.moving.is_empty() || u.still.iter().all(|how| *how == How::Combine);
        !u.are_written || join && (0..u.moving.len()).all(apart)
    })
}

/// What a body does with an array.
#[derive(Default)]
struct Uses {
    are_written: bool,
    /// The places that move from lane to lane.
    moving: Vec<Place>,
    /// How those are used that do not.
    still: Vec<How>,
}

/// Whether two places of an array are different elements in any two lanes: they are the same in lanes that are `-d / step` apart, where they differ by d
/// along a dimension, and there is no such number, or two dimensions ask for different ones.
fn never_meet(a: &Place, b: &Place, lane: Index) -> bool {
    let mut apart = None;
    a.at.iter().zip(&b.at).any(|(a, b)| {
        let step = a.coeff(&lane.atom());
        match a.minus(b).and_then(|d| d.as_constant()) {
            None => never_equal(a, b),
            Some(d) if step == 0 => d != 0,
            Some(d) => d % step != 0 || *apart.get_or_insert(d / step) != d / step,
        }
    })
}

/// Buffers of arrays that have become values are no part of the workspace.
fn forget_unused(p: &mut Program) {
    let mut used: Set<VarId> = Set::new();
    visit(&p.body, &mut |item| match item {
        Item::Place(Place { var, .. }, _) => {
            used.insert(*var);
        }
        Item::Declared(v) | Item::Filled(v) => {
            used.insert(v);
        }
        Item::Element(v, _) => {
            used.insert(VarId(v));
        }
        Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => {}
    });
    let mut kept = vec![false; p.work.len()];
    for (v, var) in (0..).zip(&p.vars) {
        if let Storage::Work(k) = var.storage {
            kept[k] |= used.contains(&VarId(v));
        }
    }
    let mut places = vec![0; p.work.len()];
    let mut count = 0;
    for (place, kept) in places.iter_mut().zip(&kept) {
        *place = count;
        count += usize::from(*kept);
    }
    for var in &mut p.vars {
        if let Storage::Work(k) = var.storage {
            var.storage = if kept[k] { Storage::Work(places[k]) } else { Storage::Local };
            if !kept[k] {
                var.extents.clear();
            }
        }
    }
    let mut kept = kept.into_iter();
    p.work.retain(|_| kept.next().unwrap_or(true));
}
