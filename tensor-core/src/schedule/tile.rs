//! Fused and tiled loops: producers and consumers block by block, so that what is between them stays in the cache.
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
//! front. Loops that meet element by element have been fused: here some element is read at another place than where it is written, or one of the two is
//! a matmul, of which a part runs: some rows, or some terms of all sums. So rows of a batch go through all layers of a network together. Or one of the two are
//! the steps of a recurrence that runs forwards: what these read of all times is there for the times of a block.

mod alike;
mod group;
mod uses;

use super::Options;
use super::range::minus;
use crate::index::{Affine, Atom, Cond};
use crate::loops::visit::{How, Item, visit};
use crate::loops::walk::map_places;
use crate::loops::{Bound, Direction, Expr, Leaf, Order, Part, Place, Program, Stmt, Test, VarId, has_steps};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;
use group::{Cut, Group, Member};
use uses::mentions;

/// How long blocks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// About so many elements of all arrays that are cut are in use at a time: those of 8 KiB, a quarter of a first-level cache.
    pub elements: i64,
    /// At least so many times the halo: more of a block is new than moved.
    pub halos: i64,
    /// The same where a matmul is among the loops: 512 KiB, half of a second-level cache;
    pub of_products: i64,
    /// and at least so many iterations, for which the kernel brings the other factor into its order again.
    pub rows: i64,
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks {
            elements: weights::tile::ELEMENTS,
            halos: weights::tile::HALOS,
            of_products: weights::tile::ELEMENTS_OF_PRODUCTS,
            rows: weights::tile::ROWS,
        }
    }
}

/// What has been found.
#[derive(Default)]
struct Made {
    /// The loops over blocks.
    indices: Vec<Index>,
    /// What the loops inside them use, and statements that come before others now.
    used: Set<VarId>,
}

/// A program with fused and tiled loops. What is used in another order than before shares no buffer: which arrays may was said by the order of statements.
pub(super) fn tile(mut p: Program, options: &Options) -> Program {
    let made = made(&mut p, options);
    p.shares.retain(|(x, y)| !made.used.contains(x) && !made.used.contains(y));
    p.blocks.extend(made.indices);
    p
}

fn made(p: &mut Program, options: &Options) -> Made {
    let Some(blocks) = options.blocks.filter(|_| may_be(p)) else { return Made::default() };
    mark::hit(Mark::Tiled);
    let body = std::mem::take(&mut p.body);
    let mentions = mentions(&body, &p.scalars);
    let steps = has_steps(&body);
    let mut tiler = Tiler { p, mentions, blocks, steps, made: Made::default() };
    let body = tiler.block(body);
    let made = tiler.made;
    p.body = body;
    made
}

/// Whether some array that is written is read at another place than at an index alone; or there are matmuls, or steps.
fn may_be(p: &Program) -> bool {
    let near = |a: &Affine| {
        let indices = a.terms.iter().filter(|t| matches!(t.0, Atom::Index(_)));
        indices.count() > 0 && (a.constant != 0 || a.terms.len() > 1)
    };
    let (mut written, mut read) = (Set::new(), Set::new());
    visit(&p.body, &mut |item| match item {
        Item::Place(place, How::Read) if place.at.iter().any(near) => {
            read.insert(place.var);
        }
        Item::Place(_, How::Read) => {}
        Item::Place(place, How::Assign | How::Combine) => {
            written.insert(place.var);
        }
        Item::Element(v, at) if at.iter().any(near) => {
            read.insert(VarId(v));
        }
        Item::Element(..) | Item::Bound(_) | Item::Declared(_) | Item::Filled(_) => {}
        Item::Form(_) | Item::Decides(_) | Item::Whole => {}
    });
    has_product(&p.body) || has_steps(&p.body) || read.intersection(&written).next().is_some()
}

fn has_product(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| matches!(s, Stmt::Leaf(Leaf::Product(_))) || s.blocks().into_iter().any(has_product))
}

struct Tiler<'a> {
    p: &'a mut Program,
    /// How often each variable is mentioned in the whole program.
    mentions: Map<VarId, usize>,
    blocks: Blocks,
    /// Whether there are steps of recurrences.
    steps: bool,
    made: Made,
}

