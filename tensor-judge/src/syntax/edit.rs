//! Names and parts of trees.

use super::print;
use std::collections::BTreeSet;
use tensor_core::ast::{
    Block, Body, Expr, ExprKind, Form, Function, IndexArg, Item, Loop, Pattern, Type, TypeKind,
};

/// The expressions right below one, in the order in which they are written.
pub fn children(e: &mut Expr, with: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        ExprKind::Number { .. } | ExprKind::Name(_) | ExprKind::Path(_) => {}
        ExprKind::Tuple(parts) | ExprKind::Bracket(parts) | ExprKind::Call(_, parts) => {
            parts.iter_mut().for_each(with);
        }
        ExprKind::Repeat(of, extents) => {
            with(of);
            extents.iter_mut().for_each(with);
        }
        ExprKind::Field(of, _) | ExprKind::Neg(of) | ExprKind::Not(of) | ExprKind::Cast(of, _) => with(of),
        ExprKind::Access(of, at) => {
            with(of);
            at.iter_mut().for_each(|i| match i {
                IndexArg::At(e) => with(e),
                IndexArg::All(_) => {}
            });
        }
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            with(a);
            with(b);
        }
        ExprKind::Compare(first, rest) => {
            with(first);
            rest.iter_mut().for_each(|(_, e)| with(e));
        }
        ExprKind::Method(of, _, args) => {
            with(of);
            args.iter_mut().for_each(with);
        }
        ExprKind::Gen(l) | ExprKind::Reduce(_, l) | ExprKind::Exists(l) => of_loop(l, with),
        ExprKind::Recurrence(r) => {
            match &mut r.form {
                Form::Rec | Form::Prod => {}
                Form::Fold(_, from) | Form::Scan(_, from) => with(from),
                Form::Reduce(o) | Form::ScanWith(o) => {
                    of_body(&mut o.value, with);
                    with(&mut o.unit);
                }
            }
            of_loop(&mut r.steps, with);
        }
        ExprKind::If(p, a, b) => {
            with(p);
            of_body(a, with);
            of_body(b, with);
        }
        ExprKind::Block(b) => of_body(b, with),
    }
}

fn of_loop(l: &mut Loop, with: &mut dyn FnMut(&mut Expr)) {
    for range in l.binders.iter_mut().filter_map(|b| b.range.as_mut()) {
        with(&mut range.lower);
        with(&mut range.upper);
    }
    if let Some(p) = &mut l.guard {
        with(p);
    }
    of_body(&mut l.body, with);
}

/// The expressions right below a body.
pub fn of_body(b: &mut Body, with: &mut dyn FnMut(&mut Expr)) {
    for l in &mut b.lets {
        if let Some(t) = &mut l.ty {
            of_type(t, with);
        }
        with(&mut l.value);
    }
    with(&mut b.value);
}

/// The extents of a type.
pub fn of_type(t: &mut Type, with: &mut dyn FnMut(&mut Expr)) {
    match &mut t.kind {
        TypeKind::Real(_) | TypeKind::Size => {}
        TypeKind::Array(of, extents) => {
            of_type(of, with);
            extents.iter_mut().for_each(with);
        }
        TypeKind::Tuple(parts) => parts.iter_mut().for_each(|t| of_type(t, with)),
    }
}

/// Those of all expressions of a function, outermost first: of its types and conditions too.
pub fn of_function(f: &mut Function, with: &mut dyn FnMut(&mut Expr)) {
    f.params.iter_mut().for_each(|p| of_type(&mut p.ty, with));
    of_type(&mut f.result, with);
    f.conditions.iter_mut().for_each(&mut *with);
    if let Some(b) = &mut f.body {
        of_body(b, with);
    }
}

/// An expression and all below it, outermost first.
pub fn every(e: &mut Expr, with: &mut dyn FnMut(&mut Expr)) {
    with(e);
    children(e, &mut |c| every(c, with));
}

