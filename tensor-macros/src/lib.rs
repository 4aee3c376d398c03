//! The `tensor!` macro. Users reach it as `tensor_rt::tensor`.

use proc_macro::TokenStream;

/// Compiles a block of the `tensor!` language to safe Rust functions, or an expression of it over the variables around it to a value.
///
/// ```text
/// tensor! {
///     /// A matrix times a vector.
///     pub fn product<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] { for i { sum j { a[i, j] * x[j] } } }
///     /// Its value, and cotangents of `a` and `x` for one of the result.
///     pub fn product_vjp = vjp(product);
/// }
/// let y = tensor!(for i { sum j { a[i, j] * x[j] } })?;
/// ```
///
/// A mistake is a compile error at its token. Every function gives two, `f` and `f_into`; both have documentation.
#[proc_macro]
pub fn tensor(input: TokenStream) -> TokenStream {
    tensor_core::compile(input.into()).into()
}
