//! The procedural macro behind `tensor_rt::tensor!`, which tells it by what name to call the runtime crate.

use proc_macro::TokenStream;

/// Compiles the content of a `tensor!`, after the `$crate` of the runtime crate. Not an interface: call `tensor_rt::tensor!`.
#[proc_macro]
pub fn expand(input: TokenStream) -> TokenStream {
    tensor_core::compile(input.into()).into()
}
