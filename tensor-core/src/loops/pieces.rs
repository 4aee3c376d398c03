//! A long straight body as several functions, one after the other: what rustc takes for a function grows faster than the function.
//!
//! What one function computes and another asks for is kept in memory between them, a vector each: most of it would be spilled in one function, too.
//!
//! ```text
//! loads     kept[0] = a     piece0(kept)     piece1(kept)     t = kept[3]     stores
//! ```

use super::VarId;

/// The functions of a body; none where it is one with its loads and stores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pieces {
    /// What happens after the loads, in each function, and before the stores.
    pub stages: Vec<Vec<Step>>,
    /// How many vectors are kept at a time.
    pub slots: usize,
}

/// See [`Pieces`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A local has its value from a slot,
    Take(VarId, usize),
    /// or that of its declaration: which of the locals of lanes.
    Compute(usize),
    /// Its value is in a slot from here on.
    Keep(VarId, usize),
}

impl Pieces {
    /// How many functions there are beside the one that loads and stores.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.stages.len().saturating_sub(2)
    }
}
