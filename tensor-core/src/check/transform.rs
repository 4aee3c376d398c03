//! Transforms: the signatures of derivatives.

use super::names;
use super::signature::solve;
use crate::ast;
use crate::error::Errors;
use crate::typed::{self, Param, Transform, Type, Var};
use proc_macro2::Ident;

const KNOWN: [(&str, Transform); 4] = [
    ("grad", Transform::Grad),
    ("value_and_grad", Transform::ValueAndGrad),
    ("jvp", Transform::Jvp),
    ("vjp", Transform::Vjp),
];
const LATER: [&str; 7] =
    ["hvp", "jacobian", "hessian", "sparse_jacobian", "sparse_hessian", "linearize", "transpose"];

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

/// Something to differentiate by.
struct Target {
    /// What it is called in added parameters.
    name: String,
    ty: Type,
    leaves: Vec<usize>,
}

fn count(t: &Type) -> usize {
    match t {
        Type::Real => 1,
        Type::Size => 0,
        Type::Array(_, el) => count(el),
        Type::Tuple(parts) => parts.iter().map(count).sum(),
    }
}

/// The part of a tuple, or of an array of tuples as an array: its type, and the leaves before it.
fn part(t: &Type, k: usize) -> Option<(Type, usize)> {
    match t {
        Type::Tuple(parts) => Some((parts.get(k)?.clone(), parts[..k].iter().map(count).sum())),
        Type::Array(extents, el) => {
            let (ty, before) = part(el, k)?;
            let ty = match ty {
                Type::Array(more, el) => Type::Array([extents.clone(), more].concat(), el),
                el @ (Type::Real | Type::Tuple(_) | Type::Size) => Type::Array(extents.clone(), Box::new(el)),
            };
            Some((ty, before))
        }
        Type::Real | Type::Size => None,
    }
}

/// What `wrt` names, or all real parameters.
fn targets(t: &ast::Transform, f: &typed::Function, errors: &mut Errors) -> Option<Vec<Target>> {
    let mut starts = vec![];
    let mut next = 0;
    for p in &f.params {
        starts.push(next);
        next += count(&p.ty);
    }
    let whole = |k: usize, p: &Param| Target {
        name: p.name.to_string(),
        ty: p.ty.clone(),
        leaves: (starts[k]..starts[k] + count(&p.ty)).collect(),
    };
    if t.wrt.is_empty() {
        let real = f.params.iter().enumerate().filter(|p| p.1.ty != Type::Size);
        let all: Vec<_> = real.map(|(k, p)| whole(k, p)).collect();
        if all.is_empty() {
            errors.push(t.of.span(), format!("`{}` has no real parameter to differentiate by", t.of));
            return None;
        }
        return Some(all);
    }
    let mut out: Vec<Target> = vec![];
    let before = errors.0.len();
    for w in &t.wrt {
        let Some((k, p)) = f.params.iter().enumerate().find(|p| p.1.name == w.name) else {
            let real = f.params.iter().filter(|p| p.ty != Type::Size).map(|p| p.name.to_string());
            let real: Vec<_> = real.collect();
            let near = names::suggestion(&w.name.to_string(), real.iter().map(String::as_str));
            let all: Vec<_> =
                f.params.iter().filter(|p| p.ty != Type::Size).map(|p| format!("`{}`", p.name)).collect();
            let message = if f.sizes.iter().any(|s| w.name == s.name) {
                format!("`{}` is a size: derivatives are by real parameters", w.name)
            } else {
                format!("`{}` has no parameter `{}`{near}; its parameters: {}", t.of, w.name, all.join(", "))
            };
            errors.push(w.span, message);
            continue;
        };
        if p.ty == Type::Size {
            errors.push(w.span, format!("`{}` is a size: derivatives are by real parameters", w.name));
            continue;
        }
        let mut target = whole(k, p);
        if let Some(field) = w.field {
            let Some((ty, before)) = part(&p.ty, field as usize) else {
                errors.push(w.span, format!("`{}` has no part `{field}`", w.name));
                continue;
            };
            let start = starts[k] + before;
            target = Target {
                name: format!("{}_{field}", w.name),
                leaves: (start..start + count(&ty)).collect(),
                ty,
            };
        }
        if out.iter().any(|o| o.leaves.iter().any(|l| target.leaves.contains(l))) {
            errors.push(w.span, format!("`{}` is named twice", w.name));
            continue;
        }
        out.push(target);
    }
    (errors.0.len() == before).then_some(out)
}

/// One type, or a tuple of more.
fn tuple(mut types: Vec<Type>) -> Type {
    if types.len() == 1 { types.swap_remove(0) } else { Type::Tuple(types) }
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
    f.params.push(Param { name, ty, var: Some(Var(super::context::number(f.variables.len() - 1))) });
}

/// The function that a transform of `of` defines, but for the number of `of`; and what it is by.
pub(super) fn signature(
    t: &ast::Transform,
    transform: Transform,
    of: &typed::Function,
    errors: &mut Errors,
) -> Option<(typed::Function, Vec<Vec<usize>>)> {
    let targets = targets(t, of, errors);
    if matches!(transform, Transform::Grad | Transform::ValueAndGrad) && of.result != Type::Real {
        let ty = names::ty(&of.result, of.elem, &of.names());
        errors.push(
            t.of.span(),
            format!(
                "`{}` is of functions that return a number, and `{}` returns `{ty}`: use `vjp` or `jvp`",
                t.transform, t.of
            ),
        );
        return None;
    }
    let targets = targets?;
    let bars = tuple(targets.iter().map(|t| t.ty.clone()).collect());
    let mut f = typed::Function {
        attrs: t.attrs.clone(),
        vis: t.vis.clone(),
        name: t.name.clone(),
        body: None,
        indices: vec![],
        variables: vec![],
        comparisons: vec![],
        elements: vec![],
        ..of.clone()
    };
    for p in &mut f.params {
        if p.var.is_some() {
            f.variables.push(p.name.to_string());
            p.var = Some(Var(super::context::number(f.variables.len() - 1)));
        }
    }
    match transform {
        Transform::Grad => f.result = bars,
        Transform::ValueAndGrad => f.result = Type::Tuple(vec![of.result.clone(), bars]),
        Transform::Jvp => {
            targets.iter().for_each(|x| add_param(&mut f, &format!("{}_dot", x.name), x.ty.clone(), &t.name));
            f.result = Type::Tuple(vec![of.result.clone(), of.result.clone()]);
        }
        Transform::Vjp => {
            add_param(&mut f, "y_bar", of.result.clone(), &t.name);
            f.result = Type::Tuple(vec![of.result.clone(), bars]);
        }
    }
    f.solution = solve(&f.sizes, &f.params)?;
    Some((f, targets.into_iter().map(|t| t.leaves).collect()))
}
