//! What passes do, counted: laws of growth are asked of counts, which hold still where clocks do not. Without the evaluators it is nothing.

#[cfg(any(test, feature = "eval"))]
use std::cell::Cell;

/// What is counted, by thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tally {
    /// Row operations of the index solver.
    Steps,
    /// Statements that simplification has looked at, in all rounds.
    Visits,
    /// Pairs of nodes or statements that the schedule has compared.
    Pairs,
    /// Simplifications that ended before their fixpoint.
    Unfinished,
}

/// How many there are.
#[cfg(any(test, feature = "eval"))]
const ALL: usize = Tally::Unfinished as usize + 1;

#[cfg(any(test, feature = "eval"))]
thread_local! {
    static COUNTS: [Cell<u64>; ALL] = const { [const { Cell::new(0) }; ALL] };
}

/// So many more.
#[cfg(any(test, feature = "eval"))]
pub fn add(what: Tally, count: usize) {
    COUNTS.with(|all| all[what as usize].set(all[what as usize].get() + count as u64));
}

/// So many more.
#[cfg(not(any(test, feature = "eval")))]
pub fn add(_: Tally, _: usize) {}

/// How many there were, in this thread.
#[cfg(any(test, feature = "eval"))]
#[must_use]
pub fn count(what: Tally) -> u64 {
    COUNTS.with(|all| all[what as usize].get())
}
