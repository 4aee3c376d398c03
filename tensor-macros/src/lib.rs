//! The `tensor!` macro. Users reach it as `tensor_rt::tensor`.

use proc_macro::TokenStream;

/// Compiles a block of the `tensor!` language to safe Rust functions.
#[proc_macro]
pub fn tensor(input: TokenStream) -> TokenStream {
    tensor_core::compile(input.into()).into()
}
