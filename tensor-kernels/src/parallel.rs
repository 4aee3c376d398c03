//! Loops cut into tasks, which run on the threads of rayon's pool. What expansions call: it may change in any release.
//!
//! A range is halved until there are as many tasks as its work asks for; each has a part of every array that the loop writes.
//!
//! Invariant: where a range is cut depends on sizes alone, and results are joined in the order of the ranges: the same bits come out with any
//! number of threads, and without the feature `rayon`, where the tasks run one after the other.

use crate::lines::{LINE, lines};
use crate::math::Real;
use alloc::vec::Vec;
use core::ops::{AddAssign, Range};

/// The least work of a task. The unit is an addition of numbers that lie in a cache, by itself: so it is about 200 µs.
const TASK: f64 = 1_048_576.0;
/// The same for each element of an array of sums, which a task has to clear and to add.
const SUM: f64 = 200.0;
/// The most tasks of a loop.
const MOST: isize = 256;

/// How many iterations a range has.
#[inline]
#[must_use]
pub fn count(first: isize, end: isize) -> f64 {
    (end as f64 - first as f64).max(0.0)
}

/// How many tasks are worth their price, a power of two: for so much work, so many elements of arrays of sums, and so many pieces that the
/// range can be cut into.
#[inline]
#[must_use]
pub fn tasks(work: f64, sums: usize, pieces: isize) -> isize {
    let least = TASK + SUM * sums as f64;
    if work < 2.0 * least {
        return 1;
    }
    // A conversion to integers saturates.
    let most = ((work / least) as isize).min(pieces).min(MOST);
    if most < 2 { 1 } else { 1 << most.ilog2() }
}

/// What a task has of the arrays that a loop writes.
pub trait Parts: Send + Sized {
    /// Keeps what belongs to the iterations before `at`; the rest.
    #[must_use]
    fn split(&mut self, at: isize) -> Self;
    /// Takes in what the task for the iterations after those of this one has got.
    fn join(&mut self, right: Self);
}

impl Parts for () {
    fn split(&mut self, _: isize) {}
    fn join(&mut self, (): Self) {}
}

impl<A: Parts, B: Parts> Parts for (A, B) {
    fn split(&mut self, at: isize) -> Self {
        (self.0.split(at), self.1.split(at))
    }

    fn join(&mut self, right: Self) {
        self.0.join(right.0);
        self.1.join(right.1);
    }
}

/// Rows of an array, of which iteration `i` uses those from `by * i + from` to `by * (i + 1) + from`.
#[derive(Debug)]
pub struct Rows<'a, T> {
    slice: &'a mut [T],
    /// Where the slice begins in the array.
    first: isize,
    by: isize,
    from: isize,
    /// The length of a row.
    row: isize,
}

impl<'a, T> Rows<'a, T> {
    /// The whole array.
    #[must_use]
    pub fn new(slice: &'a mut [T], by: isize, from: isize, row: isize) -> Rows<'a, T> {
        Rows { slice, first: 0, by, from, row }
    }

    /// The rows that there are, and where they begin in the array.
    pub fn elements(&mut self) -> (&mut [T], isize) {
        (self.slice, self.first)
    }
}

impl<T: Send> Parts for Rows<'_, T> {
    fn split(&mut self, at: isize) -> Self {
        let row = self.by.saturating_mul(at).saturating_add(self.from);
        let cut = row.saturating_mul(self.row).saturating_sub(self.first).max(0) as usize;
        let all = core::mem::take(&mut self.slice);
        let cut = cut.min(all.len());
        let (left, right) = all.split_at_mut(cut);
        self.slice = left;
        Rows { slice: right, first: self.first + cut as isize, ..*self }
    }

    fn join(&mut self, _: Self) {}
}

/// The array itself for the first task, one of the same length for others; made, and cleared, by the thread that uses it.
#[derive(Debug)]
enum Buffer<'a, T> {
    Given(&'a mut [T]),
    New { length: usize, own: Vec<T> },
}

