//! Inline blocks: a function without a name, whose parameters are the Rust variables that its body mentions.
//!
//! The lengths of an untyped capture are sizes of their own at first. Where the body takes one to be equal to something else (an index
//! that walks two captures, or a written range), it is that, and the body is checked again: each time with one size less.

mod free;

use super::context::{Binding, Cx, Flexible, Signatures};
use super::signature::{elem_of_all, solve};
use crate::ast::{self, TypeKind};
use crate::error::Errors;
use crate::index::{Affine, Atom};
use crate::typed::{self, Param, SizeOrigin, Type};
use free::{Capture, Use};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A length of an untyped capture, by name: a form of other sizes, by name.
struct Found {
    name: String,
    terms: Vec<(String, i64)>,
    constant: i64,
}

/// Checks an inline block.
pub fn check_inline(inline: &ast::Inline, errors: &mut Errors) -> Option<typed::Inline> {
    let before = errors.0.len();
    let free = free::captures(inline, errors);
    if errors.0.len() > before {
        return None;
    }
    let signatures = Signatures { functions: vec![], by_name: Default::default() };
    let mut found = vec![];
    loop {
        let mut own = Errors::default();
        let elem = elem_of_all(inline.captures.iter().map(|c| &c.ty));
        let mut cx = Cx::new(&signatures, elem, &mut own);
        cx.flexible = Some(Flexible::default());
        let function = function(&mut cx, inline, &free, &found);
        let next = cx.flexible.take().and_then(|f| f.found.into_iter().next());
        if let Some((size, form)) = next {
            let name = |k: u32| cx.sizes.get(k as usize).map(|s| s.name.clone()).unwrap_or_default();
            let terms = form.terms.iter().filter_map(|(a, c)| match a {
                Atom::Size(k) => Some((name(*k), *c)),
                Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
            });
            found.push(Found { name: name(size), terms: terms.collect(), constant: form.constant });
            continue;
        }
        let function = function.map(|f| finish(f, cx));
        errors.0.append(&mut own.0);
        let function = function.filter(|_| errors.0.len() == before)?;
        return Some(typed::Inline { function, arguments: arguments(inline, &free), source: inline.clone() });
    }
}

/// What the check of the body gives, before its tables are moved in.
struct Parts {
    name: Ident,
    params: Vec<Param>,
    value: typed::Expr,
    checks: Vec<typed::EntryCheck>,
    solution: crate::index::project::Sizes,
}

fn function(cx: &mut Cx, inline: &ast::Inline, free: &[Capture], found: &[Found]) -> Option<Parts> {
    typed_sizes(cx, inline);
    for (k, c) in free.iter().enumerate().filter(|c| c.1.usage == Use::Size) {
        let size = cx.new_size(&c.name, SizeOrigin::Parameter(inline.captures.len() + k));
        cx.bind(&c.name, Binding::Index(size));
    }
    let mut params = vec![];
    for c in &inline.captures {
        let (ty, var) = match c.ty.kind {
            TypeKind::Size => (Type::Size, None),
            TypeKind::Real(_) | TypeKind::Array(..) | TypeKind::Tuple(_) => {
                (cx.ty(&c.ty)?, Some(cx.new_var(&c.name)))
            }
        };
        params.push(Param { name: c.name.clone(), ty, var });
    }
    new_lengths(cx, free, found);
    for c in free {
        params.push(untyped(cx, c, found)?);
    }
    for p in &params {
        if let Some(var) = p.var {
            cx.bind(&p.name, Binding::Value(var, p.ty.clone()));
        }
    }
    let mut checks = vec![];
    let mut types: Vec<Type> = params.iter().map(|p| p.ty.clone()).collect();
    cx.check_extents(&types, &mut checks);
    cx.constant_sizes(super::constants::of_body(&inline.body));
    let value = cx.body(&inline.body)?;
    types.push(value.ty.clone());
    cx.check_extents(&types, &mut checks);
    let solution = solve(&cx.sizes, &params)?;
    cx.report_free(&solution, &params);
    let name = Ident::new("inline", inline.body.span.start);
    Some(Parts { name, params, value, checks, solution })
}

