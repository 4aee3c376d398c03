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
pub use prove::Prover;
pub use ranges::{Ranges, ranges};

use super::Program;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time of all proofs, in nanoseconds.
static PROVING: AtomicU64 = AtomicU64::new(0);

/// How long this process has looked for proofs: what was known for them is most of it, where elements of index arrays are known by each other.
#[must_use]
pub fn proving() -> Duration {
    Duration::from_nanos(PROVING.load(Ordering::Relaxed))
}

/// The names, the lanes and the ranges of a program. The prover remembers: after the next pass, or in other blocks, most is asked again.
///
/// # Errors
/// A name that is not bound, a loop that cannot be in lanes, or the places that are not in range. What cannot be decided is none.
pub fn judge(program: &Program, prover: &mut Prover) -> Result<Ranges, String> {
    verify(program)?;
    lanes::lanes(program)?;
    let start = Instant::now();
    let found = ranges(program, prover);
    PROVING.fetch_add(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    if found.outside.is_empty() { Ok(found) } else { Err(found.outside.join("\n")) }
}
