//! Arithmetic.

use super::Fresh;
use crate::syntax::build::{add, binary, choice, compare, method, mul, neg};
use crate::syntax::walk::{Context, Role};
use tensor_core::ast::{BinaryOp, CompareOp, Expr, ExprKind};

/// `a + b = b + a`, `a * b = b * a`
pub(super) fn exchanged(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b) = &e.kind else { return vec![] };
    vec![binary(*op, (**b).clone(), (**a).clone())]
}

/// `a + b + c = a + (b + c)`, `a * b * c = a * (b * c)`, and the other way round
pub(super) fn associated(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b) = &e.kind else { return vec![] };
    let mut all = vec![];
    if let ExprKind::Binary(same, x, y) = &a.kind
        && same == op
    {
        all.push(binary(*op, (**x).clone(), binary(*op, (**y).clone(), (**b).clone())));
    }
    if let ExprKind::Binary(same, x, y) = &b.kind
        && same == op
    {
        all.push(binary(*op, binary(*op, (**a).clone(), (**x).clone()), (**y).clone()));
    }
    all
}

/// `a * (b + c) = a * b + a * c`, `(a + b) * c = a * c + b * c`, for whole chains
pub(super) fn distributed(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Binary(BinaryOp::Mul, a, b) = &e.kind else { return vec![] };
    if cx.chained {
        return vec![];
    }
    let sum = |e: &Expr| {
        let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, y) = &e.kind else { return None };
        Some((*op, (**x).clone(), (**y).clone()))
    };
    let left = sum(a).map(|(op, x, y)| binary(op, mul(x, (**b).clone()), mul(y, (**b).clone())));
    let right = sum(b).map(|(op, x, y)| binary(op, mul((**a).clone(), x), mul((**a).clone(), y)));
    left.into_iter().chain(right).collect()
}

/// `a - b = a + -b`
pub(super) fn difference(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Binary(BinaryOp::Sub, a, b) = &e.kind else { return vec![] };
    vec![add((**a).clone(), neg((**b).clone()))]
}

/// `a = -(-a)`
pub(super) fn signed_twice(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let is_name = matches!(e.kind, ExprKind::Name(_) | ExprKind::Number { .. });
    if cx.role == Role::Condition || is_name { vec![] } else { vec![neg(neg(e.clone()))] }
}

/// `a / b = a * (1 / b)`
pub(super) fn quotient(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Binary(BinaryOp::Div, a, b) = &e.kind else { return vec![] };
    if cx.role != Role::Value {
        return vec![];
    }
    vec![mul((**a).clone(), method((**b).clone(), "recip", vec![]))]
}

/// `x.powi(2) = x * x`
pub(super) fn square(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Method(x, f, args) = &e.kind else { return vec![] };
    let is_two = args.first().and_then(super::ranges::literal) == Some(2);
    // A product joins the chain that the power stands in.
    if f == "powi" && is_two && !cx.chained { vec![mul((**x).clone(), (**x).clone())] } else { vec![] }
}

/// `max(a, b) = if a >= b { a } else { b }`, `min(a, b) = if a <= b { a } else { b }`: where both are equal the derivative goes to the first
pub(super) fn larger(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let operands = || {
        if let ExprKind::Call(f, args) = &e.kind {
            return Some((f, args.first()?, args.get(1)?));
        }
        let ExprKind::Method(a, f, args) = &e.kind else { return None };
        Some((f, &**a, args.first()?))
    };
    let Some((f, a, b)) = operands() else { return vec![] };
    let op = match f.to_string().as_str() {
        "max" => CompareOp::Ge,
        "min" => CompareOp::Le,
        _ => return vec![],
    };
    vec![choice(compare(a.clone(), op, b.clone()), a.clone(), b.clone())]
}
