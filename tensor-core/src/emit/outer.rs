//! Calls of functions that the language does not define.

use crate::prim::Outer;
use proc_macro2::TokenStream;
use quote::quote;

/// `path(args)`, with the path as the user wrote it.
pub(super) fn call(f: &Outer, args: &[TokenStream]) -> TokenStream {
    match f {
        Outer::Rust(path) => {
            let path: TokenStream = path.parse().unwrap_or_default();
            quote!(#path(#(#args),*))
        }
        // These are gone once nothing is differentiated any more.
        Outer::Custom | Outer::Hold | Outer::Missing(..) => {
            let value = args.first();
            quote!(#value)
        }
    }
}