impl Tiler<'_> {
    fn block(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut rest = group::listed(stmts);
        let (mut out, mut vain) = (vec![], Set::new());
        while !rest.is_empty() {
            if let Some(group) =
                group::find(self.p, &self.mentions, (self.blocks, self.steps), &rest, &mut vain)
            {
                let (mut members, mut before, mut after) = (vec![], vec![], vec![]);
                for (k, listed) in rest.drain(..=group.end()).enumerate() {
                    if group.members.iter().any(|m| m.at == k) {
                        members.push(listed.stmt);
                    } else if group.before.contains(&k) {
                        // It passes those that wait.
                        if !after.is_empty() {
                            self.made.used.extend(listed.variables());
                        }
                        before.push(listed.stmt);
                    } else {
                        after.push(listed);
                    }
                }
                after.into_iter().rev().for_each(|listed| rest.push_front(listed));
                out.extend(self.block(before));
                self.tiled(&group, members, &mut out);
            } else if let Some(listed) = rest.pop_front() {
                out.push(self.inside(listed.stmt));
            }
        }
        out
    }

    fn inside(&mut self, s: Stmt) -> Stmt {
        match s {
            // What one step has written the next one reads.
            Stmt::For { order: Order::Steps(_), .. } => s,
            Stmt::For { index, lower, upper, step, order, body, .. } => {
                Stmt::looped(index, lower, upper, step, order, self.block(body))
            }
            Stmt::If { tests, body, otherwise } => {
                Stmt::If { tests, body: self.block(body), otherwise: self.block(otherwise) }
            }
            other => other,
        }
    }

    /// The loop over blocks.
    fn tiled(&mut self, g: &Group, members: Vec<Stmt>, out: &mut Vec<Stmt>) {
        let first = g.members[0].index;
        let t = self.index(&format!("{}_block", self.p.indices[first.0 as usize]));
        self.made.indices.push(t);
        self.made.used.extend(g.members.iter().flat_map(Member::variables));
        let start = shifted(&g.first, g.block, t);
        let halos = self.halos(g);
        let mut body = vec![];
        if !halos.is_empty() {
            let later = Test::Index(Cond::NonNeg(t.affine().step(-1)));
            body.push(Stmt::If { tests: vec![later], body: halos, otherwise: vec![] });
        }
        for (m, mut s) in g.members.iter().zip(members) {
            let lower = start.clone().step(m.lead);
            let upper = lower.clone().step(g.block - 1);
            out.extend(m.is_sum.then(|| zeroed(&s)).flatten());
            restrict(&mut s, Part { index: m.index, lower, upper });
            body.extend(map_places(vec![s], &mut |p| cut(p, &g.cuts, &start)));
        }
        for c in &g.cuts {
            mark::hit(Mark::Window);
            let window = Affine::from(g.block + c.halo);
            let var = &mut self.p.vars[c.var.0 as usize];
            var.extents[c.dimension] = window.clone();
            var.why = format!("{}, tiled in blocks of {}", var.why, g.block);
            if let crate::loops::Storage::Work(k) = var.storage {
                self.p.work[k].extents[c.dimension] = window;
            }
        }
        let lower = vec![Bound { num: Affine::default(), den: 1 }];
        let upper = vec![Bound { num: minus(&g.last, &g.first), den: g.block }];
        // The steps of a block go on where those of the last one ended.
        let has_steps = g.members.iter().any(|m| m.has_steps);
        let order = if has_steps { Order::Steps(Direction::Forward) } else { Order::Sequence };
        out.push(Stmt::looped(t, lower, upper, None, order, body));
    }

    fn index(&mut self, name: &str) -> Index {
        self.p.indices.push(name.to_string());
        Index(u32::try_from(self.p.indices.len() - 1).expect("fewer than 2³² indices"))
    }

    /// The last elements of a block become the first of the next: of all arrays with the same number of them, in one loop.
    fn halos(&mut self, g: &Group) -> Vec<Stmt> {
        let mut all: Vec<(Vec<Affine>, Vec<&Cut>)> = vec![];
        for c in g.cuts.iter().filter(|c| c.halo > 0) {
            mark::hit(Mark::Kept);
            let mut counts = self.p.var(c.var).extents.clone();
            counts[c.dimension] = c.halo.into();
            match all.iter_mut().find(|other| other.0 == counts) {
                Some(other) => other.1.push(c),
                None => all.push((counts, vec![c])),
            }
        }
        let nest = |(counts, cuts): (Vec<Affine>, Vec<&Cut>)| {
            let kept: Vec<Index> = counts.iter().map(|_| self.index("kept")).collect();
            let copy = |c: &&Cut| {
                let to: Vec<Affine> = kept.iter().map(|i| i.affine()).collect();
                let mut from = to.clone();
                from[c.dimension] = from[c.dimension].clone().step(g.block);
                let value = Expr::Read(Place { var: c.var, at: from });
                Stmt::Leaf(Leaf::Assign { target: Place { var: c.var, at: to }, value })
            };
            let copies: Vec<Stmt> = cuts.iter().map(copy).collect();
            kept.into_iter().zip(&counts).rev().fold(copies, |inner, (i, count)| vec![whole(i, count, inner)])
        };
        all.into_iter().flat_map(nest).collect()
    }
}

/// Lets a part of the iterations of an index run: of a loop, or of the matmuls that are all there is inside.
fn restrict(s: &mut Stmt, part: Part) {
    match s {
        Stmt::For { index, lower, upper, .. } if *index == part.index => {
            lower.push(Bound { num: part.lower, den: 1 });
            upper.push(Bound { num: part.upper, den: 1 });
        }
        Stmt::Leaf(Leaf::Product(p)) => {
            p.adds |= p.inner.0 == part.index;
            p.part = Some(part);
        }
        Stmt::For { body, .. } => body.iter_mut().for_each(|s| restrict(s, part.clone())),
        Stmt::If { body, otherwise, .. } => {
            body.iter_mut().chain(otherwise).for_each(|s| restrict(s, part.clone()));
        }
        Stmt::Leaf(_) => {}
    }
}

/// A matmul that is assigned, with zeros in its place.
fn zeroed(s: &Stmt) -> Option<Stmt> {
    let mut s = s.clone();
    match &mut s {
        Stmt::Leaf(Leaf::Product(p)) => {
            let zero = Stmt::Leaf(Leaf::Assign { target: p.c.clone(), value: Expr::Number(0.0) });
            let nest = [&p.cols, &p.rows].into_iter().fold(zero, |inner, d| whole(d.0, &d.1, vec![inner]));
            return (!p.adds).then_some(nest);
        }
        Stmt::For { body, .. } | Stmt::If { body, .. } => *body = vec![zeroed(body.first()?)?],
        _ => return None,
    }
    Some(s)
}

/// A loop from 0 on.
fn whole(index: Index, count: &Affine, body: Vec<Stmt>) -> Stmt {
    let lower = vec![Bound { num: Affine::default(), den: 1 }];
    let upper = vec![Bound { num: count.clone().step(-1), den: 1 }];
    Stmt::sequence(index, lower, upper, body)
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
