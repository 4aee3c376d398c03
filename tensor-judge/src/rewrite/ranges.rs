//! Ranges of indices.

use super::Fresh;
use crate::syntax::build::{
    Word, add, and, and_if, binary, binder, block, call, choice, compare, ends, int, loop_as, loop_of, mul,
    name, not, of, plus, real, sub, within,
};
use crate::syntax::edit::{every, is_name, mentions, put, put_in_body};
use crate::syntax::walk::{Context, Kind};
use tensor_core::ast::{BinaryOp, Binder, CompareOp, Expr, ExprKind, IndexArg, Loop, ReduceOp};

/// A reduction of one index with its range, the second end left out.
struct One<'a> {
    op: ReduceOp,
    l: &'a Loop,
    index: String,
    lower: Expr,
    upper: Expr,
}

/// The first index of a reduction. (Others may be in ranges that it decides.)
fn one(e: &Expr) -> Option<One<'_>> {
    let ExprKind::Reduce(op, l) = &e.kind else { return None };
    let b = l.binders.first().filter(|_| l.binders.len() == 1)?;
    let (lower, upper) = ends(b)?;
    Some(One { op: *op, l, index: b.index.to_string(), lower, upper })
}

/// The loop over `index in lower..upper if extra && guard { value }`, with `by` for the index in guard and value.
fn over(l: &Loop, index: &str, lower: Expr, upper: Expr, extra: Option<Expr>, by: &Expr) -> Loop {
    let inside = |e: Expr| put(e, index, by);
    let guard = l.guard.as_ref().map(|p| inside((**p).clone()));
    let guard = match (extra, guard) {
        (Some(p), Some(q)) => Some(and(p, q)),
        (p, q) => p.or(q),
    };
    let body = put_in_body(l.body.clone(), index, by);
    Loop { binders: vec![binder(index, lower, upper)], guard: guard.map(Box::new), body }
}

/// `sum i { x[i] } = sum i in 0..n { x[i] }`, for a parameter `x: [f64; n]`
pub(super) fn written(e: &Expr, cx: &Context, _: Fresh) -> Vec<Expr> {
    let Some((word, l)) = loop_of(e) else { return vec![] };
    let mut l = l.clone();
    let mut known = false;
    for k in 0..l.binders.len() {
        if l.binders[k].range.is_none()
            && let Some(n) = extent_of(&l.binders[k].index.to_string(), &l, cx)
        {
            l.binders[k] = binder(&l.binders[k].index.to_string(), int(0), n);
            known = true;
        }
    }
    if known { vec![loop_as(word, l)] } else { vec![] }
}

/// The extent of the dimension of a parameter that is read at the index alone.
fn extent_of(index: &str, l: &Loop, cx: &Context) -> Option<Expr> {
    let mut found = None;
    every(&mut block(l.body.clone()), &mut |e| {
        let ExprKind::Access(of, at) = &e.kind else { return };
        let ExprKind::Name(x) = &of.kind else { return };
        for (i, n) in at.iter().zip(cx.extents(&x.to_string()).unwrap_or_default()) {
            if matches!(i, IndexArg::At(e) if is_name(e, index)) {
                found = found.take().or(Some(n.clone()));
            }
        }
    });
    found
}

/// `a + b - 1 - i`: the indices of a range the other way round.
fn mirrored(lower: &Expr, upper: &Expr, i: &str) -> Expr {
    sub(plus(add(lower.clone(), upper.clone()), -1), name(i))
}

/// `sum i in a..b { e(i) } = sum i in a..b { e(a + b - 1 - i) }`
pub(super) fn reversed(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    match one(e) {
        Some(r) if matches!(r.op, ReduceOp::Sum | ReduceOp::LogSumExp) => backward(&r),
        Some(_) | None => vec![],
    }
}

/// The same of `max` and `min`.
pub(super) fn extreme_reversed(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    match one(e) {
        Some(r) if matches!(r.op, ReduceOp::Max | ReduceOp::Min) => backward(&r),
        Some(_) | None => vec![],
    }
}

