//! What statements do with variables, and where along a loop.

use crate::index::{Affine, Atom};
use crate::loops::visit::{How, Item, visit, visit_expr};
use crate::loops::{Expr, Leaf, Stmt, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Index;

/// What a statement does with one variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    pub writes: bool,
    /// Whether all that it does is to add, or to compare.
    pub combines: bool,
    /// For each dimension, the least and the greatest of its elements that iteration i uses, less i; none if they are not near i.
    pub near: Vec<Option<(i64, i64)>>,
    /// How often it is mentioned.
    pub mentions: usize,
}

pub(super) type Uses = Map<VarId, Use>;

/// What some statements do with variables, all together.
#[derive(Default)]
pub(super) struct Touched {
    used: Set<VarId>,
    written: Set<VarId>,
}

impl Touched {
    pub fn add(&mut self, uses: &Uses) {
        self.used.extend(uses.keys());
        self.written.extend(uses.iter().filter(|(_, u)| u.writes).map(|(v, _)| v));
    }

    /// Whether the order of these statements and another matters: one writes what the other uses.
    pub fn conflicts(&self, uses: &Uses) -> bool {
        uses.iter().any(|(v, u)| self.written.contains(v) || u.writes && self.used.contains(v))
    }

    /// Whether another statement uses what these write.
    pub fn is_written(&self, uses: &Uses) -> bool {
        uses.keys().any(|v| self.written.contains(v))
    }
}

/// What a statement does with variables from outside, but for the room of kernels; along `i`, if it is a loop over that.
pub(super) fn uses(s: &Stmt, i: Option<Index>) -> Uses {
    let stmts = std::slice::from_ref(s);
    let mut ranges = vec![];
    constant_ranges(stmts, &mut ranges);
    let mut rooms = Set::new();
    rooms_of_kernels(stmts, &mut rooms);
    let mut out = Uses::new();
    let mut note = |v: VarId, at: &[Affine], how: How| {
        let is_new = !out.contains_key(&v);
        let u = out.entry(v).or_default();
        let near: Vec<_> = at.iter().map(|a| i.and_then(|i| offsets(a, i, &ranges))).collect();
        if is_new {
            u.near = near;
            u.combines = true;
        } else {
            u.near = u.near.iter().zip(near).map(|(a, b)| union((*a)?, b?)).collect();
        }
        u.writes |= how != How::Read;
        u.combines &= how == How::Combine;
        u.mentions += 1;
    };
    visit(stmts, &mut |item| match item {
        Item::Place(p, how) => note(p.var, &p.at, how),
        Item::Filled(v) if rooms.contains(&v) => {}
        Item::Filled(v) | Item::Declared(v) => note(v, &[], How::Assign),
        Item::Element(v, at) => note(VarId(v), at, How::Read),
        Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => {}
    });
    out
}

/// How often each variable is mentioned.
pub(super) fn mentions(stmts: &[Stmt], scalars: &[Expr]) -> Map<VarId, usize> {
    let mut out = Map::new();
    let mut note = |item: Item<'_>| {
        let v = match item {
            Item::Place(p, _) => p.var,
            Item::Filled(v) | Item::Declared(v) => v,
            Item::Element(v, _) => VarId(v),
            Item::Bound(_) | Item::Form(_) | Item::Decides(_) | Item::Whole => return,
        };
        *out.entry(v).or_default() += 1;
    };
    visit(stmts, &mut note);
    scalars.iter().for_each(|e| visit_expr(e, &mut note));
    out
}

fn rooms_of_kernels(stmts: &[Stmt], out: &mut Set<VarId>) {
    for s in stmts {
        if let Stmt::Leaf(Leaf::Product(p)) = s {
            out.insert(p.work);
        }
        s.blocks().into_iter().for_each(|block| rooms_of_kernels(block, out));
    }
}

/// The indices of loops inside whose ranges are numbers.
fn constant_ranges(stmts: &[Stmt], out: &mut Vec<(Index, (i64, i64))>) {
    for s in stmts {
        if let Stmt::For { index, lower, upper, .. } = s {
            let whole = |b: &&crate::loops::Bound| b.den == 1;
            let low = lower.iter().filter(whole).filter_map(|b| b.num.as_constant()).max();
            let high = upper.iter().filter(whole).filter_map(|b| b.num.as_constant()).min();
            if let (Some(low), Some(high)) = (low, high) {
                out.push((*index, (low, high)));
            }
        }
        s.blocks().into_iter().for_each(|block| constant_ranges(block, out));
    }
}

/// The least and the greatest value of `a - i`, if that is the same for all i.
fn offsets(a: &Affine, i: Index, ranges: &[(Index, (i64, i64))]) -> Option<(i64, i64)> {
    if a.coeff(&i.atom()) != 1 {
        return None;
    }
    let (mut low, mut high) = (a.constant, a.constant);
    for (t, c) in &a.terms {
        let Atom::Index(j) = t else { return None };
        if *j == i.0 {
            continue;
        }
        let range = ranges.iter().find(|r| r.0.0 == *j)?.1;
        let (x, y) = (c.checked_mul(range.0)?, c.checked_mul(range.1)?);
        low = low.checked_add(x.min(y))?;
        high = high.checked_add(x.max(y))?;
    }
    Some((low, high))
}

fn union(a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    Some((a.0.min(b.0), a.1.max(b.1)))
}
