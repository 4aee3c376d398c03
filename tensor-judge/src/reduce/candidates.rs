//! What a program may be made of that is smaller.

use crate::syntax::build::{self, block, int, loop_as, loop_of, name, real};
use crate::syntax::edit::{children, functions, is_name, mentions, of_function, put};
use crate::syntax::walk::{Context, Role, proposals, replaced};
use tensor_core::ast::{Block, Body, Expr, ExprKind, Item, Let, Pattern, ReduceOp, Type, TypeKind};

/// Programs with the sizes to judge them at, and the number of the expression that was changed, the outermost first; those before a number
/// have been tried.
pub(super) fn of(block: &Block, first: usize, sizes: &[i64]) -> Vec<(usize, Block, Vec<i64>)> {
    let mut out = vec![];
    if first == 0 {
        out.extend(signatures(block, sizes).into_iter().map(|(b, s)| (0, b, s)));
        out.extend(results(block).into_iter().map(|b| (0, b, sizes.to_vec())));
    }
    let all = proposals(block, smaller);
    let rest = all.into_iter().filter(|(at, _)| *at >= first);
    out.extend(rest.map(|(at, e)| (at, replaced(block, at, &e), sizes.to_vec())));
    out
}

/// What may stand in the place of an expression.
fn smaller(e: &Expr, cx: &Context) -> Vec<Expr> {
    let mut all = vec![];
    match cx.role {
        Role::Value => all.extend([real(1.0), real(0.0)]),
        Role::Index => all.extend([int(0), int(1)]),
        Role::Condition => {}
    }
    children(&mut e.clone(), &mut |c| all.push(c.clone()));
    if let ExprKind::Block(b) = &e.kind {
        all.extend(lets(b));
    }
    if let ExprKind::If(_, a, b) = &e.kind {
        all.extend([block(a.clone()), block(b.clone())]);
    }
    if let Some((word, l)) = loop_of(e) {
        let mut add = |l| all.push(loop_as(word, l));
        if l.guard.is_some() {
            let mut other = l.clone();
            other.guard = None;
            add(other);
        }
        for k in 0..l.binders.len() {
            let i = l.binders[k].index.to_string();
            let mut other = l.clone();
            other.binders.remove(k);
            if !other.binders.is_empty() {
                // The index stays what its range begins with.
                let by = l.binders[k].range.as_ref().map_or_else(|| int(0), |r| r.lower.clone());
                other.guard = other.guard.map(|p| Box::new(put(*p, &i, &by)));
                *other.body.value = put(*other.body.value, &i, &by);
                for r in other.binders.iter_mut().filter_map(|b| b.range.as_mut()) {
                    (r.lower, r.upper) = (put(r.lower.clone(), &i, &by), put(r.upper.clone(), &i, &by));
                }
                add(other);
            }
            if let Some(r) = &l.binders[k].range
                && r.inclusive
            {
                let mut other = l.clone();
                other.binders[k].range = Some(tensor_core::ast::Range { inclusive: false, ..r.clone() });
                add(other);
            }
        }
        // Sums are simpler than what else is made of elements.
        if let build::Word::Reduce(ReduceOp::Max | ReduceOp::Min | ReduceOp::LogSumExp) = word {
            all.push(loop_as(build::Word::Reduce(ReduceOp::Sum), l.clone()));
        }
        // The body, where it needs no index.
        if l.binders.iter().all(|b| !mentions(&block(l.body.clone()), &b.index.to_string())) {
            all.push(block(l.body.clone()));
        }
        // The first element.
        if l.binders.len() == 1 && !matches!(word, build::Word::Gen) {
            let by = l.binders[0].range.as_ref().map_or_else(|| int(0), |r| r.lower.clone());
            all.push(put(block(l.body.clone()), &l.binders[0].index.to_string(), &by));
        }
    }
    all
}

/// A body without one of its `let`s: left out, or put in.
fn lets(b: &Body) -> Vec<Expr> {
    let mut all = vec![];
    for (k, Let { pattern, value, .. }) in b.lets.iter().enumerate() {
        let mut rest = b.clone();
        rest.lets.remove(k);
        all.push(block(rest.clone()));
        if let Pattern::Name(x) = pattern {
            let x = x.to_string();
            all.push(put(block(rest), &x, value));
        }
        if b.lets[k].ty.is_some() {
            let mut plain = b.clone();
            plain.lets[k].ty = None;
            all.push(block(plain));
        }
    }
    if b.lets.is_empty() {
        all.push((*b.value).clone());
    }
    all
}

