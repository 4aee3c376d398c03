//! Calls of functions that the language does not define.

use super::runtime::written;
use crate::prim::Outer;
use proc_macro2::TokenStream;
use quote::quote;

/// `path(args)`, with the path as the user wrote it.
pub(super) fn call(f: &Outer, args: &[TokenStream]) -> TokenStream {
    match f {
        Outer::Rust(path) => {
            let path = written(path);
            quote!(#path(#(#args),*))
        }
        // These are gone once nothing is differentiated any more.
        Outer::Custom | Outer::Hold | Outer::Missing(..) => {
            let value = args.first();
            quote!(#value)
        }
    }
}
