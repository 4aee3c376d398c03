//! Statements without others inside.

use super::declare::Let;
use super::expr::Tokens;
use super::rows::Rows;
use super::{better, call, product};
use crate::loops::{Expr, Leaf, Place};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// One of them, by itself.
pub(super) fn leaf(t: &Tokens<'_>, leaf: &Leaf, rows: &Rows) -> TokenStream {
    match leaf {
        Leaf::LetIndex { index, value } => {
            let (i, value) = (t.index(*index), t.affine(value));
            quote!(let #i: isize = #value;)
        }
        Leaf::Declare { .. } | Leaf::DeclareIndex { .. } => declared(t, leaf, rows).into_token_stream(),
        Leaf::Assign { target, value } => {
            let (place, tokens) = (t.place(target, rows), t.expr(value, rows));
            // Clippy asks for `+=`, and the like, where a value is computed from what it replaces.
            if is_operation_on(target, value) {
                quote!({ let __value = #tokens; #place = __value; })
            } else {
                quote!(#place = #tokens;)
            }
        }
        Leaf::Accumulate { target, value } => {
            let (target, value) = (t.place(target, rows), t.expr(value, rows));
            quote!(#target += #value;)
        }
        Leaf::Extreme { op, target, value } => {
            let (target, value, op) = (t.place(target, rows), t.expr(value, rows), better(*op));
            let elem = t.elem();
            quote!({ let __candidate: #elem = #value; if __candidate #op #target { #target = __candidate; } })
        }
        Leaf::ArgExtreme { op, best, at, first, value, index } => {
            let (best, at, op, elem) = (t.var(*best), t.var(*at), better(*op), t.elem());
            let (first, value, index) = (t.affine(first), t.expr(value, rows), t.affine(index));
            quote!({
                let __candidate: #elem = #value;
                if #at < #first || __candidate #op #best || (#elem::is_nan(#best) && !#elem::is_nan(__candidate)) {
                    #best = __candidate;
                    #at = #index;
                }
            })
        }
        Leaf::AssignIndex { target, value, least } => {
            let (target, value, least) = (t.place(target, rows), t.affine(value), t.affine(least));
            quote!(#target = ::core::cmp::Ord::max(#value, #least);)
        }
        Leaf::Product(p) => product::product(t, p),
        Leaf::Symmetrize(m) => product::symmetrize(t, m),
        Leaf::Call(c) => call::call(t, c, rows),
        Leaf::Fill { var, value } => {
            let (v, value) = (t.var(*var), t.number(*value));
            quote!(<[_]>::fill(&mut #v[..], #value);)
        }
    }
}

/// What is declared.
pub(super) fn declared(t: &Tokens<'_>, leaf: &Leaf, rows: &Rows) -> Option<Let> {
    let (var, ty, value) = match leaf {
        Leaf::Declare { var, value } => (var, t.elem(), t.expr(value, rows)),
        Leaf::DeclareIndex { var, value } => (var, quote!(isize), t.affine(value)),
        _ => return None,
    };
    Some(Let { name: t.var(*var), is_mut: true, ty: Some(ty), value })
}

/// Whether `value` is an operation on `target` itself.
fn is_operation_on(target: &Place, value: &Expr) -> bool {
    let is_target = |e: &Expr| matches!(e, Expr::Read(place) if place == target);
    match value {
        Expr::Add(a, b) | Expr::Mul(a, b) => is_target(a) || is_target(b),
        Expr::Call(_, args) => args.iter().any(is_target),
        Expr::Number(_)
        | Expr::Constant(_)
        | Expr::OfIndex(_)
        | Expr::Read(_)
        | Expr::Neg(_)
        | Expr::If(..) => false,
    }
}
