//! Statements that contain no other. What one mentions, how its forms and places are replaced, and what it does in lanes stand here; walks ask here.

#[cfg(test)]
mod tests;

use super::visit::How;
use super::{Call, Expr, Place, Product, Symmetrize, VarId};
use crate::index::Affine;
use crate::ssa::{Extreme, Index};

/// A statement that contains no other.
#[derive(Clone, PartialEq, Debug)]
pub enum Leaf {
    /// `let index = value;` for the rest of the block.
    LetIndex {
        /// Bound here.
        index: Index,
        /// What it is.
        value: Affine,
    },
    /// Declares a local real. Zero that terms are added to is `Number(0.0)`.
    Declare {
        /// A local.
        var: VarId,
        /// Its first value.
        value: Expr,
    },
    /// Declares a local index.
    DeclareIndex {
        /// A local.
        var: VarId,
        /// Its first value.
        value: Affine,
    },
    /// `target = value`
    Assign {
        /// A real.
        target: Place,
        /// What.
        value: Expr,
    },
    /// `target += value`; in lanes, but under a mask, an element of memory gets the terms of a sum one after the other: `x += a b + c d` is `x = (x + a b) + c d`, in fused operations.
    Accumulate {
        /// A real.
        target: Place,
        /// What.
        value: Expr,
    },
    /// `target = max(target, value)`, or the minimum; NaN is ignored.
    Extreme {
        /// Which.
        op: Extreme,
        /// A real.
        target: Place,
        /// What.
        value: Expr,
    },
    /// `if at < first || value > best || best.is_nan() && !value.is_nan() { best = value; at = index }`
    ArgExtreme {
        /// Which: `<` for the minimum.
        op: Extreme,
        /// A local real.
        best: VarId,
        /// A local index; less than `first` while nothing was seen.
        at: VarId,
        /// See `at`.
        first: Affine,
        /// The candidate.
        value: Expr,
        /// Its index.
        index: Affine,
    },
    /// `target = max(value, least)`
    AssignIndex {
        /// An index.
        target: Place,
        /// What.
        value: Affine,
        /// Not less than this.
        least: Affine,
    },
    /// See [`Product`].
    Product(Box<Product>),
    /// See [`Symmetrize`].
    Symmetrize(Box<Symmetrize>),
    /// See [`Call`].
    Call(Box<Call>),
    /// Every element becomes this number.
    Fill {
        /// Reals; not a local.
        var: VarId,
        /// What.
        value: f64,
    },
}

