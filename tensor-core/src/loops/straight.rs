//! A straight body, taken apart: what it declares, each local with the choice of its value, what it adds to totals, and what it writes.
//!
//! ```text
//! let t = a[i]*c     let u = 0  if t < 0 { u = t } else { u = c }     s += u     y[i] = t     if t < 0 { z[i] = u }
//! ```

use super::visit::{How, Item, visit, visit_expr};
use super::{Expr, Leaf, Place, Stmt, Test, VarId};
use crate::sorted::Set;
use crate::ssa::{Extreme, Index};

/// The statements of a straight body, by what they do; each kind in the order of the body.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// What is the same in all lanes.
    pub same: Vec<Local<'a>>,
    /// What differs from lane to lane.
    pub lanes: Vec<Local<'a>>,
    pub totals: Vec<Total<'a>>,
    /// What is written, or kept where a test does not hold.
    pub stores: Vec<&'a Stmt>,
}

/// A local with its value.
#[derive(Debug)]
pub(crate) struct Local<'a> {
    pub var: VarId,
    pub value: Value<'a>,
    /// What declares it.
    pub stmts: &'a [Stmt],
}

/// See [`Local`].
#[derive(Debug)]
pub(crate) enum Value<'a> {
    Of(&'a Expr),
    /// The first where all tests hold, else the second.
    Chosen(&'a [Test], [&'a Expr; 2]),
}

/// What all lanes add to, or are compared with.
#[derive(Debug)]
pub(crate) struct Total<'a> {
    pub target: &'a Place,
    pub op: Option<Extreme>,
    pub value: &'a Expr,
    /// All of it, for the evaluator.
    #[cfg(any(test, feature = "eval"))]
    pub stmt: &'a Stmt,
}

impl<'a> Parts<'a> {
    /// Those of the body of the loop over `lane`.
    pub fn of(lane: Index, body: &'a [Stmt]) -> Parts<'a> {
        let (mut parts, mut rest) = (Parts::default(), body);
        let mut own = Set::new();
        while let Some((first, others)) = rest.split_first() {
            let mut length = 1;
            match first {
                Stmt::Leaf(Leaf::Declare { var, value }) => {
                    let chosen = others.first().and_then(|s| chosen(*var, s));
                    length += usize::from(chosen.is_some());
                    let stmts = &rest[..length];
                    let local = Local { var: *var, value: chosen.unwrap_or(Value::Of(value)), stmts };
                    if differs(stmts, lane, &own) {
                        own.insert(*var);
                        parts.lanes.push(local);
                    } else {
                        parts.same.push(local);
                    }
                }
                store => match total(store).filter(|t| !t.target.moves(lane)) {
                    Some(total) => parts.totals.push(total),
                    None => parts.stores.push(store),
                },
            }
            rest = &rest[length..];
        }
        parts
    }

    /// Visits what locals of lanes are made of, each with its number, but for what is loaded, and what is written and added.
    pub fn each_use(&self, lane: Index, see: &mut dyn FnMut(Option<usize>, &Item<'_>)) {
        for (k, local) in self.lanes.iter().enumerate().filter(|(_, l)| l.loaded(lane).is_none()) {
            visit(local.stmts, &mut |item| see(Some(k), &item));
        }
        self.stores.iter().for_each(|s| visit(std::slice::from_ref(*s), &mut |item| see(None, &item)));
        self.totals.iter().for_each(|t| visit_expr(t.value, &mut |item| see(None, &item)));
    }
}

impl Local<'_> {
    /// The place that it is loaded from, if that moves with the lanes.
    pub fn loaded(&self, lane: Index) -> Option<&Place> {
        let (place, _) = read(&self.value)?;
        place.moves(lane).then_some(place)
    }
}

/// The element of memory that is a value, and under which tests of indices it is: elsewhere it may not be there, and the value is zero.
fn read<'a>(value: &Value<'a>) -> Option<(&'a Place, &'a [Test])> {
    match *value {
        Value::Of(Expr::Read(place)) => Some((place, &[])),
        Value::Chosen(tests, [Expr::Read(place), Expr::Number(other)])
            if *other == 0.0 && !place.at.is_empty() && tests.iter().all(is_of_indices) =>
        {
            Some((place, tests))
        }
        Value::Of(_) | Value::Chosen(..) => None,
    }
}

/// What is read of memory under tests of indices alone, with these.
pub(crate) fn guarded(body: &[Stmt]) -> Vec<(&Place, &[Test])> {
    let found = body.windows(2).filter_map(|pair| match pair {
        [Stmt::Leaf(Leaf::Declare { var, .. }), s] => read(&chosen(*var, s)?),
        _ => None,
    });
    found.filter(|(_, tests)| !tests.is_empty()).collect()
}

/// Whether a test asks of no real.
pub(crate) fn is_of_indices(t: &Test) -> bool {
    match t {
        Test::Index(_) => true,
        Test::Real { .. } => false,
        Test::Any(ps) => ps.iter().flatten().all(is_of_indices),
    }
}

/// What a statement adds to a place, or compares with it.
fn total(stmt: &Stmt) -> Option<Total<'_>> {
    let (target, op, value) = match stmt {
        Stmt::Leaf(Leaf::Accumulate { target, value }) => (target, None, value),
        Stmt::Leaf(Leaf::Extreme { op, target, value }) => (target, Some(*op), value),
        Stmt::For { .. } | Stmt::If { .. } | Stmt::Leaf(_) => return None,
    };
    Some(Total {
        target,
        op,
        value,
        #[cfg(any(test, feature = "eval"))]
        stmt,
    })
}

/// What a statement makes of a local, where that is one of two values.
fn chosen(var: VarId, s: &Stmt) -> Option<Value<'_>> {
    let Stmt::If { tests, body, otherwise } = s else { return None };
    match (body.as_slice(), otherwise.as_slice()) {
        (
            [Stmt::Leaf(Leaf::Assign { target: a, value: yes })],
            [Stmt::Leaf(Leaf::Assign { target: b, value: no })],
        ) if a.var == var && b.var == var => Some(Value::Chosen(tests, [yes, no])),
        _ => None,
    }
}

/// Whether something in these statements differs from lane to lane, where these locals do.
fn differs(stmts: &[Stmt], lane: Index, own: &Set<VarId>) -> bool {
    let mut differs = false;
    visit(stmts, &mut |item| match item {
        Item::Place(p, How::Read) => differs |= own.contains(&p.var) || p.moves(lane),
        Item::Form(a) => differs |= a.mentions(&lane.atom()),
        Item::Place(..)
        | Item::Bound(_)
        | Item::Declared(_)
        | Item::Filled(_)
        | Item::Element(..)
        | Item::Decides(_)
        | Item::Whole => {}
    });
    differs
}

/// The one place that a statement writes, in all lanes or in some.
pub(crate) fn target(s: &Stmt) -> Option<&Place> {
    match s {
        Stmt::Leaf(Leaf::Assign { target, .. }) => Some(target),
        Stmt::If { body, otherwise, .. } => body.first().or(otherwise.first()).and_then(target),
        Stmt::For { .. } | Stmt::Leaf(_) => None,
    }
}
