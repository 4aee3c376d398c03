//! Conditions.

use super::Fresh;
use crate::syntax::build::{and, binder, compare, int, looped, mul, not, of, plus, sub, within};
use crate::syntax::walk::{Context, is_condition};
use tensor_core::ast::{BinaryOp, CompareOp, Expr, ExprKind};

/// `p = !!p`
pub(super) fn negated_twice(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    if is_condition(e) { vec![not(not(e.clone()))] } else { vec![] }
}

/// `p && q = !(!p || !q)`, `p || q = !(!p && !q)`
pub(super) fn de_morgan(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let no = |p: &Expr| Box::new(not(p.clone()));
    if let ExprKind::And(p, q) = &e.kind {
        return vec![not(of(ExprKind::Or(no(p), no(q))))];
    }
    if let ExprKind::Or(p, q) = &e.kind { vec![not(of(ExprKind::And(no(p), no(q))))] } else { vec![] }
}

/// One comparison of two.
fn two(e: &Expr) -> Option<(&Expr, CompareOp, &Expr)> {
    let ExprKind::Compare(a, rest) = &e.kind else { return None };
    let (op, b) = rest.first().filter(|_| rest.len() == 1)?;
    Some((a, *op, b))
}

/// `a < b = !(a >= b)`, and so on. No number here is NaN.
pub(super) fn negated(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((a, op, b)) = two(e) else { return vec![] };
    let op = match op {
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Gt => CompareOp::Le,
    };
    vec![not(compare(a.clone(), op, b.clone()))]
}

/// `a < b = b > a`, and so on
pub(super) fn flipped(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((a, op, b)) = two(e) else { return vec![] };
    let op = match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Eq => CompareOp::Eq,
        CompareOp::Ne => CompareOp::Ne,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Gt => CompareOp::Lt,
    };
    vec![compare(b.clone(), op, a.clone())]
}

/// `a <= b < c = a <= b && b < c`
pub(super) fn chain_apart(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Compare(a, rest) = &e.kind else { return vec![] };
    let left = std::iter::once(&**a).chain(rest.iter().map(|(_, b)| b));
    let parts = left.zip(rest).map(|(a, (op, b))| compare(a.clone(), *op, b.clone()));
    if rest.len() < 2 { vec![] } else { parts.reduce(and).into_iter().collect() }
}

/// `a == b = a <= b && a >= b`, `a != b = a < b || a > b`
pub(super) fn equality_apart(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((a, op, b)) = two(e) else { return vec![] };
    let part = |op| compare(a.clone(), op, b.clone());
    match op {
        CompareOp::Eq => vec![and(part(CompareOp::Le), part(CompareOp::Ge))],
        CompareOp::Ne => {
            vec![of(ExprKind::Or(Box::new(part(CompareOp::Lt)), Box::new(part(CompareOp::Gt))))]
        }
        CompareOp::Lt | CompareOp::Le | CompareOp::Ge | CompareOp::Gt => vec![],
    }
}

/// `p && q = q && p`, `p || q = q || p`
pub(super) fn exchanged(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    if let ExprKind::And(p, q) = &e.kind {
        return vec![of(ExprKind::And(q.clone(), p.clone()))];
    }
    if let ExprKind::Or(p, q) = &e.kind { vec![of(ExprKind::Or(q.clone(), p.clone()))] } else { vec![] }
}

/// `a % k` of indices, for a literal `k`.
fn residue<'a>(e: &'a Expr, cx: &Context) -> Option<(&'a Expr, &'a Expr, i64)> {
    let ExprKind::Binary(BinaryOp::Rem, a, k) = &e.kind else { return None };
    let ExprKind::Number { digits, is_integer: true } = &k.kind else { return None };
    cx.is_affine(a).then_some((&**a, &**k, digits.parse().ok()?))
}

/// `a % k = a - k * (a / k)`
pub(super) fn residue_by_floor(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let Some((a, k, _)) = residue(e, cx) else { return vec![] };
    let floor = of(ExprKind::Binary(BinaryOp::Div, Box::new(a.clone()), Box::new(k.clone())));
    vec![sub(a.clone(), mul(k.clone(), floor))]
}

/// `a % k = (a + k) % k = (a - k) % k`
pub(super) fn residue_moved(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let Some((a, k, number)) = residue(e, cx) else { return vec![] };
    let moved = |by| of(ExprKind::Binary(BinaryOp::Rem, Box::new(plus(a.clone(), by)), Box::new(k.clone())));
    vec![moved(number), moved(-number)]
}

/// `a % k == c = exists e in a / k..=a / k { k * e + c == a }`, and `0 <= a - c - k * (a / k) < 1`, for `0 <= c < k`
pub(super) fn residue_exists(e: &Expr, cx: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((left, op, right)) = two(e) else { return vec![] };
    let Some((a, k, number)) = residue(left, cx) else { return vec![] };
    let ExprKind::Number { digits, is_integer: true } = &right.kind else { return vec![] };
    let Ok(c) = digits.parse::<i64>() else { return vec![] };
    if !(0..number).contains(&c) {
        return vec![];
    }
    let floor = of(ExprKind::Binary(BinaryOp::Div, Box::new(a.clone()), Box::new(k.clone())));
    let i = fresh("e");
    let holds = compare(plus(mul(k.clone(), crate::syntax::build::name(&i)), c), CompareOp::Eq, a.clone());
    let range = binder(&i, floor.clone(), plus(floor.clone(), 1));
    let exists = of(ExprKind::Exists(looped(vec![range], None, holds)));
    let between = within(int(0), plus(sub(a.clone(), mul(k.clone(), floor)), -c), int(1));
    match op {
        CompareOp::Eq => vec![exists, between],
        CompareOp::Ne => vec![not(exists), not(between)],
        CompareOp::Lt | CompareOp::Le | CompareOp::Ge | CompareOp::Gt => vec![],
    }
}
