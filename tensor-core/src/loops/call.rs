//! Calls of functions over tensors.

use super::leaf::Operand;
use super::visit::How;
use super::{Expr, Place};
use crate::index::Affine;
use crate::ssa::Index;

/// `path(args, outs)`: a Rust function over tensors, which overwrites all of `outs`.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The function.
    pub path: String,
    /// What it reads.
    pub args: Vec<Argument>,
    /// What it writes: one for each of its results.
    pub outs: Vec<Whole>,
}

/// See [`Call::args`].
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// By value.
    Number(Expr),
    /// As a view.
    Tensor(Whole),
}

/// All elements of an array, or of its last dimensions: one piece of memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// One of the elements: its last indices are `own`, each by itself and in order.
    pub place: Place,
    /// Bound here, with how often each runs, from 0. None: a number.
    pub own: Vec<(Index, Affine)>,
}

impl Call {
    /// All places, those that are read first.
    pub fn places(&self) -> impl Iterator<Item = &Whole> {
        let tensors = self.args.iter().filter_map(|a| match a {
            Argument::Number(_) => None,
            Argument::Tensor(w) => Some(w),
        });
        tensors.chain(&self.outs)
    }

    /// See [`Leaf::visit`](super::Leaf::visit).
    pub(super) fn visit(&self, f: &mut dyn FnMut(Operand<'_>)) {
        self.places().flat_map(|w| &w.own).for_each(|(_, count)| f(Operand::Form(count)));
        self.places().flat_map(|w| &w.own).for_each(|(i, _)| f(Operand::Bound(*i)));
        for a in &self.args {
            match a {
                Argument::Number(e) => f(Operand::Value(e)),
                Argument::Tensor(w) => f(Operand::Place(&w.place, How::Read)),
            }
        }
        self.outs.iter().for_each(|w| f(Operand::Place(&w.place, How::Assign)));
    }

    /// See [`Leaf::map`](super::Leaf::map).
    pub(super) fn map(
        self,
        form: &mut dyn FnMut(&Affine) -> Affine,
        place: &mut dyn FnMut(Place) -> Place,
    ) -> Call {
        let mut args = vec![];
        for a in self.args {
            args.push(match a {
                Argument::Number(e) => Argument::Number(e.map(form, place)),
                Argument::Tensor(w) => Argument::Tensor(w.map(form, place)),
            });
        }
        let outs = self.outs.into_iter().map(|w| w.map(form, place)).collect();
        Call { path: self.path, args, outs }
    }

    /// Whether each array is in one piece.
    #[cfg(any(test, feature = "eval"))]
    pub(super) fn check(&self) -> Result<(), String> {
        let is_whole = |w: &Whole| {
            let at = &w.place.at[w.place.at.len() - w.own.len()..];
            at.iter().zip(&w.own).all(|(a, d)| *a == d.0.affine())
        };
        let all = self.places().all(is_whole);
        if all { Ok(()) } else { Err("a call of a part that is not in one piece".into()) }
    }
}

impl Whole {
    fn map(self, form: &mut dyn FnMut(&Affine) -> Affine, place: &mut dyn FnMut(Place) -> Place) -> Whole {
        let own = self.own.into_iter().map(|(i, n)| (i, form(&n))).collect();
        Whole { place: place(self.place.map(form)), own }
    }
}
