//! Loops in turns: producers and consumers block by block, so that what is between them stays in the cache.
//!
//! ```text
//! for i in 0..n { x[i] = … }                        for t in 0..n / B + 1 {
//! for i in 0..n { y[i] = x[i - 1] + x[i + 1] }  →       for i in B t + 1 .. B t + B + 1 { x[i] = … }
//!                                                       for i in B t .. B t + B { y[i] = x[i - 1] + x[i + 1] }
//!                                                   }
//! ```
//!
//! Each loop of a group has a lead: so many iterations it is ahead of where the block is. Where p comes before q, and both use an array that one of
//! them writes, p at elements `i + a` and beyond, q at `i + b` and before: `lead(p) + a >= lead(q) + b`. So p has done all that q needs, and is done
//! with all that q overwrites. Every iteration runs once, as before.
//!
//! An array that nothing else uses keeps the elements of one block, and those before that the next block reads again (the halo), which move to the
//! front. Loops that meet element by element have been fused: here some element is read at another place than where it is written.

mod group;
mod uses;

use super::node::Node;
use super::range::minus;
use super::storage::Plan;
use crate::index::{Affine, Atom, Cond};
use crate::loops::walk::map_places;
use crate::loops::{Bound, Expr, Order, Place, Program, Stmt, Test, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::{Function, Index};
use group::{Cut, Group, Member};
use uses::mentions;

/// How long blocks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// About so many elements of all arrays that are cut are in use at a time: those of 8 KiB, a quarter of a first-level cache.
    pub elements: i64,
    /// At least so many times the halo: more of a block is new than moved.
    pub halos: i64,
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks { elements: 1024, halos: 4 }
    }
}

/// What has been found.
#[derive(Default)]
struct Made {
    /// The loops over blocks.
    indices: Vec<Index>,
    /// What the loops inside them use.
    used: Set<VarId>,
}

/// Whether some array is read at another place than at an index alone, by any node but that which writes it.
pub(super) fn may_be(f: &Function, nodes: &[Node]) -> bool {
    let near = |a: &Affine| {
        let indices = a.terms.iter().filter(|t| matches!(t.0, Atom::Index(_)));
        indices.count() > 0 && (a.constant != 0 || a.terms.len() > 1)
    };
    let written: Set<u32> = nodes.iter().flat_map(Node::writes).collect();
    let is_read = |n: &Node| n.reads(f).iter().any(|(x, at)| written.contains(x) && at.iter().any(near));
    nodes.iter().any(is_read)
}

/// A program with loops in turns, and the indices of the loops over blocks. Where arrays share a buffer, loops that use them wait for each other:
/// those of a group share none.
pub(super) fn lowered(
    mut plan: Plan,
    blocks: Blocks,
    lower: &dyn Fn(Plan) -> Program,
) -> (Program, Vec<Index>) {
    let mut program = lower(Plan { alias: Map::new(), ..plan.clone() });
    let mut made = turns(&mut program, blocks);
    plan.alias.retain(|x, y| !made.used.contains(&VarId(*x)) && !made.used.contains(&VarId(*y)));
    if !plan.alias.is_empty() {
        program = lower(plan);
        if !made.indices.is_empty() {
            made = turns(&mut program, blocks);
        }
    }
    (program, made.indices)
}

fn turns(p: &mut Program, blocks: Blocks) -> Made {
    let body = std::mem::take(&mut p.body);
    let mentions = mentions(&body, &p.scalars);
    let mut turns = Turns { p, mentions, blocks, made: Made::default() };
    let body = turns.block(body);
    let made = turns.made;
    p.body = body;
    made
}

struct Turns<'a> {
    p: &'a mut Program,
    /// How often each variable is mentioned in the whole program.
    mentions: Map<VarId, usize>,
    blocks: Blocks,
    made: Made,
}

