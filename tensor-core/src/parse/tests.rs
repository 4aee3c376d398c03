//! Programs and their trees; mistakes and their messages; mutations that must not panic.

mod fuzz;
mod mistakes;
mod print;
mod trees;

use super::parse;
use crate::error::Errors;
use proc_macro2::TokenStream;

/// The tree of a source, or the messages with line and column.
fn show(source: &str) -> String {
    let tokens: TokenStream = source.parse().expect("a token stream");
    let mut errors = Errors::default();
    let input = parse(tokens, &mut errors);
    let mut lines: Vec<String> = errors.0.iter().map(message).collect();
    lines.extend(input.iter().map(print::input).filter(|text| !text.is_empty()));
    lines.join("\n")
}

fn message(e: &crate::error::Error) -> String {
    let at = e.span.start.start();
    format!("{}:{}: {}", at.line, at.column + 1, e.message)
}
