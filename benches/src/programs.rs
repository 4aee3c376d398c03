//! The programs that are measured, each a `tensor!` block in a file of its own.

pub mod bundle;
pub mod diagonal;
pub mod gmm;
pub mod hessians;
pub mod maps;
pub mod matrices;
pub mod models;
pub mod recurrences;
pub mod space;
pub mod stencils;
pub mod tiny;
pub mod vectors;
