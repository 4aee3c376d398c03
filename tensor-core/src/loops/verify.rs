//! What a program of loops promises, judged after every pass.
//!
//! ```text
//! names    each index and local is used where it is in scope
//! lanes    what stands in a vectorized loop moves evenly, and its masks ask of reals
//! straight a straight body has no loop, computes each value once, reads each place once, and writes last
//! padded   of padded rows no more is used than the iterations of their loops
//! rows     what is cut before a loop, or read there, is used by each iteration and changed by none
//! ranges   0 <= at < extent at each place, by what stands around it and before it
//! order    what is read or returned has been written: `loops::eval` judges it where it runs a program
//! ```
//!
//! Tests and tools alone ask this: no expansion waits for it.

mod known;
mod lanes;
mod links;
mod names;
mod padded;
mod pieces;
mod prove;
mod ranges;
mod reals;
mod rows;
mod searched;
mod straight;
#[cfg(test)]
mod tests;
mod windows;

pub use names::verify;
pub use prove::Prover;
pub use ranges::{Ranges, ranges};

use super::Program;
#[cfg(debug_assertions)]
use crate::ssa::Function;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time of all proofs, and since when the last program is judged, if it is.
static PROVING: Mutex<(Duration, Option<Instant>)> = Mutex::new((Duration::ZERO, None));

fn time() -> MutexGuard<'static, (Duration, Option<Instant>)> {
    PROVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long this process has looked for proofs: what was known for them is most of it, where elements of index arrays are known by each other.
#[must_use]
pub fn proving() -> Duration {
    let (before, since) = *time();
    before + since.map_or(Duration::ZERO, |start| start.elapsed())
}

/// Whether debug builds prove the ranges of some functions.
static PROOFS: AtomicBool = AtomicBool::new(true);

/// Whether a debug build proves the ranges of a function: of one in ten it does, the same ones in each run.
#[cfg(debug_assertions)]
pub(crate) fn is_chosen(f: &Function) -> bool {
    let number = f.name.bytes().fold(f.stmts.len(), |n, b| n + usize::from(b));
    PROOFS.load(Ordering::Relaxed) && number.is_multiple_of(crate::weights::verify::ONE_IN)
}

/// Debug builds prove no ranges from here on: who counts what a compilation takes does not count proofs.
pub fn without_proofs() {
    PROOFS.store(false, Ordering::Relaxed);
}

/// The names, the lanes and the rows of a program.
///
/// # Errors
/// A name that is not bound, a loop that cannot be in lanes, or a row that it has not.
pub fn names_and_lanes(program: &Program) -> Result<(), String> {
    verify(program)?;
    lanes::lanes(program)?;
    padded::padded(program)?;
    rows::rows(program)
}

/// The names, the lanes, the rows and the ranges of a program. The prover remembers: after the next pass, or in other blocks, most is asked again.
///
/// # Errors
/// A name that is not bound, a loop that cannot be in lanes, a row that it has not, or the places that are not in range. What cannot be decided is none.
pub fn judge(program: &Program, prover: &mut Prover) -> Result<Ranges, String> {
    names_and_lanes(program)?;
    let start = Instant::now();
    time().1 = Some(start);
    let found = ranges(program, prover);
    let before = time().0;
    *time() = (before + start.elapsed(), None);
    if found.outside.is_empty() { Ok(found) } else { Err(found.outside.join("\n")) }
}
