//! Documentation of what is generated: the signature in the language, the program, the cost, the errors.

use super::Docs;
use super::signature::{Leaf, Signature};
use crate::ast::Elem;
use crate::index::Names;
use crate::names::plain;
use crate::typed::{Definition, Function, SizeOrigin, Transform, Type};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Of `f`. Where its author wrote nothing, the first line says what it is.
pub(super) fn of_function(f: &Function, s: &Signature, docs: &Docs) -> TokenStream {
    let summary = if is_documented(&f.attrs) { String::new() } else { format!("{}\n\n", summary(f)) };
    let text = format!("{summary}{}{}", program(f, s, docs), errors(f, s, false));
    quote!(#[doc = #text])
}

/// Of `f_into`.
pub(super) fn of_into(f: &Function, s: &Signature) -> TokenStream {
    let summary = if is_documented(&f.attrs) { String::new() } else { format!("{}\n\n", summary(f)) };
    let outputs: Vec<String> = s.tensors().map(|l| format!("`{}`", l.name)).collect();
    let writes = if outputs.is_empty() {
        String::new()
    } else {
        format!(" to {}, which {} overwritten,", join(&outputs), be(&outputs))
    };
    let scalars = if s.results.iter().all(Leaf::is_tensor) { "" } else { " Scalars are returned." };
    let text = format!(
        "{summary}Like {}, but writes{writes} and works in `{}`: nothing is allocated once that has grown to size.{scalars}\n\n{}",
        link(&f.name),
        s.work(),
        errors(f, s, true),
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
            Transform::Hvp => "A gradient, and the product of the Hessian with a direction, derived by `tensor!`.",
            Transform::Linearize => "A value, and the derivative there as a linear map, derived by `tensor!`.",
            Transform::Jacobian => {
                "A Jacobian, the dimensions of the result first, then those of the argument, derived by `tensor!`."
            }
            Transform::Hessian => "A Hessian, derived by `tensor!`.",
            Transform::Transpose => "The transpose of a linear function, derived by `tensor!`.",
        },
        Some(Definition::Expr(_) | Definition::Foreign(_)) | None => "A function of a `tensor!` block.",
    }
    .to_string()
}

/// `` [`f`](fn@f) ``; a keyword cannot be linked to.
pub(super) fn link(name: &Ident) -> String {
    let plain = plain(name);
    if *name == plain { format!("[`{plain}`](fn@{plain})") } else { format!("`{plain}`") }
}

/// Cost, and the program under the signature that its author knows, as a block of text, so that nothing in it is markup.
fn program(f: &Function, s: &Signature, docs: &Docs) -> String {
    let signature = signature(f, &s.names());
    let Some((_, body)) = docs.formula.trim_end().split_once("{\n") else {
        return format!("```text\n{signature}\n```\n\n");
    };
    let separator = if signature.contains('\n') { "\n" } else { " " };
    let cost = match docs.cost.as_str() {
        "" => String::new(),
        "1" => ", in 1 operation".to_string(),
        cost => format!(", in at most `{cost}` operations"),
    };
    format!("It computes{cost}:\n\n```text\n{signature}{separator}{{\n{body}\n```\n\n")
}

fn errors(f: &Function, s: &Signature, into: bool) -> String {
    let has_outputs = into && s.tensors().next().is_some();
    let mut wrong = vec![];
    if s.inputs.iter().any(Leaf::is_tensor) {
        wrong.push("the shapes of the arguments do not fit together");
    }
    if has_outputs {
        wrong.push("an output does not have the shape that it must have");
    }
    if !f.checks.is_empty() {
        wrong.push("a condition on the sizes does not hold");
    }
    wrong.push("a size is beyond what can be addressed");
    let before = if has_outputs { " Everything is checked before anything is written." } else { "" };
    format!("# Errors\n\nIf {}.{before}", wrong.join(", or "))
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