/// Signatures with less: a function, a condition, a parameter, a size, an extent.
fn signatures(of: &Block, sizes: &[i64]) -> Vec<(Block, Vec<i64>)> {
    let mut out = vec![];
    let last = of.items.len().saturating_sub(1);
    for k in 0..last {
        let mut other = of.clone();
        other.items.remove(k);
        out.push((other, sizes.to_vec()));
    }
    for (at, item) in of.items.iter().enumerate() {
        let Item::Function(f) = item else { continue };
        let with = |f: tensor_core::ast::Function| {
            let mut other = of.clone();
            other.items[at] = Item::Function(f);
            other
        };
        for k in 0..f.conditions.len() {
            let mut other = f.clone();
            other.conditions.remove(k);
            out.push((with(other), sizes.to_vec()));
        }
        for k in 0..f.params.len() {
            let mut other = f.clone();
            other.params.remove(k);
            out.push((with(other), sizes.to_vec()));
            for ty in types(&f.params[k].ty) {
                let mut other = f.clone();
                other.params[k].ty = ty;
                out.push((with(other), sizes.to_vec()));
            }
        }
        for k in 0..f.sizes.len() {
            let mut other = f.clone();
            let n = other.sizes.remove(k).to_string();
            // The judged function is at sizes in the order in which it names them.
            if at != last || k >= sizes.len() {
                out.push((with(other), sizes.to_vec()));
                continue;
            }
            let mut fewer = sizes.to_vec();
            let value = fewer.remove(k);
            out.push((with(other), fewer.clone()));
            let instead = f.sizes.iter().map(|m| name(&m.to_string())).filter(|m| !is_name(m, &n));
            for by in instead.chain([int(value)]) {
                let mut same = of.clone();
                for g in functions(&mut same).filter(|g| g.name == f.name) {
                    g.sizes.retain(|m| *m != n);
                    of_function(g, &mut |e| *e = put(e.clone(), &n, &by));
                }
                out.push((same, fewer.clone()));
            }
        }
    }
    out
}

/// Types with less.
fn types(t: &Type) -> Vec<Type> {
    let span = t.span;
    match &t.kind {
        TypeKind::Real(_) | TypeKind::Size => vec![],
        TypeKind::Array(of, extents) => {
            let mut all = vec![(**of).clone()];
            for k in 0..extents.len() {
                let with = |extents: Vec<Expr>| Type { kind: TypeKind::Array(of.clone(), extents), span };
                let mut simpler = vec![int(1), int(2)];
                children(&mut extents[k].clone(), &mut |c| simpler.push(c.clone()));
                for e in simpler {
                    let mut other = extents.clone();
                    other[k] = e;
                    all.push(with(other));
                }
                if extents.len() > 1 {
                    let mut fewer = extents.clone();
                    fewer.remove(k);
                    all.push(with(fewer));
                }
            }
            all
        }
        TypeKind::Tuple(parts) => parts.clone(),
    }
}

/// The judged function with a part of its result, or a sum over it.
fn results(of: &Block) -> Vec<Block> {
    let Some(Item::Function(f)) = of.items.last() else { return vec![] };
    let Some(body) = &f.body else { return vec![] };
    let mut out = vec![];
    let mut with = |ty: Type, value: Expr| {
        let mut f = f.clone();
        f.result = ty;
        f.body = Some(Body { lets: vec![], value: Box::new(value), span: body.span });
        let mut other = of.clone();
        other.items.pop();
        other.items.push(Item::Function(f));
        out.push(other);
    };
    // The value stands in a block of its own where there are `let`s.
    let inner = if let ExprKind::Block(b) = &body.value.kind { b } else { body };
    let (lets, value) = (inner.lets.clone(), (*inner.value).clone());
    let whole = |value: Expr| {
        if lets.is_empty() {
            value
        } else {
            block(Body { lets: lets.clone(), value: Box::new(value), span: body.span })
        }
    };
    if let (TypeKind::Tuple(types), ExprKind::Tuple(parts)) = (&f.result.kind, &value.kind) {
        for (t, e) in types.iter().zip(parts) {
            with(t.clone(), whole(e.clone()));
        }
    }
    if let (TypeKind::Array(t, _), ExprKind::Gen(l)) = (&f.result.kind, &value.kind) {
        with((**t).clone(), whole(build::reduce(ReduceOp::Sum, l.clone())));
    }
    out
}
