//! At how many sizes programs were judged to the end. Of a program that was judged nowhere nothing is known: it is not right, only left out.

use std::cell::Cell;

thread_local! {
    static SIZES: Cell<u64> = const { Cell::new(0) };
    static SLOPES: Cell<u64> = const { Cell::new(0) };
}

/// One size more.
pub(crate) fn note() {
    SIZES.with(|sizes| sizes.set(sizes.get() + 1));
}

/// How many sizes so far, in this thread.
#[must_use]
pub fn count() -> u64 {
    SIZES.with(Cell::get)
}

/// One derivative more that slopes of values agree with.
pub(crate) fn note_slope() {
    SLOPES.with(|slopes| slopes.set(slopes.get() + 1));
}

/// How many so far, in this thread.
#[must_use]
pub fn slopes() -> u64 {
    SLOPES.with(Cell::get)
}
