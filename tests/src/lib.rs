//! Tests of the whole workspace: random programs against the reference evaluator, programs compiled by rustc, compile-fail cases.

pub mod generate;

/// The blocks of the manual and of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/manual.md")]
pub struct Manual;

/// See [`Manual`].
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
