//! Tests of the whole workspace: random programs against the reference evaluator, programs compiled by rustc, compile-fail cases.

pub mod by_hand;
pub mod foreign;
mod judge;
mod levels;
mod tensor;

pub use judge::judge;
pub use levels::levels;
pub use tensor::{Element, Flatten, Tensor, in_used};

/// An extent of random programs.
pub const THREE: usize = 3;

/// Calls a compiled function: the `usize` arguments, the leaves of the others, and the shapes of the leaves of the result.
pub type Call = fn(&[usize], &[Tensor], &[Vec<usize>]) -> Result<Vec<Tensor>, tensor_rt::Error>;

/// A program that rustc compiled.
pub struct Compiled {
    /// Its name.
    pub name: &'static str,
    /// Functions with the same results.
    pub source: &'static str,
    /// What is compiled, by the names of those functions.
    pub calls: &'static [(&'static str, Call)],
    /// Sizes at which they are called where their conditions hold; none: any that fit.
    pub sizes: &'static [&'static [i64]],
}

/// The blocks of the manual and of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/manual.md")]
pub struct Manual;

/// See [`Manual`].
#[cfg(doctest)]
#[doc = include_str!("../../docs/recurrences.md")]
pub struct Recurrences;

/// See [`Manual`].
#[cfg(doctest)]
#[doc = include_str!("../../docs/transforms.md")]
pub struct Transforms;

/// See [`Manual`].
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
