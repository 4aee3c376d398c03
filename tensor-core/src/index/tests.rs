//! Tests: vectors, and every question against enumeration.

mod fuzz;
mod parse;
mod vectors;

pub(crate) use parse::{affine, pred};
