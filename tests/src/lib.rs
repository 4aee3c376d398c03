//! Tests of the whole workspace: random programs against the reference evaluator, programs compiled by rustc, compile-fail cases.

mod tensor;

pub use tensor::{Element, Flatten, Tensor};

/// Calls a compiled function: the `usize` arguments, then the leaves of the others.
pub type Call = fn(&[usize], &[Tensor]) -> Result<Vec<Tensor>, tensor_rt::Error>;

/// A program that rustc compiled.
pub struct Compiled {
    /// Its name.
    pub name: &'static str,
    /// Its source.
    pub source: &'static str,
    /// Its functions, by name.
    pub calls: &'static [(&'static str, Call)],
}

/// The blocks of the manual and of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/manual.md")]
pub struct Manual;

/// See [`Manual`].
#[cfg(doctest)]
#[doc = include_str!("../../docs/transforms.md")]
pub struct Transforms;

/// See [`Manual`].
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