impl Turns<'_> {
    fn block(&mut self, mut rest: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = vec![];
        while !rest.is_empty() {
            if let Some(group) = group::find(self.p, &self.mentions, self.blocks, &rest) {
                let stmts = std::mem::take(&mut rest);
                let (mut members, mut before) = (vec![], vec![]);
                for (k, s) in stmts.into_iter().enumerate() {
                    let to = if group.members.iter().any(|m| m.at == k) {
                        &mut members
                    } else if group.before.contains(&k) {
                        &mut before
                    } else {
                        &mut rest
                    };
                    to.push(s);
                }
                out.extend(self.block(before));
                out.push(self.in_turns(&group, members));
            } else {
                let s = rest.remove(0);
                out.push(self.inside(s));
            }
        }
        out
    }

    fn inside(&mut self, s: Stmt) -> Stmt {
        match s {
            Stmt::For { index, lower, upper, step, order, body } => {
                Stmt::For { index, lower, upper, step, order, body: self.block(body) }
            }
            Stmt::If { tests, body, otherwise } => {
                Stmt::If { tests, body: self.block(body), otherwise: self.block(otherwise) }
            }
            other => other,
        }
    }

    /// The loop over blocks.
    fn in_turns(&mut self, g: &Group, members: Vec<Stmt>) -> Stmt {
        let first = g.members[0].index;
        let t = self.index(&format!("{}_block", self.p.indices[first.0 as usize]));
        self.made.indices.push(t);
        self.made.used.extend(g.members.iter().flat_map(Member::variables));
        let start = shifted(&g.first, g.block, t);
        let halos: Vec<Stmt> = g.cuts.iter().filter_map(|c| self.halo(c, g.block)).collect();
        let mut body = vec![];
        if !halos.is_empty() {
            let later = Test::Index(Cond::NonNeg(t.affine().step(-1)));
            body.push(Stmt::If { tests: vec![later], body: halos, otherwise: vec![] });
        }
        for (m, s) in g.members.iter().zip(members) {
            let Stmt::For { index, mut lower, mut upper, step, order, body: inner } = s else { continue };
            let from = start.clone().step(m.lead);
            upper.push(Bound { num: from.clone().step(g.block - 1), den: 1 });
            lower.push(Bound { num: from, den: 1 });
            let inner = map_places(inner, &mut |p| cut(p, &g.cuts, &start));
            body.push(Stmt::For { index, lower, upper, step, order, body: inner });
        }
        for c in &g.cuts {
            let window = Affine::from(g.block + c.halo);
            let var = &mut self.p.vars[c.var.0 as usize];
            var.extents[c.dimension] = window.clone();
            var.why = format!("{}, in turns over blocks of {}", var.why, g.block);
            if let crate::loops::Storage::Work(k) = var.storage {
                self.p.work[k].extents[c.dimension] = window;
            }
        }
        Stmt::For {
            index: t,
            lower: vec![Bound { num: Affine::default(), den: 1 }],
            upper: vec![Bound { num: minus(&g.last, &g.first), den: g.block }],
            step: None,
            order: Order::Sequence,
            body,
        }
    }

    fn index(&mut self, name: &str) -> Index {
        self.p.indices.push(name.to_string());
        Index(u32::try_from(self.p.indices.len() - 1).expect("fewer than 2³² indices"))
    }

    /// The last elements of a block become the first of the next.
    fn halo(&mut self, c: &Cut, block: i64) -> Option<Stmt> {
        if c.halo == 0 {
            return None;
        }
        let extents = self.p.var(c.var).extents.clone();
        let ends: Vec<(Index, Affine)> = extents
            .into_iter()
            .enumerate()
            .map(|(d, e)| {
                let last = if d == c.dimension { Affine::from(c.halo) } else { e }.step(-1);
                (self.index("kept"), last)
            })
            .collect();
        let to: Vec<Affine> = ends.iter().map(|(i, _)| i.affine()).collect();
        let mut from = to.clone();
        from[c.dimension] = from[c.dimension].clone().step(block);
        let value = Expr::Read(Place { var: c.var, at: from });
        let copy = Stmt::Assign { target: Place { var: c.var, at: to }, value };
        Some(ends.into_iter().rev().fold(copy, |inner, (index, last)| Stmt::For {
            index,
            lower: vec![Bound { num: Affine::default(), den: 1 }],
            upper: vec![Bound { num: last, den: 1 }],
            step: None,
            order: Order::Sequence,
            body: vec![inner],
        }))
    }
}

/// `first + block * t`
fn shifted(first: &Affine, block: i64, t: Index) -> Affine {
    first.plus_scaled(block, &Affine::from(Atom::Index(t.0))).expect("coefficients are capped")
}

/// A place of an array that has been cut.
fn cut(mut p: Place, cuts: &[Cut], start: &Affine) -> Place {
    if let Some(c) = cuts.iter().find(|c| c.var == p.var) {
        p.at[c.dimension] = minus(&p.at[c.dimension], start).step(-c.low);
    }
    p
}
