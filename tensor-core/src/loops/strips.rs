//! How vectorized loops, and those around and inside them, run and sum: what `schedule::strips` decides.

use super::{Expr, Leaf, Place, Stmt, VarId};
use crate::sorted::{Map, Set};
use crate::ssa::Extreme;

/// Locals that vectorized loops add to (none), or compare something with.
pub type Totals = Map<VarId, Option<Extreme>>;

/// What a total begins with.
pub(crate) fn start(op: Option<Extreme>) -> f64 {
    match op {
        None => 0.0,
        Some(Extreme::Max) => f64::NEG_INFINITY,
        Some(Extreme::Min) => f64::INFINITY,
    }
}

/// In what vectors a vectorized loop runs, and their remainder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Strips {
    /// How many registers at a time.
    pub width: Width,
    /// Whether they are also taken in pairs: what is shared between them is loaded once.
    pub pairs: bool,
    /// Whether one vector at a time follows the widest also where the remainder may be several vectors at once.
    pub single: bool,
    /// Whether less than half a vector is left to scalars.
    pub scalars: bool,
    /// Whether the body is a function of its own, or the loop itself where the body is one anyway: what LLVM takes for a function grows faster than
    /// the function does.
    pub apart: bool,
    /// The statements of the body that run eight at once, in their order.
    pub eights: Vec<Eight>,
}

/// Eight statements in a row of the body of a vectorized loop: each reads a local from, or stores one to, a place one element further along one dimension
/// than the one before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Eight {
    /// Where they begin in the body.
    pub at: usize,
    /// Along which dimension the places are next to each other.
    pub dimension: usize,
    /// What is next to each other in memory.
    pub across: Across,
}

/// See [`Eight`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Across {
    /// The eight that each lane reads: they go through registers, across.
    Read,
    /// The eight that each lane stores, likewise.
    Stored,
    /// The lanes of each that is stored: eight vectors, with one check.
    Along,
}

impl Eight {
    /// How many.
    pub const COUNT: usize = 8;

    /// The local that one of them reads from a place (or stores there), the place, and whether it reads.
    #[must_use]
    pub fn moved(s: &Stmt) -> Option<(VarId, &Place, bool)> {
        match s {
            Stmt::Leaf(Leaf::Declare { var, value: Expr::Read(from) }) => Some((*var, from, true)),
            Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(from) }) if from.at.is_empty() => {
                Some((from.var, target, false))
            }
            _ => None,
        }
    }
}

/// See [`Strips`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Width {
    /// Several as long as those fit, then one.
    #[default]
    Wide,
    /// One, and all of its vectors as the last, which has less lanes: the loop takes little of the time of the program, and would be most of its code.
    One,
    /// Two registers, or one, as long as those fit, then as one vector: the body is long, so that more at a time would only be more code.
    Long {
        /// Whether it is two.
        pairs: bool,
    },
    /// What fits into a register, and nothing else: eight of more would be more registers than there are.
    Part,
}

/// How a loop in sequence, inside one in lanes, sums.
#[derive(Clone, PartialEq, Debug)]
pub enum Sums {
    /// Partial sums of every fourth term of these locals, so that an addition need not wait for the one before; the remainder is added to the locals.
    Chains(Set<VarId>),
    /// What is added to these places is summed over the lanes, eight sums at a time.
    Eights(Vec<Place>),
    /// The one statement adds products of shifted vectors to a local, each vector loaded once.
    Shifted(Box<Shifted>),
}

/// A loop `for k { sum += moving * still }`, where the one moves by an element with `k` and with the lane, and the other only with `k`.
#[derive(Clone, PartialEq, Debug)]
pub struct Shifted {
    /// A local.
    pub sum: VarId,
    /// A vector for each `k`.
    pub moving: Place,
    /// Whether it moves back with `k`.
    pub back: bool,
    /// A scalar for each `k`.
    pub still: Place,
}

impl Sums {
    /// Into how many partial sums a local is taken apart.
    pub const CHAINS: usize = 4;

    /// How many iterations join their sums over the lanes: of two sums in each, those of four.
    #[must_use]
    pub fn joined(places: usize) -> usize {
        if places.is_multiple_of(2) { 4 } else { 8 }
    }
}
