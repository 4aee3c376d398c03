//! Transforms: the signatures of derivatives.

mod targets;

use super::context::number;
use super::names;
use super::signature::solve;
use crate::ast;
use crate::error::Errors;
use crate::index::{Affine, Atom};
use crate::names::{plain, spelled};
use crate::typed::{self, Param, SizeOrigin, Transform, Type, Var};
use crate::weights::check::PARAMETERS;
use proc_macro2::Ident;
use targets::{Target, targets};

const KNOWN: [(&str, Transform); 9] = [
    ("grad", Transform::Grad),
    ("value_and_grad", Transform::ValueAndGrad),
    ("jvp", Transform::Jvp),
    ("vjp", Transform::Vjp),
    ("hvp", Transform::Hvp),
    ("jacobian", Transform::Jacobian),
    ("hessian", Transform::Hessian),
    ("transpose", Transform::Transpose),
    ("linearize", Transform::Linearize),
];
const LATER: [&str; 2] = ["sparse_jacobian", "sparse_hessian"];

/// Whether this is the name of a transform.
pub(super) fn is_transform(name: &str) -> bool {
    KNOWN.iter().any(|k| k.0 == name) || LATER.contains(&name)
}

/// The transform of this name; reports it if there is none.
pub(super) fn named(name: &Ident, errors: &mut Errors) -> Option<Transform> {
    let text = name.to_string();
    if let Some((_, t)) = KNOWN.iter().find(|k| k.0 == text) {
        return Some(*t);
    }
    if LATER.contains(&text.as_str()) {
        errors.push(name.span(), format!("`{text}` is not available yet"));
    } else {
        let all: Vec<_> = KNOWN.iter().map(|k| format!("`{}`", k.0)).collect();
        let near = names::suggestion(&text, KNOWN.iter().map(|k| k.0));
        let near = if near.is_empty() { format!("; there are {}", all.join(", ")) } else { near };
        errors.push(name.span(), format!("there is no transform `{text}`{near}"));
    }
    None
}

/// One type, or a tuple of more.
fn tuple(mut types: Vec<Type>) -> Type {
    if types.len() == 1 { types.swap_remove(0) } else { Type::Tuple(types) }
}

/// `[e; outer]`
fn array_of(e: &Type, outer: &[Affine]) -> Type {
    match e {
        Type::Real | Type::Size if outer.is_empty() => e.clone(),
        Type::Real | Type::Size => Type::Array(outer.to_vec(), Box::new(e.clone())),
        Type::Array(inner, el) => Type::Array([outer, inner].concat(), el.clone()),
        Type::Tuple(parts) => Type::Tuple(parts.iter().map(|p| array_of(p, outer)).collect()),
    }
}

/// `result` with `by` in the place of each of its numbers: its own dimensions first.
fn jacobian(result: &Type, by: &Type, outer: &[Affine]) -> Type {
    match result {
        Type::Real | Type::Size => array_of(by, outer),
        Type::Array(extents, el) => jacobian(el, by, &[outer, extents].concat()),
        Type::Tuple(parts) => Type::Tuple(parts.iter().map(|p| jacobian(p, by, outer)).collect()),
    }
}

/// Adds a parameter; a name that is taken gets a number.
fn add_param(f: &mut typed::Function, name: &str, ty: Type, at: &Ident) {
    let taken = |n: &str| f.params.iter().any(|p| p.name == n) || f.sizes.iter().any(|s| s.name == n);
    let mut fresh = name.to_string();
    let mut k = 2;
    while taken(&fresh) {
        fresh = format!("{name}{k}");
        k += 1;
    }
    let name = Ident::new(&fresh, at.span());
    f.variables.push(fresh);
    f.params.push(Param { name, ty, var: Some(Var(number(f.variables.len() - 1))) });
}

fn add_dots(f: &mut typed::Function, targets: &[Target], at: &Ident) {
    targets.iter().for_each(|x| add_param(f, &format!("{}_dot", x.name), x.ty.clone(), at));
}

/// Takes parameters away; `usize` ones are found by number.
fn remove_params(f: &mut typed::Function, gone: &[Target]) {
    let is_gone: Vec<bool> = f.params.iter().map(|p| gone.iter().any(|t| plain(&p.name) == t.name)).collect();
    for s in &mut f.sizes {
        if let SizeOrigin::Parameter(k) = &mut s.origin {
            *k -= is_gone.iter().take(*k).filter(|gone| **gone).count();
        }
    }
    let mut flags = is_gone.into_iter();
    f.params.retain(|_| !flags.next().unwrap_or(false));
}

/// Sizes that no argument gives any more become parameters.
fn add_sizes(f: &mut typed::Function, at: &Ident) -> Option<()> {
    loop {
        f.solution = solve(&f.sizes, &f.params)?;
        let free = f.solution.free.iter().find_map(|a| match a {
            Atom::Size(k) => Some(*k as usize),
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
        });
        let Some(k) = free else { return Some(()) };
        let size = f.sizes.get_mut(k)?;
        size.origin = SizeOrigin::Parameter(f.params.len());
        let name = spelled(size.name.trim_start_matches("r#"), at.span());
        f.params.push(Param { name, ty: Type::Size, var: None });
    }
}

