//! Surface syntax to the typed program: names, types, shapes, affinity.

use crate::error::Errors;
use crate::{ast, typed};

/// Checks a block. Functions with errors have no body, but their signature where it is sound.
pub fn check(_block: &ast::Block, _errors: &mut Errors) -> typed::Block {
    todo!()
}

/// Checks an inline block.
pub fn check_inline(_inline: &ast::Inline, _errors: &mut Errors) -> Option<typed::Inline> {
    todo!()
}
