//! Tokens to surface syntax: recursive descent, every mistake reported at its token.
//!
//! Invariant: no token stream makes the parser panic; nesting and the height of the tree are bounded.
//! Invariant: what is returned has no placeholder for something that was wrong: a body with a mistake is `None`, a signature
//!   with a mistake is `broken`, an inline block with a mistake is absent.

mod body;
mod cursor;
mod expr;
mod inline;
mod item;
mod mistake;
mod number;
mod operand;
mod outer;
mod recurrence;
#[cfg(test)]
mod tests;
mod transform;
mod types;

use crate::ast;
use crate::error::Errors;
use cursor::Parser;
pub(crate) use cursor::is_keyword;
use proc_macro2::TokenStream;

/// What a `tensor!` holds.
#[derive(Clone, Debug)]
pub enum Input {
    /// Items.
    Block(ast::Block),
    /// An expression, with or without typed captures.
    Inline(ast::Inline),
}

/// Parses the content of a `tensor!`. Items that cannot be parsed are reported and skipped; a function whose body alone is wrong
/// keeps its signature.
pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Option<Input> {
    let mut parser = Parser::new(tokens, errors);
    if parser.at_end() || parser.at_item() {
        return Some(Input::Block(parser.items()));
    }
    parser.inline().map(Input::Inline)
}
