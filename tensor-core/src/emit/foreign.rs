//! Rust functions over tensors: what Rust is to check of them.

use super::body::elem_type;
use crate::emit::runtime::RT;
use crate::typed::Foreign;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// `const _: fn(ArrayView2<'_, f64>, ArrayViewMut1<'_, f64>) = path;`: a function of another type is an error at its path.
#[must_use]
pub fn foreign(f: &Foreign) -> TokenStream {
    let (path, elem) = (&f.path, elem_type(f.elem));
    let elem = quote!(::core::primitive::#elem);
    let view = |rank: usize, name: &str| {
        let name = format_ident!("{name}{rank}");
        quote!(#RT::ndarray::#name<'_, #elem>)
    };
    let args = f.args.iter().map(|rank| if *rank == 0 { elem.clone() } else { view(*rank, "ArrayView") });
    let results = f
        .results
        .iter()
        .map(|rank| if *rank == 0 { quote!(&mut #elem) } else { view(*rank, "ArrayViewMut") });
    quote!(const _: fn(#(#args,)* #(#results),*) = #path;)
}
