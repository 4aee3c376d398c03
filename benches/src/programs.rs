//! The programs that are measured, each a `tensor!` block in a file of its own.

pub mod matrices;
pub mod vectors;