/// Reports a function that returns more than a number to a transform that needs one.
fn needs_number(
    t: &ast::Transform,
    transform: Transform,
    of: &typed::Function,
    errors: &mut Errors,
) -> Option<()> {
    let instead = match transform {
        Transform::Grad | Transform::ValueAndGrad => "`vjp` or `jvp`",
        Transform::Hvp | Transform::Hessian => "`jvp`, `vjp` or `jacobian`",
        Transform::Jvp | Transform::Vjp | Transform::Jacobian => return Some(()),
        Transform::Transpose | Transform::Linearize => return Some(()),
    };
    if of.result == Type::Real {
        return Some(());
    }
    let ty = names::ty(&of.result, of.elem, &of.names());
    errors.push(
        t.of.span(),
        format!(
            "`{}` is for functions that return a scalar, but `{}` returns `{ty}`: use {instead}",
            t.transform, t.of
        ),
    );
    None
}

/// The function of which a transform changes parameters and result.
fn copied(t: &ast::Transform, of: &typed::Function) -> typed::Function {
    let mut f = typed::Function {
        attrs: t.attrs.clone(),
        threads: t.threads,
        vis: t.vis.clone(),
        name: t.name.clone(),
        is_inner: t.is_inner,
        body: None,
        indices: vec![],
        variables: vec![],
        recomputed: Default::default(),
        comparisons: vec![],
        elements: vec![],
        ..of.clone()
    };
    for p in &mut f.params {
        if p.var.is_some() {
            f.variables.push(p.name.to_string());
            p.var = Some(Var(number(f.variables.len() - 1)));
        }
    }
    f
}

/// The methods of the derivative of `of` at a point.
fn linearization(
    t: &ast::Transform,
    of: &typed::Function,
    targets: &[Target],
    bars: Type,
) -> typed::Linearization {
    let method = |name: &str| {
        let mut f = copied(t, of);
        f.name = Ident::new(name, t.name.span());
        f.params.clear();
        f.checks.clear();
        f.attrs = Default::default();
        f
    };
    let (mut apply, mut apply_transpose) = (method("apply"), method("apply_transpose"));
    add_dots(&mut apply, targets, &t.name);
    add_param(&mut apply_transpose, "y_bar", of.result.clone(), &t.name);
    apply_transpose.result = bars;
    typed::Linearization { apply, apply_transpose }
}

/// The function that a transform of `of` defines, but for the number of `of`; and what it is by.
pub(super) fn signature(
    t: &ast::Transform,
    transform: Transform,
    of: &typed::Function,
    errors: &mut Errors,
) -> Option<(typed::Function, Vec<Vec<usize>>)> {
    if of.linearization.is_some() {
        errors.push(t.of.span(), format!("`{}` is a linearization: transform what it is of", t.of));
        return None;
    }
    let targets = targets(t, of, errors);
    needs_number(t, transform, of, errors)?;
    let targets = targets?;
    let bars = tuple(targets.iter().map(|t| t.ty.clone()).collect());
    let by = bars.clone();
    let mut f = copied(t, of);
    match transform {
        Transform::Grad => f.result = bars,
        Transform::ValueAndGrad => f.result = Type::Tuple(vec![of.result.clone(), bars]),
        Transform::Jvp => {
            add_dots(&mut f, &targets, &t.name);
            f.result = Type::Tuple(vec![of.result.clone(), of.result.clone()]);
        }
        Transform::Vjp => {
            add_param(&mut f, "y_bar", of.result.clone(), &t.name);
            f.result = Type::Tuple(vec![of.result.clone(), bars]);
        }
        Transform::Hvp => {
            add_dots(&mut f, &targets, &t.name);
            f.result = Type::Tuple(vec![bars.clone(), bars]);
        }
        Transform::Linearize => {}
        Transform::Jacobian => f.result = jacobian(&of.result, &bars, &[]),
        Transform::Hessian => f.result = jacobian(&bars, &bars, &[]),
        Transform::Transpose => {
            if let Some(w) = t.wrt.iter().find(|w| w.field.is_some()) {
                let message = format!("`transpose` takes whole parameters: `{}`", w.name);
                errors.push(w.span, message);
                return None;
            }
            remove_params(&mut f, &targets);
            add_param(&mut f, "y_bar", of.result.clone(), &t.name);
            f.result = bars;
            add_sizes(&mut f, &t.name)?;
        }
    }
    if transform == Transform::Linearize {
        f.linearization = Some(Box::new(linearization(t, of, &targets, by)));
    }
    if f.params.len() > PARAMETERS {
        let text = format!(
            "`{}` would have {} parameters, and more than {PARAMETERS} are not taken: name after the function by which ones it is differentiated",
            t.name,
            f.params.len()
        );
        errors.push(t.of.span(), text);
        return None;
    }
    f.solution = solve(&f.sizes, &f.params)?;
    Some((f, targets.into_iter().map(|t| t.leaves).collect()))
}
