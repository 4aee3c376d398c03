//! Typed programs to Tensor SSA.
//!
//! The four passes of *Differentiating a Tensor Language* (Figures 7 to 12) at once, by evaluation: an expression that stands in a
//! scope (the indices around it, and the path of conditions on which it is evaluated) denotes a [`Value`], a tuple of arrays of sums of
//! terms, and what takes work becomes a statement as it is met.
//!
//! * `value`: pairs and gens are eliminated where they meet projections and accesses (Figures 8 and 9).
//! * `define`: a let leaves its scope as a statement over the indices that it depends on (Figure 7).
//! * `scope`: the path that the statement keeps.
//! * `scalar`, `reduce`, `condition`, `call`: the rules for each construct (Figures 11 and 12).
//! * `rewrite`: substitution.
//!
//! Invariant: no expression is translated twice in one scope, and no sum of terms is used twice: what is, is first bound.
//! Invariant: a statement keeps the path of its expression, so it costs what the expression does, or less.

mod call;
mod condition;
mod define;
mod reduce;
mod rewrite;
mod scalar;
mod scope;
#[cfg(test)]
mod tests;
mod value;

use crate::index::{Affine, Atom};
use crate::ssa::{self, Access, ArrayId, Index, Rhs};
use crate::typed::{self, SizeOrigin, Type, Var};
use call::View;
use scope::{Bound, Scope};
use std::collections::{BTreeMap, BTreeSet};
use value::{Value, as_access};

/// The normal form of the body of `f`; `callees[k]` is that of `typed::Block::functions[k]`, where it has been made.
#[must_use]
pub fn normalize(
    _f: &typed::Function,
    _body: &typed::Expr,
    _callees: &[Option<ssa::Function>],
) -> ssa::Function {
    todo!()
}
