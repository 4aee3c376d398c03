//! The programs that are measured, each a `tensor!` block in a file of its own.

pub mod diagonal;
pub mod gmm;
pub mod maps;
pub mod matrices;
pub mod models;
pub mod stencils;
pub mod tiny;
pub mod vectors;
