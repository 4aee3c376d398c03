//! Sums and other reductions.

use super::Fresh;
use super::guards::{bracket_of, read};
use super::ranges::decides;
use crate::syntax::build::{
    Word, access, and, binder, block, bracket, compare, ident, int, loop_as, loop_of, looped, mul, name, neg,
    of, reduce, with,
};
use crate::syntax::edit::{names, put, put_in_body};
use crate::syntax::walk::Context;
use tensor_core::ast::{BinaryOp, CompareOp, Expr, ExprKind, Loop, ReduceOp};

/// `sum i, j if p { e } = sum i { sum j if p { e } }`, and of extremes
pub(super) fn nested(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Reduce(op @ (ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp), l) =
        &e.kind
    else {
        return vec![];
    };
    if l.binders.len() < 2 {
        return vec![];
    }
    let (outer, inner) = l.binders.split_at(1);
    let inner = Loop { binders: inner.to_vec(), guard: l.guard.clone(), body: l.body.clone() };
    vec![reduce(*op, looped(outer.to_vec(), None, reduce(*op, inner)))]
}

/// `sum i if p { sum j if q { e } } = sum i, j if p && q { e }`, and of extremes
pub(super) fn merged(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Reduce(op @ (ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp), l) =
        &e.kind
    else {
        return vec![];
    };
    let ExprKind::Reduce(second, inner) = &l.body.value.kind else { return vec![] };
    if second != op || !l.body.lets.is_empty() {
        return vec![];
    }
    let guard = match (l.guard.clone(), inner.guard.clone()) {
        (Some(p), Some(q)) => Some(Box::new(and(*p, *q))),
        (p, q) => p.or(q),
    };
    let binders = [l.binders.clone(), inner.binders.clone()].concat();
    vec![reduce(*op, Loop { binders, guard, body: inner.body.clone() })]
}

/// The loop with its first two indices exchanged, if neither decides the range of the other.
fn swapped(l: &Loop) -> Option<Loop> {
    let first = l.binders.first()?.index.to_string();
    let second = l.binders.get(1)?;
    let free = !decides(&first, &l.binders[1..2]) && second.range.is_some() && l.binders[0].range.is_some();
    let mut l = l.clone();
    l.binders.swap(0, 1);
    free.then_some(l)
}

/// `sum i, j { e } = sum j, i { e }`
pub(super) fn exchanged(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Reduce(op @ (ReduceOp::Sum | ReduceOp::LogSumExp), l) = &e.kind else { return vec![] };
    swapped(l).map(|l| reduce(*op, l)).into_iter().collect()
}

/// The same of `max` and `min`.
pub(super) fn extremes_exchanged(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Reduce(op @ (ReduceOp::Max | ReduceOp::Min), l) = &e.kind else { return vec![] };
    swapped(l).map(|l| reduce(*op, l)).into_iter().collect()
}

/// The value of a sum without `let`s.
fn sum_of(e: &Expr) -> Option<(&Loop, &Expr)> {
    let ExprKind::Reduce(ReduceOp::Sum, l) = &e.kind else { return None };
    l.body.lets.is_empty().then_some((l, &*l.body.value))
}

/// `sum i if p { a + b } = sum i if p { a } + sum i if p { b }`, and of differences
pub(super) fn apart(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((l, value)) = sum_of(e) else { return vec![] };
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = &value.kind else { return vec![] };
    let first = reduce(ReduceOp::Sum, with(l, l.guard.as_deref().cloned(), (**a).clone()));
    let mut second = with(l, l.guard.as_deref().cloned(), (**b).clone());
    for k in 0..second.binders.len() {
        let old = second.binders[k].index.to_string();
        second = with_index(&second, k, &old, &fresh(&old));
    }
    vec![of(ExprKind::Binary(*op, Box::new(first), Box::new(reduce(ReduceOp::Sum, second))))]
}

/// The loop with another name for an index.
fn with_index(l: &Loop, k: usize, old: &str, new: &str) -> Loop {
    let mut l = l.clone();
    let by = name(new);
    for b in &mut l.binders[k + 1..] {
        if let Some(r) = &mut b.range {
            r.lower = put(r.lower.clone(), old, &by);
            r.upper = put(r.upper.clone(), old, &by);
        }
    }
    l.binders[k].index = ident(new);
    l.guard = l.guard.map(|p| Box::new(put(*p, old, &by)));
    l.body = put_in_body(l.body, old, &by);
    l
}

