//! Tensors, computed in another order or place than they are read.

use super::Fresh;
use crate::syntax::build::{
    access, add, and, binary, binder, block, body, choice, compare, ends, int, let_in, loop_as, loop_of,
    looped, mul, name, plus, sub, tensor, within,
};
use crate::syntax::edit::{mentions, of_body, parts, put, put_in_body, put_part};
use crate::syntax::walk::Context;
use tensor_core::ast::{BinaryOp, Binder, CompareOp, Expr, ExprKind, Loop};

/// A tensor of one index: the loop, the index, the ends of its range.
fn one(e: &Expr) -> Option<(&Loop, String, Expr, Expr)> {
    let ExprKind::Gen(l) = &e.kind else { return None };
    let b = l.binders.first().filter(|_| l.binders.len() == 1)?;
    let (lower, upper) = ends(b)?;
    Some((l, b.index.to_string(), lower, upper))
}

/// The loop over a new range, and under a condition, with `by` for its index.
fn over(l: &Loop, index: &str, range: Binder, extra: Option<Expr>, by: &Expr) -> Expr {
    let guard = l.guard.as_ref().map(|p| put((**p).clone(), index, by));
    let guard = match (extra, guard) {
        (Some(p), Some(q)) => Some(and(p, q)),
        (p, q) => p.or(q),
    };
    let value = put_in_body(l.body.clone(), index, by);
    tensor(Loop { binders: vec![range], guard: guard.map(Box::new), body: value })
}

/// `{ let t = whole; for i in a..b { t[at] } }`
fn read_again(t: &str, whole: Expr, ranges: Vec<Binder>, at: Vec<Expr>) -> Expr {
    let_in(t, whole, tensor(looped(ranges, None, access(name(t), at))))
}

/// `for i in a..b { e(i) } = { let t = for i in a..b { e(a + b - 1 - i) }; for i in a..b { t[b - 1 - i] } }`
pub(super) fn reversed(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((l, i, a, b)) = one(e) else { return vec![] };
    let (t, j) = (fresh("t"), fresh(&i));
    let by = sub(plus(add(a.clone(), b.clone()), -1), name(&i));
    let whole = over(l, &i, binder(&i, a.clone(), b.clone()), None, &by);
    let at = sub(plus(b.clone(), -1), name(&j));
    vec![read_again(&t, whole, vec![binder(&j, a, b)], vec![at])]
}

/// `for i, j { e } = { let t = for j, i { e }; for i, j { t[j, i] } }`, for ranges that begin at 0
pub(super) fn transposed(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let ExprKind::Gen(l) = &e.kind else { return vec![] };
    let [first, second] = l.binders.as_slice() else { return vec![] };
    let (Some((a, m)), Some((b, n))) = (ends(first), ends(second)) else { return vec![] };
    let is_zero = |e: &Expr| super::ranges::literal(e) == Some(0);
    if !is_zero(&a) || !is_zero(&b) {
        return vec![];
    }
    let mut other = l.clone();
    other.binders.swap(0, 1);
    let (t, i, j) = (fresh("t"), fresh(&first.index.to_string()), fresh(&second.index.to_string()));
    let ranges = vec![binder(&i, a, m), binder(&j, b, n)];
    vec![read_again(&t, tensor(other), ranges, vec![name(&j), name(&i)])]
}

/// `for i in a..b { e(i) } = { let t = for i in 0..b - a + 2 if 1 <= i < b - a + 1 { e(i + a - 1) }; for i in a..b { t[i - a + 1] } }`
pub(super) fn padded(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((l, i, a, b)) = one(e) else { return vec![] };
    let (t, j) = (fresh("t"), fresh(&i));
    let count = sub(b.clone(), a.clone());
    let inside = within(int(1), name(&i), plus(count.clone(), 1));
    let by = plus(add(name(&i), a.clone()), -1);
    let whole = over(l, &i, binder(&i, int(0), plus(count, 2)), Some(inside), &by);
    let at = plus(sub(name(&j), a.clone()), 1);
    vec![read_again(&t, whole, vec![binder(&j, a, b)], vec![at])]
}

