//! Index algebra: affine forms, predicates, and exact integer reasoning about them.
//!
//! Whoever asks gets a certain answer or "I do not know": `true` of [`query::entails`] and [`query::is_empty`] is proved,
//! a [`query::Found::Some`] model is checked. What is unknown is answered so that the caller stays right: a condition that
//! may follow is kept, a set that may be empty is not dropped.

pub mod affine;
pub mod cond;
pub mod explain;
pub mod names;
pub mod omega;
pub mod pred;
pub mod project;
pub mod query;

pub use affine::{Affine, Atom};
pub use names::Names;
pub use pred::{Cond, Pred};

#[cfg(test)]
mod tests;
