//! Loops to tokens: the items that a block expands to.

pub mod body;

use crate::{loops, typed};
use proc_macro2::TokenStream;

/// The items of one function: `f`, `f_into`, and what they share. Without a program (the function had errors) the bodies are
/// `unimplemented`-free stubs that never run, since the block also reports errors.
#[must_use]
pub fn function(_f: &typed::Function, _program: Option<&loops::Program>) -> TokenStream {
    todo!()
}
