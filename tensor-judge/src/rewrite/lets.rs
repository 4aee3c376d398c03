//! Names for parts, and parts for names.

use super::Fresh;
use crate::syntax::build::{bind, block, body, let_in, name};
use crate::syntax::edit::{differentiates, every, names, of_body, parts, put, put_in_body, put_part};
use crate::syntax::rename::{rename_parameters, renamed_body};
use crate::syntax::walk::{Context, Kind, Role};
use tensor_core::ast::{BinaryOp, Body, Expr, ExprKind, Function, Let, Pattern, Type, TypeKind};

/// `{ let x = a; e(x) } = { e(a) }`
pub(super) fn put_in(e: &Expr, _: &Context, _: Fresh) -> Vec<Expr> {
    let ExprKind::Block(b) = &e.kind else { return vec![] };
    let without = |k: usize| {
        let Let { pattern: Pattern::Name(x), ty, value, .. } = &b.lets[k] else { return None };
        let x = x.to_string();
        let by = value.clone();
        // An annotation says what a number is of; a quotient of integers is another thing among indices.
        if ty.is_some() || x == "_" || is_ambiguous(value) || differentiates(e, &x) {
            return None;
        }
        let mut out: Body = b.clone();
        out.lets.remove(k);
        of_body(&mut out, &mut |e| *e = put(e.clone(), &x, &by));
        Some(block(out))
    };
    (0..b.lets.len()).filter_map(without).collect()
}

/// A quotient or remainder of literals alone: among indices it is another number.
fn is_ambiguous(e: &Expr) -> bool {
    let mut found = false;
    every(&mut e.clone(), &mut |e| {
        found |= matches!(e.kind, ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..)) && names(e).is_empty();
    });
    found
}

/// `e(a) = { let x = a; e(x) }`, for parts `a` that need nothing that `e` binds
pub(super) fn named(e: &Expr, cx: &Context, fresh: Fresh) -> Vec<Expr> {
    if cx.role != Role::Value || matches!(e.kind, ExprKind::Name(_) | ExprKind::Number { .. }) || cx.chained {
        return vec![];
    }
    let mut by = |part: Expr| {
        let x = fresh("t");
        let_in(&x, part.clone(), put_part(e.clone(), &part, &name(&x)))
    };
    parts(e).into_iter().filter(|p| !is_ambiguous(p)).map(&mut by).collect()
}

/// `f(a, b) = { let x = a; let y = b; e }`, for a function `fn f(x, y) { e }` of numbers, or of parameters of the caller whose extents give
/// its sizes
pub(super) fn called(e: &Expr, cx: &Context, fresh: Fresh) -> Vec<Expr> {
    let ExprKind::Call(f, args) = &e.kind else { return vec![] };
    cx.function(&f.to_string()).and_then(|f| inlined(f, args, cx, fresh)).into_iter().collect()
}

fn inlined(f: &Function, args: &[Expr], cx: &Context, fresh: Fresh) -> Option<Expr> {
    let mut f = f.clone();
    rename_parameters(&mut f, fresh);
    let mut value = renamed_body(f.body.clone()?, fresh);
    let mut lets = vec![];
    for (p, a) in f.params.iter().zip(args) {
        lets.push(bind(&p.name.to_string(), a.clone()));
        for (n, by) in sizes(&p.ty, a, cx)? {
            value = put_in_body(value, &n, &by);
        }
    }
    let whole = block(Body { lets, ..body(block(value)) });
    let left = names(&whole);
    f.sizes.iter().all(|n| !left.contains(&n.to_string())).then_some(whole)
}

/// What the sizes in the type of a parameter are for this argument; `None` if that is not known.
fn sizes(ty: &Type, arg: &Expr, cx: &Context) -> Option<Vec<(String, Expr)>> {
    let TypeKind::Array(_, extents) = &ty.kind else { return Some(vec![]) };
    let ExprKind::Name(x) = &arg.kind else { return None };
    let Some(Kind::Param(Type { kind: TypeKind::Array(_, known), .. })) = cx.kind(&x.to_string()) else {
        return None;
    };
    let one = |(n, by): (&Expr, &Expr)| {
        let ExprKind::Name(n) = &n.kind else { return None };
        Some((n.to_string(), by.clone()))
    };
    extents.iter().zip(known).map(one).collect()
}