fn finish(parts: Parts, cx: Cx) -> typed::Function {
    let mut f = typed::Function {
        attrs: TokenStream::new(),
        threads: false,
        vis: TokenStream::new(),
        name: parts.name,
        sizes: vec![],
        params: parts.params,
        result: parts.value.ty.clone(),
        is_inner: false,
        linearization: None,
        elem: cx.elem,
        solution: parts.solution,
        checks: parts.checks,
        body: None,
        indices: vec![],
        variables: vec![],
        recomputed: Default::default(),
        comparisons: vec![],
        elements: vec![],
        written: vec![],
    };
    super::fill(&mut f, cx, Some(parts.value));
    f
}

/// The sizes of typed captures: `usize` ones, and the free names of their extents.
fn typed_sizes(cx: &mut Cx, inline: &ast::Inline) {
    for (k, c) in inline.captures.iter().enumerate() {
        if inline.captures[..k].iter().any(|other| other.name == c.name) {
            cx.errors.push(c.name.span(), format!("there are two captures `{}`", c.name));
        } else if matches!(c.ty.kind, TypeKind::Size) {
            let size = cx.new_size(&c.name, SizeOrigin::Parameter(k));
            cx.bind(&c.name, Binding::Index(size));
        }
    }
    for n in free::extent_names(inline) {
        if cx.lookup(&n.to_string()).is_none() {
            let size = cx.new_size(&n, SizeOrigin::Shape(n.span().into()));
            cx.bind(&n, Binding::Index(size));
        }
    }
}

/// Sizes for the lengths that nothing is known of.
fn new_lengths(cx: &mut Cx, free: &[Capture], found: &[Found]) {
    for c in free {
        for name in &c.lengths {
            if found.iter().all(|f| f.name != *name) {
                cx.new_size(name, SizeOrigin::Shape(c.name.span().into()));
                let k = super::context::number(cx.sizes.len() - 1);
                if let Some(flexible) = &mut cx.flexible {
                    flexible.sizes.push(k);
                }
            }
        }
    }
}

fn untyped(cx: &mut Cx, c: &Capture, found: &[Found]) -> Option<Param> {
    let name = c.name.clone();
    let ty = match c.usage {
        Use::Size => return Some(Param { name, ty: Type::Size, var: None }),
        Use::Scalar => Type::Real,
        Use::Rank(_) => {
            let extents = c.lengths.iter().map(|l| length(cx, l, found)).collect::<Option<_>>()?;
            Type::Array(extents, Box::new(Type::Real))
        }
    };
    let var = Some(cx.new_var(&c.name));
    Some(Param { name, ty, var })
}

/// The form of a size by its name.
fn length(cx: &mut Cx, name: &str, found: &[Found]) -> Option<Affine> {
    let Some(f) = found.iter().find(|f| f.name == name) else {
        return match cx.sizes.iter().position(|s| s.name == name) {
            Some(k) => Some(Atom::Size(super::context::number(k)).into()),
            None => Some(cx.constant_size(name.parse().ok()?)),
        };
    };
    f.terms
        .iter()
        .try_fold(Affine::from(f.constant), |sum, (other, c)| sum.plus_scaled(*c, &length(cx, other, found)?))
}

/// What the parameters borrow.
fn arguments(inline: &ast::Inline, free: &[Capture]) -> Vec<TokenStream> {
    let written = |name: &Ident| -> Ident {
        let other = inline.written.iter().find(|(now, _)| now == name);
        other.map_or_else(|| name.clone(), |(_, was)| was.clone())
    };
    let typed = inline.captures.iter().map(|c| {
        // Of a variable of the same letters, which a macro may have written, it is the one that the value names.
        let value = c.value.clone();
        let by_name = written(&c.name) == value.to_string();
        if by_name && matches!(c.ty.kind, TypeKind::Array(..)) { quote!(&#value) } else { value }
    });
    let untyped = free.iter().map(|c| {
        let name = written(&c.name);
        match c.usage {
            Use::Rank(_) => quote!(&#name),
            Use::Scalar | Use::Size => quote!(#name),
        }
    });
    typed.chain(untyped).collect()
}
