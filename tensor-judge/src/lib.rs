//! Random programs of the language, and what judges the compiler by them.
//!
//! For each program: every pass preserves the value and raises no cost; `jvp` and `vjp` are transposes of each other; `jvp` agrees with
//! differences; the derivatives keep the bounds on cost of *Differentiating a Tensor Language* (Sections 5 and 6), on Tensor SSA and on the loops.

#[cfg(feature = "judge")]
pub mod check;
#[cfg(feature = "judge")]
pub mod checkpoints;
#[cfg(feature = "judge")]
pub mod compare;
#[cfg(feature = "corpus")]
pub mod corpus;
#[cfg(feature = "judge")]
pub mod deep;
#[cfg(feature = "judge")]
mod differences;
#[cfg(feature = "judge")]
mod foreign;
pub mod generate;
#[cfg(feature = "judge")]
pub mod judged;
#[cfg(feature = "judge")]
pub mod kept;
#[cfg(feature = "judge")]
pub mod layers;
pub mod limits;
#[cfg(feature = "judge")]
pub mod made;
#[cfg(feature = "judge")]
pub mod mutate;
#[cfg(feature = "judge")]
pub mod reduce;
#[cfg(feature = "judge")]
pub mod rewrite;
#[cfg(feature = "judge")]
pub mod run;
#[cfg(feature = "judge")]
pub mod second;
#[cfg(feature = "judge")]
pub mod series;
#[cfg(feature = "judge")]
pub mod stages;
#[cfg(feature = "judge")]
pub mod syntax;
