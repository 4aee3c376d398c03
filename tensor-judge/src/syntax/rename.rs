//! New names.

use super::edit::{bound, children, functions, of_type};
use super::{build, print};
use std::collections::BTreeSet;
use tensor_core::ast::{Block, Body, Expr, ExprKind, Form, Function, Let, Loop, Pattern, Recurrence};

/// All words of a block: none of them is free for a new variable.
#[must_use]
pub fn words(block: &Block) -> BTreeSet<String> {
    let text = print::block(block);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_string).collect()
}

/// A name that no word is.
pub fn fresh(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = stem.trim_start_matches("r#").trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = if stem.is_empty() || stem == "_" { "w" } else { stem };
    let name = (1..).map(|k| format!("{stem}{k}")).find(|n| !taken.contains(n)).unwrap_or_default();
    taken.insert(name.clone());
    name
}

/// The same program in which each index and each `let` has a name of its own, as `name` makes it of the old one.
#[must_use]
pub fn renamed(mut block: Block, name: &mut dyn FnMut(&str) -> String) -> Block {
    for f in functions(&mut block) {
        if let Some(b) = &mut f.body {
            rename_body(b, &mut vec![], name);
        }
    }
    block
}

/// A body in which each index and each `let` has another name.
#[must_use]
pub fn renamed_body(mut b: Body, name: &mut dyn FnMut(&str) -> String) -> Body {
    rename_body(&mut b, &mut vec![], name);
    b
}

/// Old names with new ones, innermost last.
type Scope = Vec<(String, String)>;

fn rename(e: &mut Expr, scope: &mut Scope, fresh: &mut dyn FnMut(&str) -> String) {
    let depth = scope.len();
    match &mut e.kind {
        ExprKind::Name(x) => {
            if let Some((_, new)) = scope.iter().rev().find(|(old, _)| x == old) {
                *x = build::ident(new);
            }
        }
        ExprKind::Gen(l) | ExprKind::Reduce(_, l) | ExprKind::Exists(l) => {
            rename_binders(l, scope, fresh);
            if let Some(p) = &mut l.guard {
                rename(p, scope, fresh);
            }
            rename_body(&mut l.body, scope, fresh);
        }
        ExprKind::Recurrence(r) => {
            rename_recurrence(r, None, scope, fresh);
        }
        ExprKind::If(p, a, b) => {
            rename(p, scope, fresh);
            rename_body(a, scope, fresh);
            rename_body(b, scope, fresh);
        }
        ExprKind::Block(b) => rename_body(b, scope, fresh),
        ExprKind::Number { .. }
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
        | ExprKind::Method(..) => children(e, &mut |c| rename(c, scope, fresh)),
    }
    scope.truncate(depth);
}

/// A range knows the indices before it.
fn rename_binders(l: &mut Loop, scope: &mut Scope, fresh: &mut dyn FnMut(&str) -> String) {
    for b in &mut l.binders {
        if let Some(range) = &mut b.range {
            rename(&mut range.lower, scope, fresh);
            rename(&mut range.upper, scope, fresh);
        }
        bind(&mut b.index, scope, fresh);
    }
}

/// The names of what a `rec` gives are known in its steps, and hidden there by its indices.
fn rename_recurrence(
    r: &mut Recurrence,
    named: Option<&mut Pattern>,
    scope: &mut Scope,
    fresh: &mut dyn FnMut(&str) -> String,
) -> Scope {
    let depth = scope.len();
    match &mut r.form {
        Form::Rec | Form::Prod => {}
        Form::Fold(_, from) | Form::Scan(_, from) => rename(from, scope, fresh),
        Form::Reduce(o) | Form::ScanWith(o) => {
            rename(&mut o.unit, scope, fresh);
            bound(&mut o.left, &mut |x| bind(x, scope, fresh));
            bound(&mut o.right, &mut |x| bind(x, scope, fresh));
            rename_body(&mut o.value, scope, fresh);
            scope.truncate(depth);
        }
    }
    rename_binders(&mut r.steps, scope, fresh);
    let indices = scope.split_off(depth);
    if let Some(named) = named {
        bound(named, &mut |x| bind(x, scope, fresh));
    }
    let names = scope[depth..].to_vec();
    scope.extend(indices);
    if let Form::Fold(state, _) | Form::Scan(state, _) = &mut r.form {
        bound(state, &mut |x| bind(x, scope, fresh));
    }
    if let Some(p) = &mut r.steps.guard {
        rename(p, scope, fresh);
    }
    rename_body(&mut r.steps.body, scope, fresh);
    scope.truncate(depth);
    names
}

fn rename_body(b: &mut Body, scope: &mut Scope, fresh: &mut dyn FnMut(&str) -> String) {
    let depth = scope.len();
    for Let { pattern, ty, value, .. } in &mut b.lets {
        if let Some(t) = ty {
            of_type(t, &mut |e| rename(e, scope, fresh));
        }
        match &mut value.kind {
            ExprKind::Recurrence(r) if matches!(r.form, Form::Rec) => {
                let names = rename_recurrence(r, Some(pattern), scope, fresh);
                scope.extend(names);
            }
            _ => {
                rename(value, scope, fresh);
                bound(pattern, &mut |x| bind(x, scope, fresh));
            }
        }
    }
    rename(&mut b.value, scope, fresh);
    scope.truncate(depth);
}

fn bind(x: &mut proc_macro2::Ident, scope: &mut Scope, fresh: &mut dyn FnMut(&str) -> String) {
    if x == "_" {
        return;
    }
    let new = fresh(&x.to_string());
    scope.push((x.to_string(), new.clone()));
    *x = build::ident(&new);
}

/// The same function with other names for its sizes and parameters.
pub fn rename_parameters(f: &mut Function, name: &mut dyn FnMut(&str) -> String) {
    let mut scope: Scope = vec![];
    f.sizes.iter_mut().for_each(|n| bind(n, &mut scope, name));
    for p in &mut f.params {
        bind(&mut p.name, &mut scope, name);
    }
    let types = f.params.iter_mut().map(|p| &mut p.ty).chain([&mut f.result]);
    types.for_each(|t| of_type(t, &mut |e| rename(e, &mut scope, name)));
    f.conditions.iter_mut().for_each(|e| rename(e, &mut scope, name));
    if let Some(b) = &mut f.body {
        rename_body(b, &mut scope, name);
    }
}
