//! How the time, the memory and the output of the macro grow with the program.
//!
//! [`families`] has programs of size k, [`measure`] compiles one and counts; the tests ask of each family that twice the size costs about twice as
//! much, and the driver (`cargo run --release -p tensor-laws`) shows times beside.

pub mod families;
pub mod measure;
