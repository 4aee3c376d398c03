//! Index algebra: affine forms, predicates, and exact integer reasoning about them.
pub mod affine;
pub mod explain;
pub mod omega;
pub mod pred;
pub mod project;
pub mod query;

pub use affine::{Affine, Atom, Names};
pub use pred::{Cond, Pred};
