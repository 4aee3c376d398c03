//! Why one loop is outside of the others of its statements.

use crate::sorted::Map;
use crate::ssa::Index;

/// What the order of loops gains over the best other one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outside {
    /// These arrays, by `VarId`, need less storage, or none.
    Stores(Vec<u32>),
    /// Several statements use what is read of these parameters, likewise.
    Reads(Vec<u32>),
    /// Inside, more arrays are walked along their rows.
    Rows,
    /// More statements share the loop.
    Shares(usize),
    /// The loops inside cannot be outside: an `argmax` runs innermost, products and calls keep their own.
    Only,
    /// Another order is as good.
    First,
}

/// The reasons of a program, by loop.
pub type Reasons = Map<Index, Outside>;
