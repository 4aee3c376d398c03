//! Tokens to surface syntax.

use crate::ast;
use crate::error::Errors;
use proc_macro2::TokenStream;

/// What a `tensor!` holds.
#[derive(Clone, Debug)]
pub enum Input {
    /// Items.
    Block(ast::Block),
    /// An expression, with or without typed captures.
    Inline(ast::Inline),
}

/// Parses the content of a `tensor!`. Items that cannot be parsed are reported and skipped; a function whose body alone is wrong keeps its signature.
pub fn parse(_tokens: TokenStream, _errors: &mut Errors) -> Option<Input> {
    todo!()
}
