//! A local that is one of two values: an expression, as one would write it by hand.

use crate::loops::visit::{How, Item, visit, visit_expr, visit_test};
use crate::loops::{Expr, Leaf, Stmt, Test, VarId};
use crate::sorted::Map;

/// `let v = if tests { before; value } else { start };` in the place of `let mut v = start; if tests { before; v = value; }`.
pub(super) struct Choice<'a> {
    pub var: VarId,
    pub start: &'a Expr,
    pub tests: &'a [Test],
    pub before: &'a [Stmt],
    pub value: &'a Expr,
    /// Whether it changes afterwards.
    pub is_mut: bool,
}

/// The last statement of a block that changes each variable.
pub(super) fn last_changes(stmts: &[Stmt]) -> Map<VarId, usize> {
    let mut out = Map::new();
    for (k, s) in stmts.iter().enumerate() {
        visit(std::slice::from_ref(s), &mut |item| {
            if let Item::Place(p, how) = item
                && how != How::Read
            {
                out.insert(p.var, k);
            }
        });
    }
    out
}

/// The choice that the statement at a place of a block is, with the next.
pub(super) fn choice<'a>(stmts: &'a [Stmt], at: usize, changes: &Map<VarId, usize>) -> Option<Choice<'a>> {
    let [Stmt::Leaf(Leaf::Declare { var, value: start }), Stmt::If { tests, body, otherwise }, ..] =
        &stmts[at..]
    else {
        return None;
    };
    let (Stmt::Leaf(Leaf::Assign { target, value }), before) = body.split_last()? else { return None };
    if target.var != *var || !target.at.is_empty() || !otherwise.is_empty() {
        return None;
    }
    let mut is_used = false;
    let mut see = |item: Item<'_>| is_used |= matches!(item, Item::Place(p, _) if p.var == *var);
    tests.iter().for_each(|t| visit_test(t, &mut see));
    visit(before, &mut see);
    visit_expr(value, &mut see);
    let is_mut = changes.get(var).is_some_and(|k| *k > at + 1);
    (!is_used).then_some(Choice { var: *var, start, tests, before, value, is_mut })
}
