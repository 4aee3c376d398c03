//! Documentation of what is generated: the signature in the language, the program, the cost, the errors.

use super::Docs;
use super::signature::{Leaf, Signature, plain};
use crate::ast::Elem;
use crate::index::Names;
use crate::typed::{Definition, Function, SizeOrigin, Transform, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Of `f`. Where its author wrote nothing, the first line says what it is.
pub(super) fn of_function(f: &Function, s: &Signature, docs: &Docs) -> TokenStream {
    let summary = if is_documented(&f.attrs) { String::new() } else { format!("{}\n\n", summary(f)) };
    let text = format!("{summary}{}{}", program(f, s, docs), errors(s, false));
    quote!(#[doc = #text])
}

/// Of `f_into`.
pub(super) fn of_into(f: &Function, s: &Signature, docs: &Docs) -> TokenStream {
    let name = plain(&f.name);
    let summary = if is_documented(&f.attrs) { String::new() } else { format!("{}\n\n", summary(f)) };
    let outputs: Vec<String> = s.tensors().map(|l| format!("`{}`", l.name)).collect();
    let writes = if outputs.is_empty() {
        String::new()
    } else {
        format!(" to {}, which {} overwritten,", join(&outputs), be(&outputs))
    };
    let scalars = if s.results.iter().all(Leaf::is_tensor) { "" } else { " Scalars are returned." };
    let text = format!(
        "{summary}Like `{name}`, but writes{writes} and works in `{}`: nothing is allocated once that has grown to size.{scalars}\n\n{}{}",
        s.work(),
        program(f, s, docs),
        errors(s, true),
    );
    let text = if outputs.is_empty() { text.replace("but writes and works", "but works") } else { text };
    quote!(#[doc = #text])
}

fn be(all: &[String]) -> &'static str {
    if all.len() == 1 { "is" } else { "are" }
}

/// `a`, `b` and `c`
fn join(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Whether there is a doc comment among the attributes.
fn is_documented(attrs: &TokenStream) -> bool {
    attrs.to_string().replace(' ', "").contains("[doc=")
}

fn summary(f: &Function) -> String {
    match &f.body {
        Some(Definition::Transform { transform, .. }) => match transform {
            Transform::Grad => "A gradient, derived by `tensor!`.",
            Transform::ValueAndGrad => "A value and its gradient, derived by `tensor!`.",
            Transform::Jvp => "A value and its derivative along a direction, derived by `tensor!`.",
            Transform::Vjp => {
                "A value, and cotangents of the arguments for one of the result, derived by `tensor!`."
            }
        },
        Some(Definition::Expr(_)) | None => "A function of a `tensor!` block.",
    }
    .to_string()
}

/// Signature, program and cost, as blocks of text, so that nothing in them is markup.
fn program(f: &Function, s: &Signature, docs: &Docs) -> String {
    let mut out = format!("```text\n{}\n```\n\n", signature(f, &s.names()));
    if !docs.formula.is_empty() {
        out += &format!("It computes\n\n```text\n{}\n```\n\n", docs.formula.trim_end());
    }
    if !docs.cost.is_empty() {
        out += &format!("Cost: `{}`\n\n", docs.cost);
    }
    out
}

fn errors(s: &Signature, into: bool) -> String {
    let outputs = if into && s.tensors().next().is_some() { ", those of the outputs included" } else { "" };
    format!(
        "# Errors\n\nIf the shapes of the arguments do not fit together{outputs}, or a condition on the sizes does not hold. \
         Everything is checked before anything is written."
    )
}

/// `fn f<n>(x: [f64; n]) -> f64 where 2*m <= n`
fn signature(f: &Function, names: &Names) -> String {
    let sizes = f.sizes.iter().filter(|s| matches!(s.origin, SizeOrigin::Shape(_))).map(|s| s.name.as_str());
    let sizes = sizes.collect::<Vec<_>>().join(", ");
    let sizes = if sizes.is_empty() { sizes } else { format!("<{sizes}>") };
    let params = f.params.iter().map(|p| format!("{}: {}", plain(&p.name), ty(&p.ty, f.elem, names)));
    let params = params.collect::<Vec<_>>().join(", ");
    let checks = f.checks.iter().map(|c| c.text.trim_start_matches("where ")).collect::<Vec<_>>().join(", ");
    let checks = if checks.is_empty() { checks } else { format!("\nwhere {checks}") };
    format!("fn {}{sizes}({params}) -> {}{checks}", plain(&f.name), ty(&f.result, f.elem, names))
}

/// A type as the language writes it.
fn ty(t: &Type, elem: Elem, names: &Names) -> String {
    match t {
        Type::Real => match elem {
            Elem::F64 => "f64".to_string(),
            Elem::F32 => "f32".to_string(),
        },
        Type::Size => "usize".to_string(),
        Type::Array(extents, element) => {
            let extents: Vec<_> = extents.iter().map(|e| names.affine(e)).collect();
            format!("[{}; {}]", ty(element, elem, names), extents.join(", "))
        }
        Type::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(|p| ty(p, elem, names)).collect();
            format!("({}{})", parts.join(", "), if parts.len() == 1 { "," } else { "" })
        }
    }
}