/// Whether no index of the loop is named.
fn is_free(e: &Expr, l: &Loop) -> bool {
    let used = names(e);
    l.binders.iter().all(|b| !used.contains(&b.index.to_string()))
}

/// `sum i { c * e(i) } = c * sum i { e(i) }`
pub(super) fn factor_out(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((l, value)) = sum_of(e) else { return vec![] };
    let ExprKind::Binary(BinaryOp::Mul, a, b) = &value.kind else { return vec![] };
    let guard = || l.guard.as_deref().cloned();
    // A bracket guards the whole chain, also what would go out of it.
    if bracket_of(value).is_some() {
        return vec![];
    }
    let mut all = vec![];
    if is_free(a, l) {
        all.push(mul((**a).clone(), reduce(ReduceOp::Sum, with(l, guard(), (**b).clone()))));
    }
    if is_free(b, l) {
        all.push(mul(reduce(ReduceOp::Sum, with(l, guard(), (**a).clone())), (**b).clone()));
    }
    all
}

/// `c * sum i { e } = sum i { c * e }`
pub(super) fn factor_in(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Binary(BinaryOp::Mul, a, b) = &e.kind else { return vec![] };
    // A bracket before it guards the sum as a whole; within, each of its terms, but not its ranges.
    if cx.chained || bracket_of(e).is_some() {
        return vec![];
    }
    let inside = |c: &Expr, sum: &Expr| {
        let ExprKind::Reduce(ReduceOp::Sum, l) = &sum.kind else { return None };
        let value = mul(c.clone(), block(l.body.clone()));
        Some(reduce(ReduceOp::Sum, with(l, l.guard.as_deref().cloned(), value)))
    };
    inside(a, b).into_iter().chain(inside(b, a)).collect()
}

/// `sum i if p && q(i) { e } = [p] * sum i if q(i) { e }`, and of `sum i { [p] * e }`
pub(super) fn bracket_out(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Reduce(ReduceOp::Sum, l) = &e.kind else { return vec![] };
    let mut all = vec![];
    if let Some(p) = l.guard.as_deref() {
        if is_free(p, l) {
            let mut rest = l.clone();
            rest.guard = None;
            all.push(mul(bracket(p.clone()), reduce(ReduceOp::Sum, rest)));
        }
        if let ExprKind::And(p, q) = &p.kind
            && is_free(p, l)
        {
            let mut rest = l.clone();
            rest.guard = Some(q.clone());
            all.push(mul(bracket((**p).clone()), reduce(ReduceOp::Sum, rest)));
        }
    }
    if l.body.lets.is_empty()
        && let Some((p, rest)) = bracket_of(&l.body.value).filter(|(p, _)| is_free(p, l))
    {
        let rest = with(l, l.guard.as_deref().cloned(), rest);
        all.push(mul(bracket(p), reduce(ReduceOp::Sum, rest)));
    }
    all
}

/// `x[e] = sum i in 0..n if i == e { x[i] }`, for a parameter `x: [f64; n]`, by one of its dimensions
pub(super) fn read_as_sum(e: &Expr, cx: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((x, extents, at)) = read(e, cx) else { return vec![] };
    let by = |k: usize, i: String| {
        let mut other = at.clone();
        let wanted = std::mem::replace(&mut other[k], name(&i));
        let holds = compare(name(&i), CompareOp::Eq, wanted);
        let range = binder(&i, int(0), extents[k].clone());
        reduce(ReduceOp::Sum, looped(vec![range], Some(holds), access(name(&x), other)))
    };
    (0..at.len()).map(|k| by(k, fresh("i"))).collect()
}

/// `max i { e } = -min i { -e }`, `argmax i { e } = argmin i { -e }`, and the other way round
pub(super) fn negated(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((Word::Reduce(op), l)) = loop_of(e) else { return vec![] };
    let other = with(l, l.guard.as_deref().cloned(), neg(block(l.body.clone())));
    let as_other = |op| loop_as(Word::Reduce(op), other);
    match op {
        ReduceOp::Max => vec![neg(as_other(ReduceOp::Min))],
        ReduceOp::Min => vec![neg(as_other(ReduceOp::Max))],
        ReduceOp::ArgMax => vec![as_other(ReduceOp::ArgMin)],
        ReduceOp::ArgMin => vec![as_other(ReduceOp::ArgMax)],
        ReduceOp::Sum | ReduceOp::LogSumExp => vec![],
    }
}
