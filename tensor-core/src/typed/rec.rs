//! Recurrences: the one form that is left of `rec`, `fold`, `scan`, `prod` and `reduce`.

use super::{Binder, Expr, Type, Var};
use crate::ast::Checkpoint;
use crate::index::Pred;

/// `rec binders if guard { body }`: the tensor of `body` by the binders, zero where the guard does not hold. Its elements are computed one after
/// the other, in the order of the binders, and each may read those before it.
#[derive(Clone, Debug)]
pub struct Rec {
    /// What the tensor is called in the guard and the body. If there are several, the body is a tuple, the value a tuple of tensors, and each is
    /// one of its parts.
    pub vars: Vec<Var>,
    /// The outermost first. Their ends speak of sizes alone.
    pub binders: Vec<Binder>,
    /// Which of them run from their last value to their first.
    pub backward: Vec<bool>,
    /// Where an element is not zero.
    pub guard: Pred,
    /// An element: a scalar, a tuple, or a row.
    pub body: Expr,
    /// Which elements the reverse sweep finds stored, if that is said.
    pub checkpoint: Option<Checkpoint>,
}

impl Rec {
    /// The elements of each of its variables.
    #[must_use]
    pub fn elements(&self) -> Vec<&Type> {
        match (&self.body.ty, self.vars.as_slice()) {
            (Type::Tuple(parts), [_, _, ..]) => parts.iter().collect(),
            (ty, _) => vec![ty],
        }
    }
}
