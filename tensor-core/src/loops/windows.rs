//! The windows of a straight body: of each array that it reads or writes, the elements that one vector of iterations reaches.
//!
//! ```text
//! a[i, 2], a[i, 4], a[i + 1, 0]   of rows of 5   ↦   from a[i, 2] on, columns 0, 2 and 3, a stride of 5
//! ```

use super::pieces::Pieces;
use super::{Bound, Place, Program, Test, VarId};
use crate::index::Affine;
use crate::ssa::Index;

/// Places of one array that move alike and are a literal number of elements apart: each is a column of the rows of the iterations.
#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    /// The first of its places.
    pub place: Place,
    /// How many elements its places move from one iteration to the next: at least 1.
    pub stride: i64,
    /// How many elements are from the first place of an iteration to its last, both included.
    pub span: i64,
    /// What is read, in order; also what stays in some of the lanes that are written.
    pub reads: Vec<Columns>,
    /// What is written, in order, after all that is read.
    pub writes: Vec<Columns>,
    /// Whether the body reads a copy, since another window of the array is written.
    pub is_copied: bool,
    /// Whether its rows are padded, so that the remainder needs no copies.
    pub is_padded: bool,
    /// Where these tests of indices do not hold, zeros are read: what it is about may not be there. None of what is written.
    pub tests: Vec<Test>,
}

/// Columns that are read or written at once, each as a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Columns {
    /// One, so many elements behind the first place.
    One(i64),
    /// Four next to each other, from the first on, through registers, across; and which of them nothing before has moved, and something asks for.
    Four(i64, [bool; 4]),
}

/// A place that has a copy of its own, one element for each lane.
#[derive(Clone, PartialEq, Debug)]
pub struct Far {
    /// Which.
    pub place: Place,
    /// Whether it is copied before the body.
    pub is_read: bool,
    /// Whether it is copied back.
    pub is_written: bool,
    /// As those of a window.
    pub tests: Vec<Test>,
}

/// What a straight body reaches of the arrays that it walks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reach {
    /// Elements by literal strides.
    pub windows: Vec<Window>,
    /// Places that move otherwise, or that belong to an array of which more than one window is reached and written.
    pub far: Vec<Far>,
    /// Whether the remainder is the last vector again, which overlaps the one before: nothing is updated in place, so that it writes the same once more.
    pub overlaps: bool,
    /// The functions that compute what is between, if it is long.
    pub pieces: Pieces,
}

impl Columns {
    /// How many columns are moved through registers at once.
    pub const FOUR: i64 = 4;

    /// Those that are moved for the first time.
    pub fn anew(self) -> impl Iterator<Item = i64> {
        let (first, which) = match self {
            Columns::One(c) => (c, [true, false, false, false]),
            Columns::Four(c, which) => (c, which),
        };
        (first..).zip(which).filter(|(_, is_new)| *is_new).map(|(c, _)| c)
    }
}

impl Window {
    /// How many elements behind the first place of the window another is, if it is one that moves like it.
    #[must_use]
    pub fn column(&self, p: &Program, place: &Place) -> Option<i64> {
        distance(p, &self.place, place).filter(|c| (0..self.span).contains(c))
    }
}

impl Reach {
    /// Whether something that is read is written at the same place, or between the same ends.
    pub(crate) fn updates(&self) -> bool {
        let windows = self.windows.iter().any(|w| !w.reads.is_empty() && !w.writes.is_empty());
        windows || self.far.iter().any(|f| f.is_read && f.is_written)
    }

    /// The window of a place, and its column there.
    #[must_use]
    pub fn column(&self, p: &Program, place: &Place) -> Option<(usize, i64)> {
        self.windows.iter().enumerate().find_map(|(k, w)| Some((k, w.column(p, place)?)))
    }

    /// The number of a place that has a copy of its own.
    #[must_use]
    pub fn copy(&self, place: &Place) -> Option<usize> {
        self.far.iter().position(|f| f.place == *place)
    }
}

/// Whether a place is in a padded row, which the iterations walk from its beginning on: whatever their number, whole vectors are there, and theirs alone.
pub(crate) fn is_padded(p: &Program, lane: Index, lower: &[Bound], place: &Place) -> bool {
    let ([Bound { num, den: 1 }], Some(at)) = (lower, place.at.last()) else { return false };
    p.padded.contains(&place.var) && lane.affine().minus(num).is_some_and(|i| i == *at)
}

/// Which rows of a block a place is one of: they are there together.
pub(crate) fn rows<'a>(p: &Program, place: &'a Place) -> Option<(VarId, &'a [Affine])> {
    let outer = place.at.len().checked_sub(2).filter(|_| p.padded.contains(&place.var))?;
    Some((place.var, &place.at[..outer]))
}

/// How many elements the second place is behind the first, where that is a literal.
pub(crate) fn distance(p: &Program, from: &Place, to: &Place) -> Option<i64> {
    if from.var != to.var || from.at.len() != to.at.len() {
        return None;
    }
    counted(p, from.var, from.at.len(), &|d| to.at[d].minus(&from.at[d])?.as_constant())
}

/// What so many steps in each dimension are in elements.
pub(crate) fn counted(
    p: &Program,
    v: VarId,
    rank: usize,
    steps: &dyn Fn(usize) -> Option<i64>,
) -> Option<i64> {
    let extents = &p.var(v).extents;
    (0..rank).try_fold(0_i64, |sum, d| {
        let behind: &[Affine] = if d + 1 < rank { &extents[d + 1..] } else { &[] };
        match steps(d)? {
            0 => Some(sum),
            k => behind
                .iter()
                .try_fold(k, |k, e| k.checked_mul(e.as_constant()?))
                .and_then(|k| sum.checked_add(k)),
        }
    })
}