/// One thing that a leaf is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'a> {
    /// A form that decides what is done: a count, a `let`, an index that is stored.
    Form(&'a Affine),
    /// An index that it binds: a `let` for the rest of the block, others for the operands that follow.
    Bound(Index),
    /// A number.
    Value(&'a Expr),
    /// An element of an array, or a local.
    Place(&'a Place, How),
    /// A local that is declared.
    Declared(VarId),
    /// All elements of a variable, overwritten.
    Filled(VarId),
}

/// What a leaf does in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InLanes<'a> {
    /// `let index = value`, the same in all.
    Let(Index, &'a Affine),
    /// Declares a local.
    Declare(VarId, &'a Expr),
    /// Overwrites a place.
    Assign(&'a Place, &'a Expr),
    /// Adds to a place (none), or compares it.
    Combine(Option<Extreme>, &'a Place, &'a Expr),
    /// Overwrites all elements.
    Fill(VarId, f64),
}

impl Leaf {
    /// What it is made of, in order: an index is bound before it is used.
    pub(crate) fn visit(&self, f: &mut dyn FnMut(Operand<'_>)) {
        match self {
            Leaf::LetIndex { index, value } => {
                f(Operand::Form(value));
                f(Operand::Bound(*index));
            }
            Leaf::Declare { var, value } => {
                f(Operand::Value(value));
                f(Operand::Declared(*var));
            }
            Leaf::DeclareIndex { var, value } => {
                f(Operand::Form(value));
                f(Operand::Declared(*var));
            }
            Leaf::Assign { target, value } => {
                f(Operand::Value(value));
                f(Operand::Place(target, How::Assign));
            }
            Leaf::Accumulate { target, value } | Leaf::Extreme { target, value, .. } => {
                f(Operand::Value(value));
                f(Operand::Place(target, How::Combine));
            }
            Leaf::ArgExtreme { op: _, best, at, first, value, index } => {
                f(Operand::Value(value));
                [first, index].into_iter().for_each(|a| f(Operand::Form(a)));
                for var in [*best, *at] {
                    f(Operand::Place(&Place { var, at: vec![] }, How::Combine));
                }
            }
            Leaf::AssignIndex { target, value, least } => {
                [value, least].into_iter().for_each(|a| f(Operand::Form(a)));
                f(Operand::Place(target, How::Assign));
            }
            Leaf::Product(p) => p.visit(f),
            Leaf::Symmetrize(m) => {
                [&m.stride, &m.rows, &m.block].into_iter().for_each(|a| f(Operand::Form(a)));
                [How::Read, How::Assign].into_iter().for_each(|how| f(Operand::Place(&m.c, how)));
            }
            Leaf::Call(c) => c.visit(f),
            Leaf::Fill { var, value: _ } => f(Operand::Filled(*var)),
        }
    }

    /// With each affine form replaced by `form`, then each place by `place`, and each variable that stands without indices by `var`: one that is declared, filled,
    /// searched in, or room. The indices that it binds stay.
    pub(crate) fn map(
        self,
        form: &mut dyn FnMut(&Affine) -> Affine,
        place: &mut dyn FnMut(Place) -> Place,
        var: &mut dyn FnMut(VarId) -> VarId,
    ) -> Leaf {
        match self {
            Leaf::LetIndex { index, value } => Leaf::LetIndex { index, value: form(&value) },
            Leaf::Declare { var: v, value } => Leaf::Declare { var: var(v), value: value.map(form, place) },
            Leaf::DeclareIndex { var: v, value } => Leaf::DeclareIndex { var: var(v), value: form(&value) },
            Leaf::Assign { target, value } => {
                Leaf::Assign { target: place(target.map(form)), value: value.map(form, place) }
            }
            Leaf::Accumulate { target, value } => {
                Leaf::Accumulate { target: place(target.map(form)), value: value.map(form, place) }
            }
            Leaf::Extreme { op, target, value } => {
                Leaf::Extreme { op, target: place(target.map(form)), value: value.map(form, place) }
            }
            Leaf::ArgExtreme { op, best, at, first, value, index } => {
                let (best, at, value) = (var(best), var(at), value.map(form, place));
                Leaf::ArgExtreme { op, best, at, first: form(&first), value, index: form(&index) }
            }
            Leaf::AssignIndex { target, value, least } => {
                let target = place(target.map(form));
                Leaf::AssignIndex { target, value: form(&value), least: form(&least) }
            }
            Leaf::Product(p) => Leaf::Product(Box::new(p.map(form, place, var))),
            Leaf::Symmetrize(m) => Leaf::Symmetrize(Box::new(m.map(form, place))),
            Leaf::Call(c) => Leaf::Call(Box::new(c.map(form, place))),
            Leaf::Fill { var: v, value } => Leaf::Fill { var: var(v), value },
        }
    }

    /// What it does in each lane; `None` of what has no form in lanes: of indices, of whole matrices, a call of a function over tensors.
    pub(crate) fn in_lanes(&self) -> Option<InLanes<'_>> {
        match self {
            Leaf::LetIndex { index, value } => Some(InLanes::Let(*index, value)),
            Leaf::Declare { var, value } => Some(InLanes::Declare(*var, value)),
            Leaf::Assign { target, value } => Some(InLanes::Assign(target, value)),
            Leaf::Accumulate { target, value } => Some(InLanes::Combine(None, target, value)),
            Leaf::Extreme { op, target, value } => Some(InLanes::Combine(Some(*op), target, value)),
            Leaf::Fill { var, value } => Some(InLanes::Fill(*var, *value)),
            Leaf::DeclareIndex { .. }
            | Leaf::ArgExtreme { .. }
            | Leaf::AssignIndex { .. }
            | Leaf::Product(_)
            | Leaf::Symmetrize(_)
            | Leaf::Call(_) => None,
        }
    }

    /// The one number that it stores, adds or compares.
    pub(crate) fn value(&self) -> Option<&Expr> {
        match self {
            Leaf::Declare { value, .. }
            | Leaf::Assign { value, .. }
            | Leaf::Accumulate { value, .. }
            | Leaf::Extreme { value, .. }
            | Leaf::ArgExtreme { value, .. } => Some(value),
            Leaf::LetIndex { .. }
            | Leaf::DeclareIndex { .. }
            | Leaf::AssignIndex { .. }
            | Leaf::Product(_)
            | Leaf::Symmetrize(_)
            | Leaf::Call(_)
            | Leaf::Fill { .. } => None,
        }
    }

    /// Likewise, to be replaced.
    pub(crate) fn value_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Leaf::Declare { value, .. }
            | Leaf::Assign { value, .. }
            | Leaf::Accumulate { value, .. }
            | Leaf::Extreme { value, .. }
            | Leaf::ArgExtreme { value, .. } => Some(value),
            Leaf::LetIndex { .. }
            | Leaf::DeclareIndex { .. }
            | Leaf::AssignIndex { .. }
            | Leaf::Product(_)
            | Leaf::Symmetrize(_)
            | Leaf::Call(_)
            | Leaf::Fill { .. } => None,
        }
    }

    /// Whether it runs loops of its own.
    pub(crate) fn is_kernel(&self) -> bool {
        match self {
            Leaf::Product(_) | Leaf::Symmetrize(_) | Leaf::Call(_) => true,
            Leaf::LetIndex { .. }
            | Leaf::Declare { .. }
            | Leaf::DeclareIndex { .. }
            | Leaf::Assign { .. }
            | Leaf::Accumulate { .. }
            | Leaf::Extreme { .. }
            | Leaf::ArgExtreme { .. }
            | Leaf::AssignIndex { .. }
            | Leaf::Fill { .. } => false,
        }
    }

    /// Whether it brings a name into scope, and does nothing else.
    pub(crate) fn is_let(&self) -> bool {
        let mut writes = false;
        self.visit(&mut |o| {
            writes |= match o {
                Operand::Place(_, how) => how != How::Read,
                Operand::Filled(_) => true,
                Operand::Form(_) | Operand::Bound(_) | Operand::Value(_) | Operand::Declared(_) => false,
            }
        });
        !writes
    }
}

#[cfg(any(test, feature = "eval"))]
impl Leaf {
    /// Whether it keeps what its kind promises, whatever stands around it.
    ///
    /// # Errors
    /// What it does not.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Leaf::Product(p) => p.check(),
            Leaf::Symmetrize(m) => m.check(),
            Leaf::Call(c) => c.check(),
            Leaf::LetIndex { .. }
            | Leaf::Declare { .. }
            | Leaf::DeclareIndex { .. }
            | Leaf::Assign { .. }
            | Leaf::Accumulate { .. }
            | Leaf::Extreme { .. }
            | Leaf::ArgExtreme { .. }
            | Leaf::AssignIndex { .. }
            | Leaf::Fill { .. } => Ok(()),
        }
    }

    /// The index variable that it writes, and where.
    pub(crate) fn assigned_index(&self) -> Option<(VarId, &[Affine])> {
        match self {
            Leaf::DeclareIndex { var, .. } | Leaf::ArgExtreme { at: var, .. } => Some((*var, &[])),
            Leaf::AssignIndex { target, .. } => Some((target.var, &target.at)),
            Leaf::LetIndex { .. }
            | Leaf::Declare { .. }
            | Leaf::Assign { .. }
            | Leaf::Accumulate { .. }
            | Leaf::Extreme { .. }
            | Leaf::Product(_)
            | Leaf::Symmetrize(_)
            | Leaf::Call(_)
            | Leaf::Fill { .. } => None,
        }
    }
}
