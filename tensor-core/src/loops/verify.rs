//! What a program of loops promises, judged after every pass.
//!
//! ```text
//! names    each index and local is used where it is in scope
//! ranges   0 <= at < extent at each place, by what stands around it and before it
//! order    what is read or returned has been written: `loops::eval` judges it where it runs a program
//! ```
//!
//! Tests and tools alone ask this: no expansion waits for it.

mod known;
mod names;
mod prove;
mod ranges;
#[cfg(test)]
mod tests;

pub use names::verify;
pub use ranges::{Ranges, ranges};

use super::Program;

/// The names and the ranges of a program.
///
/// # Errors
/// A name that is not bound, or the places that are not in range. What cannot be decided is none.
pub fn judge(program: &Program) -> Result<Ranges, String> {
    verify(program)?;
    let found = ranges(program);
    if found.outside.is_empty() { Ok(found) } else { Err(found.outside.join("\n")) }
}