/// All bodies of a block, innermost first.
pub fn bodies(block: &mut Block, with: &mut dyn FnMut(&mut Body)) {
    fn below(e: &mut Expr, with: &mut dyn FnMut(&mut Body)) {
        children(e, &mut |c| below(c, with));
        match &mut e.kind {
            ExprKind::Gen(l) | ExprKind::Reduce(_, l) | ExprKind::Exists(l) => with(&mut l.body),
            ExprKind::Recurrence(r) => {
                if let Form::Reduce(o) | Form::ScanWith(o) = &mut r.form {
                    with(&mut o.value);
                }
                with(&mut r.steps.body);
            }
            ExprKind::If(_, a, b) => {
                with(a);
                with(b);
            }
            // What stands in braces is an expression already.
            ExprKind::Block(_)
            | ExprKind::Number { .. }
            | ExprKind::Name(_)
            | ExprKind::Path(_)
            | ExprKind::Tuple(_)
            | ExprKind::Bracket(_)
            | ExprKind::Repeat(..)
            | ExprKind::Field(..)
            | ExprKind::Access(..)
            | ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Cast(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..) => {}
        }
    }
    for f in functions(block) {
        if let Some(b) = &mut f.body {
            of_body(b, &mut |e| below(e, with));
            with(b);
        }
    }
}

/// The functions of a block.
pub fn functions(block: &mut Block) -> impl Iterator<Item = &mut Function> {
    block.items.iter_mut().filter_map(|i| match i {
        Item::Function(f) => Some(f),
        Item::Transform(_) => None,
    })
}

/// Whether it is this variable.
#[must_use]
pub fn is_name(e: &Expr, name: &str) -> bool {
    matches!(&e.kind, ExprKind::Name(x) if x == name)
}

/// The variables, sizes, indices and constants that are named in an expression, those that it binds itself among them.
#[must_use]
pub fn names(e: &Expr) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    every(&mut e.clone(), &mut |e| {
        if let ExprKind::Name(x) = &e.kind {
            out.insert(x.to_string());
        }
    });
    out
}

/// Whether a variable is named in an expression.
#[must_use]
pub fn mentions(e: &Expr, name: &str) -> bool {
    names(e).contains(name)
}

/// `e` with `by`, which may name the variable itself, for a variable. No other name of `by` may be bound in `e`.
#[must_use]
pub fn put(mut e: Expr, name: &str, by: &Expr) -> Expr {
    fn below(e: &mut Expr, name: &str, by: &Expr) {
        if is_name(e, name) {
            *e = by.clone();
        } else {
            children(e, &mut |c| below(c, name, by));
        }
    }
    below(&mut e, name, by);
    e
}

/// The same of a body.
#[must_use]
pub fn put_in_body(mut b: Body, name: &str, by: &Expr) -> Body {
    of_body(&mut b, &mut |e| *e = put(e.clone(), name, by));
    b
}

/// Whether `grad(e, x)` by this variable stands in an expression: it stays a variable then.
#[must_use]
pub fn differentiates(e: &Expr, name: &str) -> bool {
    let mut found = false;
    every(&mut e.clone(), &mut |e| {
        if let ExprKind::Call(f, args) = &e.kind {
            found |= f == "grad" && args.iter().skip(1).any(|a| is_name(a, name));
        }
    });
    found
}

/// Whether a `grad(e, x)` stands in a function of a block.
#[must_use]
pub fn has_derivatives(block: &Block) -> bool {
    let mut found = false;
    functions(&mut block.clone()).for_each(|f| {
        of_function(f, &mut |e| {
            every(e, &mut |e| found |= matches!(&e.kind, ExprKind::Call(f, _) if f == "grad"))
        });
    });
    found
}

