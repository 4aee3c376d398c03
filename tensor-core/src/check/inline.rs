//! Inline blocks: a function whose parameters are found in its body.
use crate::error::Errors;
use crate::{ast, typed};

/// Checks an inline block.
pub fn check_inline(_inline: &ast::Inline, _errors: &mut Errors) -> Option<typed::Inline> {
    None
}
