//! Brackets, guards and choices.

use super::Fresh;
use crate::syntax::build::{
    Word, access, add, and, and_if, block, bracket, choice, int, loop_as, loop_of, mul, name, neg, not, of,
    real, with, within,
};
use crate::syntax::walk::{Context, is_condition};
use tensor_core::ast::{BinaryOp, Expr, ExprKind, IndexArg, ReduceOp};

/// A chain of `*` and `/` taken apart: the condition of its first bracket, and the chain without it.
pub(super) fn bracket_of(e: &Expr) -> Option<(Expr, Expr)> {
    match &e.kind {
        ExprKind::Bracket(parts) => {
            let p = parts.first().filter(|p| parts.len() == 1 && is_condition(p))?;
            Some((p.clone(), int(1)))
        }
        ExprKind::Neg(a) => bracket_of(a).map(|(p, a)| (p, neg(a))),
        ExprKind::Binary(op @ (BinaryOp::Mul | BinaryOp::Div), a, b) => {
            let with = |a, b| of(ExprKind::Binary(*op, Box::new(a), Box::new(b)));
            if let Some((p, rest)) = bracket_of(a) {
                let is_one = matches!(&rest.kind, ExprKind::Number { digits, .. } if digits == "1");
                let rest = match op {
                    BinaryOp::Mul if is_one => (**b).clone(),
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                        with(rest, (**b).clone())
                    }
                };
                return Some((p, rest));
            }
            // What is divided by is no factor.
            let (p, rest) = bracket_of(b).filter(|_| *op == BinaryOp::Mul)?;
            let is_one = matches!(&rest.kind, ExprKind::Number { digits, .. } if digits == "1");
            Some((p, if is_one { (**a).clone() } else { with((**a).clone(), rest) }))
        }
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Rem, ..)
        | ExprKind::Number { .. }
        | ExprKind::Name(_)
        | ExprKind::Path(_)
        | ExprKind::Tuple(_)
        | ExprKind::Repeat(..)
        | ExprKind::Field(..)
        | ExprKind::Access(..)
        | ExprKind::Not(_)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Cast(..)
        | ExprKind::Call(..)
        | ExprKind::Method(..)
        | ExprKind::Gen(_)
        | ExprKind::Reduce(..)
        | ExprKind::Exists(_)
        | ExprKind::Recurrence(_)
        | ExprKind::If(..)
        | ExprKind::Block(_) => None,
    }
}

/// A chain as a whole, not a part of a longer one.
fn chain(e: &Expr, cx: &Context) -> Option<(Expr, Expr)> {
    if cx.chained { None } else { bracket_of(e) }
}

/// `[p] * e = if p { e } else { 0.0 }`
pub(super) fn bracket_to_choice(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    chain(e, cx).map(|(p, rest)| choice(p, rest, real(0.0))).into_iter().collect()
}

/// `if p { a } else { b } = [p] * { a } + [!p] * { b }`
pub(super) fn choice_to_brackets(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::If(p, a, b) = &e.kind else { return vec![] };
    let part = |p: Expr, body: &tensor_core::ast::Body| mul(bracket(p), block(body.clone()));
    vec![add(part((**p).clone(), a), part(not((**p).clone()), b))]
}

/// Whether what is false in a loop counts as zero.
fn is_linear(word: Word) -> bool {
    match word {
        Word::Gen | Word::Reduce(ReduceOp::Sum) => true,
        Word::Reduce(
            ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp | ReduceOp::ArgMax | ReduceOp::ArgMin,
        ) => false,
    }
}

/// `sum i if p { e } = sum i { [p] * e }`, and of `for`
pub(super) fn guard_to_bracket(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((word, l)) = loop_of(e).filter(|(word, _)| is_linear(*word)) else { return vec![] };
    let Some(p) = l.guard.clone() else { return vec![] };
    vec![loop_as(word, with(l, None, mul(bracket(*p), block(l.body.clone()))))]
}

/// `sum i if p { [q] * e } = sum i if p && q { e }`, and of `for`
pub(super) fn bracket_to_guard(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((word, l)) = loop_of(e).filter(|(word, _)| is_linear(*word)) else { return vec![] };
    let Some((q, rest)) = bracket_of(&l.body.value).filter(|_| l.body.lets.is_empty()) else { return vec![] };
    vec![loop_as(word, with(l, Some(and_if(l.guard.clone(), q)), rest))]
}

/// `max i if p { e } = max i { if p { e } else { -INFINITY } }`, and of `min`
pub(super) fn guard_to_infinity(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Reduce(op @ (ReduceOp::Max | ReduceOp::Min), l) = &e.kind else { return vec![] };
    let Some(p) = l.guard.clone() else { return vec![] };
    let infinity = name("INFINITY");
    let none = if *op == ReduceOp::Max { neg(infinity) } else { infinity };
    let value = choice(*p, block(l.body.clone()), none);
    vec![of(ExprKind::Reduce(*op, with(l, None, value)))]
}

/// `x[e] = [0 <= e < n] * x[e]`, and `if 0 <= e < n { x[e] } else { 0.5 }`, for a parameter `x: [f64; n]`
pub(super) fn guarded_read(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let Some((x, extents, at)) = read(e, cx) else { return vec![] };
    let inside = at.iter().zip(extents).map(|(e, n)| within(int(0), e.clone(), n.clone()));
    let Some(p) = inside.reduce(and) else { return vec![] };
    let read = access(name(&x), at);
    vec![mul(bracket(p.clone()), read.clone()), choice(p, read, real(0.5))]
}

/// A read of one number of a parameter: its name, its extents, the indices.
pub(super) fn read<'a>(e: &Expr, cx: &'a Context) -> Option<(String, &'a [Expr], Vec<Expr>)> {
    let ExprKind::Access(of, at) = &e.kind else { return None };
    let ExprKind::Name(x) = &of.kind else { return None };
    let x = x.to_string();
    let extents = cx.extents(&x)?;
    let index = |i: &IndexArg| match i {
        IndexArg::At(e) => Some(e.clone()),
        IndexArg::All(_) => None,
    };
    let at: Vec<Expr> = at.iter().map(index).collect::<Option<_>>()?;
    (at.len() == extents.len()).then_some((x, extents, at))
}

/// `[p || q] * e = [p] * e + [!p && q] * e`
pub(super) fn alternative_apart(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let Some((p, rest)) = chain(e, cx) else { return vec![] };
    let ExprKind::Or(p, q) = p.kind else { return vec![] };
    let second = mul(bracket(and(not((*p).clone()), *q)), rest.clone());
    vec![add(mul(bracket(*p), rest), second)]
}

/// `if p { a } else { b } = if !p { b } else { a }`
pub(super) fn turned(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::If(p, a, b) = &e.kind else { return vec![] };
    vec![of(ExprKind::If(Box::new(not((**p).clone())), b.clone(), a.clone()))]
}

/// `if p && q { a } else { b } = if p { if q { a } else { b } } else { b }`
pub(super) fn nested(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::If(p, a, b) = &e.kind else { return vec![] };
    let ExprKind::And(p, q) = &p.kind else { return vec![] };
    let inner = of(ExprKind::If(q.clone(), a.clone(), b.clone()));
    vec![choice((**p).clone(), inner, block(b.clone()))]
}
