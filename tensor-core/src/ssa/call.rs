//! Calls of Rust functions over tensors.
//!
//! `X[b, g] = [p(b)] f(Y_1[a_1(b), ..], Y_2[a_2(b), ..], …)[g]`: for each b the function gets all of the last dimensions of each argument, and gives
//! all g of the result at once. Where the function has several results, each is a statement, the `part` of an equal call.
//!
//! Invariant: an argument is read at forms in the indices b, then at indices of its own, each by itself and in order, which run over all of their
//!   dimensions. So it is one piece of memory.
//! Invariant: the guard mentions no index g, and nothing else mentions one.

use super::{Access, ArrayId, Function, Index, Stmt};
use crate::error::Site;
use crate::index::{Affine, Pred};

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Where it is evaluated.
    pub guard: Pred,
    /// What is called.
    pub target: Target,
    /// Which of its results this is.
    pub part: usize,
    /// The extents of all its results.
    pub results: Vec<Vec<Affine>>,
    /// Of what.
    pub args: Vec<Whole>,
    /// Where it is written.
    pub site: Site,
}

/// What a call is of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// One of [`Function::callees`].
    Function(usize),
    /// A derivative that was not declared, in words. It is an error if it is needed.
    Missing(String),
}

/// `array[at, ..]`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Whole {
    /// The indices of its own, which are last in the access.
    pub own: Vec<Index>,
    /// What is read.
    pub access: Access,
}

/// A Rust function over tensors.
#[derive(Clone, PartialEq, Debug)]
pub struct Callee {
    /// Its name in the block: that of its `extern fn`, or else its path.
    pub name: String,
    /// Its path in Rust.
    pub path: String,
    /// Whether it is an `extern fn`, rather than named by one.
    pub is_declared: bool,
    /// What it takes, where the arguments of a call are the leaves in order.
    pub params: Vec<Nest>,
    /// What it returns.
    pub result: Nest,
    /// Its derivatives, those first in whose arguments it is linear.
    pub rules: Vec<Rule>,
}

/// How tensors are nested in tuples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Nest {
    /// One of them.
    Leaf,
    /// A tuple.
    Tuple(Vec<Nest>),
}

impl Nest {
    /// So many side by side; one stands by itself.
    #[must_use]
    pub fn flat(count: usize) -> Nest {
        if count == 1 { Nest::Leaf } else { Nest::Tuple(vec![Nest::Leaf; count]) }
    }

    /// The texts of leaves, in order, as an expression.
    pub(super) fn text(&self, leaves: &mut dyn Iterator<Item = String>) -> String {
        match self {
            Nest::Leaf => leaves.next().unwrap_or_default(),
            Nest::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| p.text(leaves)).collect();
                let end = if parts.len() == 1 { "," } else { "" };
                format!("({}{end})", parts.join(", "))
            }
        }
    }

    /// `.1.0`, which takes the leaf of a number that counts down to it.
    pub(super) fn path(&self, leaf: &mut usize) -> Option<String> {
        match self {
            Nest::Leaf => leaf.checked_sub(1).map_or(Some(String::new()), |rest| {
                *leaf = rest;
                None
            }),
            Nest::Tuple(parts) => {
                let mut found = parts.iter().enumerate().map(|(k, p)| Some(format!(".{k}{}", p.path(leaf)?)));
                found.find_map(|p| p)
            }
        }
    }
}

/// The derivative by some of the arguments together.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// These, in order.
    pub by: Vec<usize>,
    /// Whether the function is linear in them.
    pub is_linear: bool,
    /// What gives the tangents of its results.
    pub jvp: Option<Derivative>,
    /// What gives the cotangents of the arguments that it is by.
    pub vjp: Option<Derivative>,
}

/// A function that is called for a derivative.
#[derive(Clone, PartialEq, Debug)]
pub struct Derivative {
    /// One of [`Function::callees`].
    pub function: usize,
    /// Its arguments.
    pub takes: Vec<Slot>,
}

/// What a derivative of a call is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// An argument of the call.
    Argument(usize),
    /// A result of the call.
    Result(usize),
    /// The tangent of an argument, or the cotangent of a result.
    Direction(usize),
}

impl Call {
    /// How many indices of the statement come before those of the result.
    #[must_use]
    pub fn batch(&self, gens: &[Index]) -> usize {
        gens.len().saturating_sub(self.results.get(self.part).map_or(0, Vec::len))
    }

    /// Whether the two are results of one call, given the indices of their statements.
    #[must_use]
    pub fn is_with(&self, gens: &[Index], other: &Call, others: &[Index]) -> bool {
        let (mine, its) = (&gens[..self.batch(gens)], &others[..other.batch(others)]);
        mine.len() == its.len() && {
            let to = super::rename::Substitution::renaming(its, mine);
            let same = |(a, b): (&Whole, &Whole)| {
                a.access.array == b.access.array && to.affines(b.before()).is_some_and(|at| at == a.before())
            };
            self.target == other.target
                && self.args.len() == other.args.len()
                && self.args.iter().zip(&other.args).all(same)
                && to.pred(&other.guard).is_some_and(|p| p == self.guard)
        }
    }
}

impl Whole {
    /// `array[at, ..]` of a function, with new indices of its own.
    pub fn new(f: &mut Function, array: ArrayId, mut at: Vec<Affine>) -> Whole {
        let rank = f.array(array).extents.len();
        let own: Vec<Index> = (at.len()..rank).map(|_| f.new_index("i")).collect();
        at.extend(own.iter().map(|i| i.affine()));
        Whole { own, access: Access { array, at } }
    }

    /// An access that reads all of the last dimensions at `own`, if it does.
    #[must_use]
    pub fn of(own: &[Index], access: &Access) -> Option<Whole> {
        let before = access.at.len().checked_sub(own.len())?;
        let (first, last) = access.at.split_at(before);
        let is_whole = last.iter().zip(own).all(|(a, i)| *a == i.affine())
            && first.iter().all(|a| !own.iter().any(|i| a.mentions(&i.atom())));
        is_whole.then(|| Whole { own: own.to_vec(), access: access.clone() })
    }

    /// What stands before the indices of its own.
    #[must_use]
    pub fn before(&self) -> &[Affine] {
        &self.access.at[..self.access.at.len() - self.own.len()]
    }
}

impl Stmt {
    /// The call that it is a result of.
    #[must_use]
    pub fn call(&self) -> Option<&Call> {
        match &self.rhs {
            super::Rhs::Call(c) => Some(c),
            super::Rhs::Contract(_)
            | super::Rhs::Prim { .. }
            | super::Rhs::Extreme { .. }
            | super::Rhs::ArgExtreme { .. }
            | super::Rhs::OfIndex(_)
            | super::Rhs::Constant(_) => None,
        }
    }

    /// Whether it is a member of a recurrence.
    #[must_use]
    pub fn is_member(&self) -> bool {
        self.step.is_some()
    }

    /// The indices around what it computes: of a result of a call, those that come before its own.
    #[must_use]
    pub fn around(&self) -> &[Index] {
        &self.gens[..self.call().map_or(self.gens.len(), |c| c.batch(&self.gens))]
    }
}