fn backward(r: &One) -> Vec<Expr> {
    let by = mirrored(&r.lower, &r.upper, &r.index);
    let l = over(r.l, &r.index, r.lower.clone(), r.upper.clone(), None, &by);
    vec![of(ExprKind::Reduce(r.op, l))]
}

/// Whether a reduction is of numbers.
fn is_number(op: ReduceOp) -> bool {
    match op {
        ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp => true,
        ReduceOp::ArgMax | ReduceOp::ArgMin => false,
    }
}

/// `sum i in a..b { e(i) } = sum i in a + 1..b + 1 { e(i - 1) } = sum i in a - 2..b - 2 { e(i + 2) }`, of all loops of one index
pub(super) fn moved(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((word, l)) = loop_of(e) else { return vec![] };
    if matches!(word, Word::Reduce(op) if !is_number(op)) || l.binders.len() != 1 {
        return vec![];
    }
    let Some((lower, upper)) = ends(&l.binders[0]) else { return vec![] };
    let i = l.binders[0].index.to_string();
    let by = |k: i64| {
        let l = over(l, &i, plus(lower.clone(), k), plus(upper.clone(), k), None, &plus(name(&i), -k));
        loop_as(word, l)
    };
    vec![by(1), by(-2)]
}

/// What two halves of a reduction are together: the larger of two that are equal is the first, as it is in the whole.
fn together(op: ReduceOp, a: Expr, b: Expr) -> Option<Expr> {
    match op {
        ReduceOp::Sum => Some(add(a, b)),
        ReduceOp::Max => Some(call("max", vec![a, b])),
        ReduceOp::Min => Some(call("min", vec![a, b])),
        ReduceOp::LogSumExp | ReduceOp::ArgMax | ReduceOp::ArgMin => None,
    }
}

/// `sum i in a..b = sum i in a..c + sum i in c..b` with `c = (a + b) / 2`, which is between them or past both, and of extremes
pub(super) fn cut(e: &Expr, _: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some(r) = one(e) else { return vec![] };
    let middle = binary(BinaryOp::Div, add(r.lower.clone(), r.upper.clone()), int(2));
    let part = |i: &str, a: &Expr, b: &Expr| {
        of(ExprKind::Reduce(r.op, renamed(r.l, &r.index, i, binder(i, a.clone(), b.clone()), None)))
    };
    let (first, second) = (part(&r.index, &r.lower, &middle), part(&fresh(&r.index), &middle, &r.upper));
    together(r.op, first, second).into_iter().collect()
}

/// The loop over another index, and a condition on it.
fn renamed(l: &Loop, old: &str, new: &str, over: Binder, extra: Option<Expr>) -> Loop {
    let mut l = l.clone();
    let by = name(new);
    let guard = l.guard.take().map(|p| Box::new(put(*p, old, &by)));
    l.guard = match extra {
        Some(p) => Some(Box::new(and_if(guard, p))),
        None => guard,
    };
    l.body = put_in_body(l.body, old, &by);
    l.binders = vec![over];
    l
}

/// `sum i if p { e } = sum i if p && q { e } + sum i if p && !q { e }`, for comparisons `q` of the index, and its parity; of extremes, where
/// the first part comes first
pub(super) fn cut_by_condition(e: &Expr, cx: &Context, fresh: Fresh) -> Vec<Expr> {
    let Some(r) = one(e) else { return vec![] };
    let other = fresh(&r.index);
    let below = |c: Expr| move |i: &str| compare(name(i), CompareOp::Lt, c.clone());
    let mut all = vec![two_parts(&r, &other, &below(int(1)))];
    for (x, kind) in cx.scope.iter().rev().take(3) {
        if matches!(kind, Kind::Index | Kind::Size) && *x != r.index {
            all.push(two_parts(&r, &other, &below(name(x))));
        }
    }
    if r.op == ReduceOp::Sum {
        let residue = |i: &str| binary(BinaryOp::Rem, name(i), int(3));
        all.push(two_parts(&r, &other, &|i| compare(residue(i), CompareOp::Eq, int(1))));
        all.push(two_parts(&r, &other, &|i| compare(residue(i), CompareOp::Ne, int(2))));
    }
    all.into_iter().flatten().collect()
}

