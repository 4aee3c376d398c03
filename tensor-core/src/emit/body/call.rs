//! Calls of Rust functions over tensors.

use super::expr::Tokens;
use super::rows::Rows;
use crate::emit::runtime::{RT, written};
use crate::index::Affine;
use crate::loops::{Argument, Call, Place, Whole};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// `path(views, views to write)`: a tensor is a view of `ndarray`, a number is by value, or a `&mut` to write.
pub(super) fn call(t: &Tokens<'_>, c: &Call, rows: &Rows) -> TokenStream {
    let path = written(&c.path);
    let args = c.args.iter().map(|a| match a {
        Argument::Number(e) => t.expr(e, rows),
        Argument::Tensor(w) => view(t, w, false),
    });
    let outs = c.outs.iter().map(|w| match w.own.as_slice() {
        [] => {
            let place = t.place(&w.place, rows);
            quote!(&mut #place)
        }
        _ => view(t, w, true),
    });
    quote!(#path(#(#args,)* #(#outs),*);)
}

/// `view2(&x[..], offset, [rows, columns])`
fn view(t: &Tokens<'_>, w: &Whole, writes: bool) -> TokenStream {
    let before = w.place.at.len() - w.own.len();
    let zeros = w.own.iter().map(|_| Affine::from(0));
    let at = w.place.at[..before].iter().cloned().chain(zeros).collect();
    let offset = t.offset(&Place { var: w.place.var, at });
    let shape = w.own.iter().map(|(_, count)| t.affine(count));
    let v = t.var(w.place.var);
    let slice = if writes { quote!(&mut #v[..]) } else { quote!(&#v[..]) };
    let name = if writes { format_ident!("view_mut") } else { format_ident!("view") };
    quote!(#RT::__private::#name(#slice, #offset as usize, [#((#shape) as usize),*]))
}
