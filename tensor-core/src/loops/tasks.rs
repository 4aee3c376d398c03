//! Loops that threads may share: what `schedule::tasks` decides, and the runtime crate carries out.

use super::{Bound, VarId};
use crate::index::Affine;
use crate::sorted::Map;
use crate::ssa::{Extreme, Index};

/// How a loop is cut into tasks, each a part of its range. What is computed depends on sizes and arguments, never on the number of threads.
#[derive(Clone, PartialEq, Debug)]
pub struct Tasks {
    /// How long the loop takes: sizes decide whether it is cut.
    pub time: Time,
    /// A task begins so many iterations after the first, or a multiple of that: at least 1.
    pub unit: i64,
    /// What a task has of each variable from outside.
    pub parts: Map<VarId, Part>,
}

/// What a task has of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// All of it: it is only read.
    Shared,
    /// A local that is only added to, or compared with: one of its own.
    Total(Option<Extreme>),
    /// Iteration `i` uses rows from `by * i + from` to `by * (i + 1) + from` alone.
    Rows {
        /// At least 1.
        by: i64,
        /// Free of indices that the loop binds.
        from: Affine,
        /// Whether the one index stands for all dimensions: rows are elements.
        flat: bool,
    },
    /// An array that is only added to: one of its own.
    Sums,
    /// An array that lives inside an iteration: one of its own.
    Scratch,
    /// The same, of so few elements that it is an array of the kernel.
    Local(usize),
    /// A value for each lane: the body of the vectorized loop makes it.
    Lanes,
}

/// About how many scalar operations something takes: a number, and terms that depend on sizes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Time {
    /// The same for all sizes.
    pub constant: f64,
    /// What is added to it.
    pub terms: Vec<Term>,
}

/// See [`Time`].
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// So much for each element of a space.
    Elements {
        /// For one.
        each: f64,
        /// How many there are along each dimension: free of elements.
        times: Vec<Affine>,
    },
    /// With an index that is bound there.
    Let {
        /// The index.
        index: Index,
        /// Free of elements.
        value: Affine,
        /// With it.
        inside: Time,
    },
    /// As often as there are numbers from the greatest of `lower` to the least of `upper`.
    Loop {
        /// Not empty, free of elements.
        lower: Vec<Bound>,
        /// Likewise.
        upper: Vec<Bound>,
        /// Where the time of an iteration depends on it: the middle of the range stands for all.
        middle: Option<Index>,
        /// One iteration.
        inside: Time,
    },
}