fn two_parts(r: &One, other: &str, q: &dyn Fn(&str) -> Expr) -> Option<Expr> {
    let part = |i: &str, p: Expr| {
        of(ExprKind::Reduce(
            r.op,
            renamed(r.l, &r.index, i, binder(i, r.lower.clone(), r.upper.clone()), Some(p)),
        ))
    };
    together(r.op, part(&r.index, q(&r.index)), part(other, not(q(other))))
}

/// `sum i in a..b { e } = sum i in a - 1..b + 2 if a <= i < b { e }`, of all reductions but those of places
pub(super) fn widened(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some(r) = one(e).filter(|r| is_number(r.op)) else { return vec![] };
    let inside = within(r.lower.clone(), name(&r.index), r.upper.clone());
    let l = over(r.l, &r.index, plus(r.lower, -1), plus(r.upper, 2), Some(inside), &name(&r.index));
    vec![of(ExprKind::Reduce(r.op, l))]
}

/// `sum i in a..b { e(i) } = sum i in 2 * a..2 * b if i % 2 == 0 { e(i / 2) }`
pub(super) fn strided(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some(r) = one(e).filter(|r| is_number(r.op)) else { return vec![] };
    let by = |k: i64, c: i64| {
        let i = name(&r.index);
        let is_it = compare(binary(BinaryOp::Rem, i.clone(), int(k)), CompareOp::Eq, int(c));
        let half = binary(BinaryOp::Div, i, int(k));
        let times = |e: &Expr| mul(int(k), e.clone());
        let l = over(r.l, &r.index, times(&r.lower), times(&r.upper), Some(is_it), &half);
        of(ExprKind::Reduce(r.op, l))
    };
    vec![by(2, 0), by(3, 1)]
}

/// `sum i in 0..3 { e(i) } = e(0) + e(1) + e(2)`, `for i in 0..2 { e(i) } = [e(0), e(1)]`
pub(super) fn unrolled(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let Some((word, l)) = loop_of(e) else { return vec![] };
    let Some((lower, upper)) = l.binders.first().filter(|_| l.binders.len() == 1).and_then(ends) else {
        return vec![];
    };
    let (Some(a), Some(b)) = (literal(&lower), literal(&upper)) else { return vec![] };
    if !(1..=4).contains(&(b - a)) {
        return vec![];
    }
    let i = l.binders[0].index.to_string();
    let zero = |e: Expr, p: Option<Expr>| match (p, word) {
        (None, _) => Some(e),
        (Some(p), Word::Gen | Word::Reduce(ReduceOp::Sum)) => Some(choice(p, e, real(0.0))),
        (Some(_), Word::Reduce(_)) => None,
    };
    let element = |k: i64| {
        let inside = |e: Expr| put(e, &i, &int(k));
        zero(inside(block(l.body.clone())), l.guard.as_ref().map(|p| inside((**p).clone())))
    };
    let Some(all) = (a..b).map(element).collect::<Option<Vec<Expr>>>() else { return vec![] };
    match word {
        Word::Gen => vec![of(ExprKind::Bracket(all))],
        // A place is no element.
        Word::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin) => vec![],
        Word::Reduce(op) => {
            let mut rest = all.into_iter();
            let first = rest.next();
            let whole = first.and_then(|first| rest.try_fold(first, |a, b| together(op, a, b)));
            whole.into_iter().collect()
        }
    }
}

/// An integer that is written.
pub(super) fn literal(e: &Expr) -> Option<i64> {
    let ExprKind::Number { digits, is_integer: true } = &e.kind else { return None };
    digits.parse().ok()
}

/// Whether an index of a loop is named in the ranges of the others.
pub(super) fn decides(index: &str, others: &[Binder]) -> bool {
    let ends = |b: &Binder| b.range.as_ref().map(|r| [r.lower.clone(), r.upper.clone()]);
    others.iter().filter_map(ends).flatten().any(|e| mentions(&e, index))
}
