//! What a transform is by: parameters, and parts of them.

use super::super::names;
use crate::ast;
use crate::error::Errors;
use crate::names::plain;
use crate::typed::{self, Param, Type};

/// Something to differentiate by.
pub(super) struct Target {
    /// What it is called in added parameters.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its leaves among all real leaves of the parameters.
    pub leaves: Vec<usize>,
}

/// The part of a tuple, or of an array of tuples as an array: its type, and the leaves before it.
fn part(t: &Type, k: usize) -> Option<(Type, usize)> {
    match t {
        Type::Tuple(parts) => Some((parts.get(k)?.clone(), parts[..k].iter().map(Type::leaves).sum())),
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
pub(super) fn targets(t: &ast::Transform, f: &typed::Function, errors: &mut Errors) -> Option<Vec<Target>> {
    let mut starts = vec![];
    let mut next = 0;
    for p in &f.params {
        starts.push(next);
        next += p.ty.leaves();
    }
    let whole = |k: usize, p: &Param| Target {
        name: plain(&p.name),
        ty: p.ty.clone(),
        leaves: (starts[k]..starts[k] + p.ty.leaves()).collect(),
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
                format!("`{}` is a size: derivatives are with respect to real parameters", w.name)
            } else {
                format!("`{}` has no parameter `{}`{near}; its parameters: {}", t.of, w.name, all.join(", "))
            };
            errors.push(w.span, message);
            continue;
        };
        if p.ty == Type::Size {
            errors.push(
                w.span,
                format!("`{}` is a size: derivatives are with respect to real parameters", w.name),
            );
            continue;
        }
        let mut target = whole(k, p);
        if let Some(field) = w.field {
            let Some((ty, before)) = part(&p.ty, field as usize) else {
                errors.push(w.span, format!("`{}` has no field `{field}`", w.name));
                continue;
            };
            let start = starts[k] + before;
            target = Target {
                name: format!("{}_{field}", plain(&w.name)),
                leaves: (start..start + ty.leaves()).collect(),
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
