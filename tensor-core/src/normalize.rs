//! Typed programs to Tensor SSA.

use crate::{ssa, typed};

/// The normal form of the body of `f`; `callees[k]` is that of `typed::Block::functions[k]`, where it has been made.
#[must_use]
pub fn normalize(
    _f: &typed::Function,
    _body: &typed::Expr,
    _callees: &[Option<ssa::Function>],
) -> ssa::Function {
    todo!()
}