/// The names that loops and `let`s in an expression bind.
#[must_use]
pub fn binds(e: &Expr) -> BTreeSet<String> {
    fn of_lets(b: &mut Body, out: &mut BTreeSet<String>) {
        b.lets.iter_mut().for_each(|l| bound(&mut l.pattern, &mut |x| out.extend([x.to_string()])));
    }
    let mut out = BTreeSet::new();
    every(&mut e.clone(), &mut |e| match &mut e.kind {
        ExprKind::Gen(l) | ExprKind::Reduce(_, l) | ExprKind::Exists(l) => {
            out.extend(l.binders.iter().map(|b| b.index.to_string()));
            of_lets(&mut l.body, &mut out);
        }
        ExprKind::Recurrence(r) => {
            out.extend(r.steps.binders.iter().map(|b| b.index.to_string()));
            match &mut r.form {
                Form::Rec | Form::Prod => {}
                Form::Fold(state, _) | Form::Scan(state, _) => {
                    bound(state, &mut |x| out.extend([x.to_string()]));
                }
                Form::Reduce(o) | Form::ScanWith(o) => {
                    bound(&mut o.left, &mut |x| out.extend([x.to_string()]));
                    bound(&mut o.right, &mut |x| out.extend([x.to_string()]));
                    of_lets(&mut o.value, &mut out);
                }
            }
            of_lets(&mut r.steps.body, &mut out);
        }
        ExprKind::If(_, a, b) => {
            of_lets(a, &mut out);
            of_lets(b, &mut out);
        }
        ExprKind::Block(b) => of_lets(b, &mut out),
        ExprKind::Number { .. }
        | ExprKind::Name(_)
        | ExprKind::Path(_)
        | ExprKind::Tuple(_)
        | ExprKind::Bracket(_)
        | ExprKind::Repeat(..)
        | ExprKind::Field(..)
        | ExprKind::Access(..)
        | ExprKind::Neg(_)
        | ExprKind::Not(_)
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Cast(..)
        | ExprKind::Call(..)
        | ExprKind::Method(..) => {}
    });
    out
}

/// What is computed in an expression of nothing that it binds itself: each once, the outermost first, the whole left out.
#[must_use]
pub fn parts(e: &Expr) -> Vec<Expr> {
    let own = binds(e);
    let (mut out, mut seen) = (vec![], BTreeSet::from([print::expr(e)]));
    every(&mut e.clone(), &mut |e| {
        let computes = match &e.kind {
            ExprKind::Access(..)
            | ExprKind::Neg(_)
            | ExprKind::Binary(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..)
            | ExprKind::Gen(_)
            | ExprKind::Reduce(..)
            | ExprKind::If(..)
            | ExprKind::Block(_) => true,
            // A `rec` is bound by its `let`.
            ExprKind::Recurrence(r) => !matches!(r.form, Form::Rec),
            ExprKind::Number { .. }
            | ExprKind::Name(_)
            | ExprKind::Path(_)
            | ExprKind::Tuple(_)
            | ExprKind::Bracket(_)
            | ExprKind::Repeat(..)
            | ExprKind::Field(..)
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Cast(..)
            | ExprKind::Exists(_) => false,
        };
        let inner = binds(e);
        if computes
            && names(e).iter().all(|n| !own.contains(n) || inner.contains(n))
            && seen.insert(print::expr(e))
        {
            out.push(e.clone());
        }
    });
    out
}

/// `e` with `by` wherever a part stands in it.
#[must_use]
pub fn put_part(mut e: Expr, part: &Expr, by: &Expr) -> Expr {
    fn below(e: &mut Expr, text: &str, by: &Expr) {
        if print::expr(e) == text {
            *e = by.clone();
        } else {
            children(e, &mut |c| below(c, text, by));
        }
    }
    below(&mut e, &print::expr(part), by);
    e
}

/// The functions that one calls, and those of the language.
pub fn called(f: &Function, out: &mut Vec<String>) {
    of_function(&mut f.clone(), &mut |e| {
        every(e, &mut |e| {
            if let ExprKind::Call(g, _) = &e.kind {
                out.push(g.to_string());
            }
        });
    });
}

/// How many expressions a block has.
#[must_use]
pub fn size(block: &Block) -> usize {
    let mut count = 0;
    for f in functions(&mut block.clone()) {
        of_function(f, &mut |e| every(e, &mut |_| count += 1));
    }
    count
}

/// The names of a pattern.
pub fn bound(p: &mut Pattern, with: &mut dyn FnMut(&mut proc_macro2::Ident)) {
    match p {
        Pattern::Name(x) if x == "_" => {}
        Pattern::Name(x) => with(x),
        Pattern::Tuple(parts, _) => parts.iter_mut().for_each(|p| bound(p, with)),
    }
}
