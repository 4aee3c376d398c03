//! Every name of a program, where it is bound and where it is used, in scopes.

use crate::ast::{
    Body, Expr, ExprKind, Form, Function, IndexArg, Inline, Loop, Operator, Pattern, Recurrence, Type,
    TypeKind,
};
use proc_macro2::{Ident, TokenStream};

/// What is met on the way.
pub(crate) enum Event<'a> {
    /// A size of `<…>`.
    Size(&'a mut Ident),
    /// A parameter, a `let`, an index: in scope until the scope closes.
    Bind(&'a mut Ident),
    /// A variable, a size or a constant.
    Use(&'a mut Ident),
    /// The same in an extent of a parameter; in an inline block it may declare a size.
    Extent(&'a mut Ident),
    /// A parameter as those outside call it.
    Label(&'a mut Ident),
    /// A function that is called.
    Function(&'a mut Ident),
    /// The path of a constant or of a function of Rust.
    Path(&'a TokenStream),
    /// A scope opens.
    Open,
    /// A scope closes.
    Close,
}

type See<'s> = &'s mut dyn FnMut(Event<'_>);

/// The names of a function: parameters first, since extents may speak of any.
pub(crate) fn visit_function(f: &mut Function, see: See<'_>) {
    see(Event::Open);
    f.sizes.iter_mut().for_each(|n| see(Event::Size(n)));
    f.params.iter_mut().for_each(|p| see(Event::Bind(&mut p.name)));
    f.params.iter_mut().for_each(|p| visit_type(&mut p.ty, see));
    visit_type(&mut f.result, see);
    f.conditions.iter_mut().for_each(|c| visit_expr(c, see));
    if let Some(body) = &mut f.body {
        visit_body(body, see);
    }
    if let Some(outer) = &mut f.outer {
        see(Event::Path(&outer.path));
        for (name, partial) in &mut outer.partials {
            see(Event::Label(name));
            visit_expr(partial, see);
        }
        for d in &mut outer.derivatives {
            d.names.iter_mut().for_each(|n| see(Event::Label(n)));
            see(Event::Path(&d.path));
        }
    }
    see(Event::Close);
}

/// The names of an inline block, without those in the Rust expressions that it captures.
pub(super) fn visit_inline(inline: &mut Inline, see: See<'_>) {
    see(Event::Open);
    inline.captures.iter_mut().for_each(|c| see(Event::Bind(&mut c.name)));
    inline.captures.iter_mut().for_each(|c| visit_type(&mut c.ty, see));
    visit_body(&mut inline.body, see);
    see(Event::Close);
}

fn visit_type(t: &mut Type, see: See<'_>) {
    match &mut t.kind {
        TypeKind::Real(_) | TypeKind::Size => {}
        TypeKind::Array(element, extents) => {
            extents.iter_mut().for_each(|e| visit_expr(e, &mut |e| see(as_extent(e))));
            visit_type(element, see);
        }
        TypeKind::Tuple(parts) => parts.iter_mut().for_each(|p| visit_type(p, see)),
    }
}

fn as_extent(e: Event<'_>) -> Event<'_> {
    match e {
        Event::Use(n) => Event::Extent(n),
        e @ (Event::Size(_) | Event::Bind(_) | Event::Extent(_) | Event::Label(_) | Event::Function(_)) => e,
        e @ (Event::Path(_) | Event::Open | Event::Close) => e,
    }
}

fn visit_pattern(p: &mut Pattern, see: See<'_>) {
    match p {
        Pattern::Name(n) => see(Event::Bind(n)),
        Pattern::Tuple(parts, _) => parts.iter_mut().for_each(|p| visit_pattern(p, see)),
    }
}

fn visit_body(b: &mut Body, see: See<'_>) {
    see(Event::Open);
    for l in &mut b.lets {
        l.ty.iter_mut().for_each(|t| visit_type(t, see));
        match &mut l.value.kind {
            ExprKind::Recurrence(r) if matches!(r.form, Form::Rec) => {
                visit_recurrence(r, Some(&l.pattern), see);
            }
            _ => visit_expr(&mut l.value, see),
        }
        visit_pattern(&mut l.pattern, see);
    }
    visit_expr(&mut b.value, see);
    see(Event::Close);
}

fn visit_binders(l: &mut Loop, see: See<'_>) {
    for b in &mut l.binders {
        if let Some(r) = &mut b.range {
            visit_expr(&mut r.lower, see);
            visit_expr(&mut r.upper, see);
        }
        see(Event::Bind(&mut b.index));
    }
}

fn visit_loop(l: &mut Loop, see: See<'_>) {
    see(Event::Open);
    visit_binders(l, see);
    if let Some(p) = &mut l.guard {
        visit_expr(p, see);
    }
    visit_body(&mut l.body, see);
    see(Event::Close);
}

/// A recurrence: what a state begins with does not know the index; the names of what a `rec` gives are known in its steps, and its indices hide
/// them there.
fn visit_recurrence(r: &mut Recurrence, named: Option<&Pattern>, see: See<'_>) {
    match &mut r.form {
        Form::Rec | Form::Prod => {}
        Form::Fold(_, from) | Form::Scan(_, from) => visit_expr(from, see),
        Form::Reduce(o) | Form::ScanWith(o) => {
            let Operator { left, right, value, unit } = &mut **o;
            visit_expr(unit, see);
            see(Event::Open);
            visit_pattern(left, see);
            visit_pattern(right, see);
            visit_body(value, see);
            see(Event::Close);
        }
    }
    see(Event::Open);
    let mut indices: Vec<Ident> = r.steps.binders.iter().map(|b| b.index.clone()).collect();
    visit_binders(&mut r.steps, see);
    match &mut r.form {
        Form::Rec => {
            named.cloned().iter_mut().for_each(|p| visit_pattern(p, see));
            indices.iter_mut().for_each(|n| see(Event::Bind(n)));
        }
        Form::Fold(state, _) | Form::Scan(state, _) => visit_pattern(state, see),
        Form::Prod | Form::Reduce(_) | Form::ScanWith(_) => {}
    }
    if let Some(p) = &mut r.steps.guard {
        visit_expr(p, see);
    }
    visit_body(&mut r.steps.body, see);
    see(Event::Close);
}

fn visit_all(es: &mut [Expr], see: See<'_>) {
    es.iter_mut().for_each(|e| visit_expr(e, see));
}

fn visit_expr(e: &mut Expr, see: See<'_>) {
    match &mut e.kind {
        ExprKind::Number { .. } => {}
        ExprKind::Name(n) => see(Event::Use(n)),
        ExprKind::Path(p) => see(Event::Path(p)),
        ExprKind::Tuple(es) | ExprKind::Bracket(es) => visit_all(es, see),
        ExprKind::Repeat(a, es) => {
            visit_expr(a, see);
            visit_all(es, see);
        }
        ExprKind::Field(a, _) | ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Cast(a, _) => {
            visit_expr(a, see)
        }
        ExprKind::Access(a, at) => {
            visit_expr(a, see);
            for i in at {
                match i {
                    IndexArg::At(e) => visit_expr(e, see),
                    IndexArg::All(_) => {}
                }
            }
        }
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            visit_expr(a, see);
            visit_expr(b, see);
        }
        ExprKind::Compare(a, rest) => {
            visit_expr(a, see);
            rest.iter_mut().for_each(|(_, b)| visit_expr(b, see));
        }
        ExprKind::Call(f, args) => {
            see(Event::Function(f));
            visit_all(args, see);
        }
        ExprKind::Method(a, f, args) => {
            visit_expr(a, see);
            see(Event::Function(f));
            visit_all(args, see);
        }
        ExprKind::Gen(l) | ExprKind::Reduce(_, l) | ExprKind::Exists(l) => visit_loop(l, see),
        ExprKind::Recurrence(r) => visit_recurrence(r, None, see),
        ExprKind::If(p, a, b) => {
            visit_expr(p, see);
            visit_body(a, see);
            visit_body(b, see);
        }
        ExprKind::Block(b) => visit_body(b, see),
    }
}