impl<T: Real> Buffer<'_, T> {
    fn elements(&mut self) -> &mut [T] {
        match self {
            Buffer::Given(slice) => slice,
            Buffer::New { length, own } => {
                if own.is_empty() {
                    *own = alloc::vec![T::ZERO; *length + LINE];
                }
                lines(own, *length).0
            }
        }
    }

    fn other(&self) -> Self {
        let length = match self {
            Buffer::Given(slice) => slice.len(),
            Buffer::New { length, .. } => *length,
        };
        Buffer::New { length, own: Vec::new() }
    }
}

/// An array that a loop only adds to.
#[derive(Debug)]
pub struct Sums<'a, T>(Buffer<'a, T>);

impl<'a, T: Real> Sums<'a, T> {
    /// The array, with what it holds before the loop.
    #[must_use]
    pub fn new(slice: &'a mut [T]) -> Sums<'a, T> {
        Sums(Buffer::Given(slice))
    }

    /// What a task adds to.
    pub fn elements(&mut self) -> &mut [T] {
        self.0.elements()
    }
}

impl<T: Real + AddAssign> Parts for Sums<'_, T> {
    fn split(&mut self, _: isize) -> Self {
        Sums(self.0.other())
    }

    fn join(&mut self, mut right: Self) {
        for (sum, &share) in self.elements().iter_mut().zip(&*right.elements()) {
            *sum += share;
        }
    }
}

/// An array that each iteration writes before it reads it, and nothing reads afterwards.
#[derive(Debug)]
pub struct Scratch<'a, T>(Buffer<'a, T>);

impl<'a, T: Real> Scratch<'a, T> {
    /// The array of the first task.
    #[must_use]
    pub fn new(slice: &'a mut [T]) -> Scratch<'a, T> {
        Scratch(Buffer::Given(slice))
    }

    /// What a task works in.
    pub fn elements(&mut self) -> &mut [T] {
        self.0.elements()
    }
}

impl<T: Real> Parts for Scratch<'_, T> {
    fn split(&mut self, _: isize) -> Self {
        Scratch(self.0.other())
    }

    fn join(&mut self, _: Self) {}
}

/// `body(first, end, parts)` for each of so many tasks of the range (256 at most), and what all of them return, joined; each but the last has a
/// multiple of `unit` iterations.
///
/// # Panics
/// There is more than one task, and `unit` is zero.
pub fn run<P: Parts, T: Send>(
    range: Range<isize>,
    unit: isize,
    tasks: isize,
    parts: &mut P,
    body: impl Fn(isize, isize, &mut P) -> T + Sync,
    join: impl Fn(T, T) -> T + Sync,
) -> T {
    halves(range, unit, tasks.min(MOST), parts, &body, &join)
}

fn halves<P: Parts, T: Send>(
    range: Range<isize>,
    unit: isize,
    tasks: isize,
    parts: &mut P,
    body: &(impl Fn(isize, isize, &mut P) -> T + Sync),
    join: &(impl Fn(T, T) -> T + Sync),
) -> T {
    let Range { start, end } = range;
    if tasks < 2 {
        return body(start, end, parts);
    }
    // A range may have more iterations than an `isize` says, and the middle of it is one again.
    let length = if start < end { end.wrapping_sub(start) as usize } else { 0 };
    let unit_length = unit as usize;
    let half = (length / 2 + unit_length / 2) / unit_length * unit_length;
    let middle = start.wrapping_add(half as isize);
    let mut rest = parts.split(middle);
    let (left, right) = both(
        || halves(start..middle, unit, tasks / 2, parts, body, join),
        || halves(middle..end, unit, tasks / 2, &mut rest, body, join),
    );
    parts.join(rest);
    join(left, right)
}

/// Both, one after the other.
#[cfg(not(feature = "rayon"))]
fn both<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Both, perhaps at once.
#[cfg(feature = "rayon")]
fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    // With one thread, to hand them to it would only take time.
    if rayon::current_num_threads() < 2 { (a(), b()) } else { rayon::join(a, b) }
}
