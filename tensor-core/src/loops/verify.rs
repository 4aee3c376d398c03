//! What a program of loops promises, judged after every pass.
//!
//! ```text
//! names    each index and local is used where it is in scope
//! lanes    what stands in a vectorized loop moves evenly, and its masks ask of reals
//! ranges   0 <= at < extent at each place, by what stands around it and before it
//! order    what is read or returned has been written: `loops::eval` judges it where it runs a program
//! ```
//!
//! Tests and tools alone ask this: no expansion waits for it.

mod known;
mod lanes;
mod links;
mod names;
mod prove;
mod ranges;
mod reals;
mod searched;
#[cfg(test)]
mod tests;

pub use names::verify;
pub use prove::{Prover, proving};
pub use ranges::{Ranges, ranges};

use super::Program;

/// The names, the lanes and the ranges of a program. The prover remembers: after the next pass, or in other blocks, most is asked again.
///
/// # Errors
/// A name that is not bound, a loop that cannot be in lanes, or the places that are not in range. What cannot be decided is none.
pub fn judge(program: &Program, prover: &mut Prover) -> Result<Ranges, String> {
    verify(program)?;
    lanes::lanes(program)?;
    let found = ranges(program, prover);
    if found.outside.is_empty() { Ok(found) } else { Err(found.outside.join("\n")) }
}
