//! Tests: vectors, and every question against enumeration.

mod fuzz;
mod parse;
mod unions;
mod vectors;
