//! A local that is one of two values: an expression, as one would write it by hand.

use crate::loops::visit::{How, Item, visit, visit_expr, visit_test};
use crate::loops::{Expr, Leaf, Stmt, Test, VarId};

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

/// The choice that the first two statements are.
pub(super) fn choice(stmts: &[Stmt]) -> Option<Choice<'_>> {
    let [Stmt::Leaf(Leaf::Declare { var, value: start }), Stmt::If { tests, body, otherwise }, rest @ ..] =
        stmts
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
    if is_used {
        return None;
    }
    let mut is_mut = false;
    visit(rest, &mut |item| {
        is_mut |= matches!(item, Item::Place(p, how) if p.var == *var && how != How::Read)
    });
    Some(Choice { var: *var, start, tests, before, value, is_mut })
}
