//! Pieces of programs.

use proc_macro2::Ident;
use tensor_core::ast::{
    BinaryOp, Binder, Body, CompareOp, Expr, ExprKind, IndexArg, Let, Loop, Pattern, Range, ReduceOp,
};
use tensor_core::error::Span;

/// Where nothing was written.
#[must_use]
pub fn nowhere() -> Span {
    proc_macro2::Span::call_site().into()
}

/// An expression of a kind.
#[must_use]
pub fn of(kind: ExprKind) -> Expr {
    Expr { kind, span: nowhere() }
}

/// A name.
#[must_use]
pub fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, proc_macro2::Span::call_site()),
        None => Ident::new(name, proc_macro2::Span::call_site()),
    }
}

/// A variable, a size or an index.
#[must_use]
pub fn name(name: &str) -> Expr {
    of(ExprKind::Name(ident(name)))
}

/// An integer.
#[must_use]
pub fn int(k: i64) -> Expr {
    let digits = of(ExprKind::Number { digits: k.unsigned_abs().to_string(), is_integer: true });
    if k < 0 { neg(digits) } else { digits }
}

/// A number that is not negative.
#[must_use]
pub fn real(x: f64) -> Expr {
    of(ExprKind::Number { digits: format!("{x:?}"), is_integer: false })
}

/// `-a`
#[must_use]
pub fn neg(a: Expr) -> Expr {
    of(ExprKind::Neg(Box::new(a)))
}

/// `!p`
#[must_use]
pub fn not(p: Expr) -> Expr {
    of(ExprKind::Not(Box::new(p)))
}

/// `a + b`, …
#[must_use]
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    of(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

/// `a + b`
#[must_use]
pub fn add(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Add, a, b)
}

/// `a - b`
#[must_use]
pub fn sub(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Sub, a, b)
}

/// `a * b`
#[must_use]
pub fn mul(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Mul, a, b)
}

/// `a + k`
#[must_use]
pub fn plus(a: Expr, k: i64) -> Expr {
    match k {
        0 => a,
        1.. => add(a, int(k)),
        _ => sub(a, int(-k)),
    }
}

/// `a < b`, …
#[must_use]
pub fn compare(a: Expr, op: CompareOp, b: Expr) -> Expr {
    of(ExprKind::Compare(Box::new(a), vec![(op, b)]))
}

/// `a <= b < c`
#[must_use]
pub fn within(a: Expr, b: Expr, c: Expr) -> Expr {
    of(ExprKind::Compare(Box::new(a), vec![(CompareOp::Le, b), (CompareOp::Lt, c)]))
}

/// `p && q`
#[must_use]
pub fn and(p: Expr, q: Expr) -> Expr {
    of(ExprKind::And(Box::new(p), Box::new(q)))
}

/// `p && q`, or `q` alone
#[must_use]
pub fn and_if(p: Option<Box<Expr>>, q: Expr) -> Expr {
    match p {
        Some(p) => and(*p, q),
        None => q,
    }
}

/// `[p]`
#[must_use]
pub fn bracket(p: Expr) -> Expr {
    of(ExprKind::Bracket(vec![p]))
}

/// `{ e }`
#[must_use]
pub fn body(e: Expr) -> Body {
    Body { lets: vec![], value: Box::new(e), span: nowhere() }
}

/// `{ lets; e }`
#[must_use]
pub fn block(body: Body) -> Expr {
    of(ExprKind::Block(body))
}

/// `let x = e;`
#[must_use]
pub fn bind(x: &str, e: Expr) -> Let {
    Let { recompute: false, pattern: Pattern::Name(ident(x)), ty: None, value: e }
}

/// `{ let x = e; value }`
#[must_use]
pub fn let_in(x: &str, e: Expr, value: Expr) -> Expr {
    block(Body { lets: vec![bind(x, e)], value: Box::new(value), span: nowhere() })
}

/// `if p { a } else { b }`
#[must_use]
pub fn choice(p: Expr, a: Expr, b: Expr) -> Expr {
    of(ExprKind::If(Box::new(p), body(a), body(b)))
}

/// `a[at]`
#[must_use]
pub fn access(a: Expr, at: Vec<Expr>) -> Expr {
    of(ExprKind::Access(Box::new(a), at.into_iter().map(IndexArg::At).collect()))
}

/// `f(args)`
#[must_use]
pub fn call(f: &str, args: Vec<Expr>) -> Expr {
    of(ExprKind::Call(ident(f), args))
}

/// `x.f(args)`
#[must_use]
pub fn method(x: Expr, f: &str, args: Vec<Expr>) -> Expr {
    of(ExprKind::Method(Box::new(x), ident(f), args))
}

/// `i in lower..upper`
#[must_use]
pub fn binder(i: &str, lower: Expr, upper: Expr) -> Binder {
    Binder { index: ident(i), range: Some(Range { lower, upper, inclusive: false, backward: false }) }
}

/// `binders if guard { e }`
#[must_use]
pub fn looped(binders: Vec<Binder>, guard: Option<Expr>, e: Expr) -> Loop {
    Loop { binders, guard: guard.map(Box::new), body: body(e) }
}

/// `op binders if guard { e }`
#[must_use]
pub fn reduce(op: ReduceOp, l: Loop) -> Expr {
    of(ExprKind::Reduce(op, l))
}

/// `for binders if guard { e }`
#[must_use]
pub fn tensor(l: Loop) -> Expr {
    of(ExprKind::Gen(l))
}

/// What a loop makes of its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// `for`
    Gen,
    /// `sum`, `max`, …
    Reduce(ReduceOp),
}

/// A tensor or a reduction.
#[must_use]
pub fn loop_of(e: &Expr) -> Option<(Word, &Loop)> {
    if let ExprKind::Gen(l) = &e.kind {
        return Some((Word::Gen, l));
    }
    if let ExprKind::Reduce(op, l) = &e.kind { Some((Word::Reduce(*op), l)) } else { None }
}

/// The inverse of [`loop_of`].
#[must_use]
pub fn loop_as(word: Word, l: Loop) -> Expr {
    match word {
        Word::Gen => tensor(l),
        Word::Reduce(op) => reduce(op, l),
    }
}

/// The loop with another guard and another value.
#[must_use]
pub fn with(l: &Loop, guard: Option<Expr>, value: Expr) -> Loop {
    Loop { binders: l.binders.clone(), guard: guard.map(Box::new), body: body(value) }
}

/// `i in lower..upper`: the ends of a range, the second left out of it.
#[must_use]
pub fn ends(b: &Binder) -> Option<(Expr, Expr)> {
    let Range { lower, upper, inclusive, .. } = b.range.clone()?;
    Some((lower, if inclusive { plus(upper, 1) } else { upper }))
}