/// `for i in a..b { e(i) } = { let t = for i in 0..2 * (b - a) if i % 2 == 0 { e(i / 2 + a) }; for i in a..b { t[2 * (i - a)] } }`, and with
/// every third place, behind it nothing
pub(super) fn strided(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((l, i, a, b)) = one(e) else { return vec![] };
    let mut by = |k: i64, c: i64| {
        let (t, j) = (fresh("t"), fresh(&i));
        let count = mul(int(k), sub(b.clone(), a.clone()));
        let is_it = compare(binary(BinaryOp::Rem, name(&i), int(k)), CompareOp::Eq, int(c));
        let value = add(binary(BinaryOp::Div, name(&i), int(k)), a.clone());
        let whole = over(l, &i, binder(&i, int(0), count), Some(is_it), &value);
        let at = plus(mul(int(k), sub(name(&j), a.clone())), c);
        read_again(&t, whole, vec![binder(&j, a.clone(), b.clone())], vec![at])
    };
    vec![by(2, 0), by(3, 1)]
}

/// `for i in a..b { e } = for i in a..b { if i < (a + b) / 2 { e } else { e } }`, and at the parity of `i`
pub(super) fn cut(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((l, i, a, b)) = one(e) else { return vec![] };
    let part = |p: Expr| {
        let value = choice(p, block(l.body.clone()), block(l.body.clone()));
        tensor(Loop { body: body(value), ..l.clone() })
    };
    let middle = binary(BinaryOp::Div, add(a, b), int(2));
    let odd = compare(binary(BinaryOp::Rem, name(&i), int(2)), CompareOp::Ne, int(0));
    vec![part(compare(name(&i), CompareOp::Lt, middle)), part(odd)]
}

/// `for i, j if p { e } = for i { for j if p { e } }`
pub(super) fn nested(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Gen(l) = &e.kind else { return vec![] };
    if l.binders.len() < 2 {
        return vec![];
    }
    let (outer, inner) = l.binders.split_at(1);
    let inner = Loop { binders: inner.to_vec(), ..l.clone() };
    vec![tensor(looped(outer.to_vec(), None, tensor(inner)))]
}

/// `for i { for j if p { e } } = for i, j if p { e }`
pub(super) fn merged(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Gen(l) = &e.kind else { return vec![] };
    let ExprKind::Gen(inner) = &l.body.value.kind else { return vec![] };
    if l.guard.is_some() || !l.body.lets.is_empty() {
        return vec![];
    }
    let binders = [l.binders.clone(), inner.binders.clone()].concat();
    vec![tensor(Loop { binders, ..inner.clone() })]
}

/// `sum i in a..b { f(e(i)) } = { let t = for i in a..b { e(i) }; sum i in a..b { f(t[i - a]) } }`, for parts of the value of a loop of one
/// index
pub(super) fn stored(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some((word, l)) = loop_of(e) else { return vec![] };
    let Some((a, b)) = l.binders.first().filter(|_| l.binders.len() == 1).and_then(ends) else {
        return vec![];
    };
    let i = l.binders[0].index.to_string();
    let mut by = |part: Expr| {
        let (t, j) = (fresh("t"), fresh(&i));
        let there = |e: &Expr| put(e.clone(), &i, &name(&j));
        let guard = l.guard.as_deref().map(there);
        let whole = tensor(looped(vec![binder(&j, a.clone(), b.clone())], guard, there(&part)));
        let read = access(name(&t), vec![sub(name(&i), a.clone())]);
        let mut other = l.clone();
        of_body(&mut other.body, &mut |e| *e = put_part(e.clone(), &part, &read));
        let_in(&t, whole, loop_as(word, other))
    };
    parts(&block(l.body.clone())).into_iter().filter(|p| mentions(p, &i)).map(&mut by).collect()
}
