//! A matrix within a slice: checked once, then read by row and column.
#![allow(unsafe_code)]

/// Offsets, sizes and strides below this lead to no place that overflows.
const FAR: usize = 1 << 14;

/// `m` rows and `n` columns of a slice: the element of row `i` and column `j` is `slice[offset + i * rows + j * cols]`.
#[derive(Clone, Copy)]
pub(crate) struct Grid<'a, T> {
    /// From the first element on. Invariant: all of its rows and columns are in the slice.
    slice: &'a [T],
    m: usize,
    n: usize,
    rows: usize,
    cols: usize,
}

impl<'a, T: Copy> Grid<'a, T> {
    /// None if an element is out of range, or there is none, or strides or sizes are large.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn new(
        slice: &'a [T],
        offset: usize,
        (m, n): (usize, usize),
        (rows, cols): (usize, usize),
    ) -> Option<Self> {
        let fits = Self::fits(slice.len(), offset, (m, n), (rows, cols));
        fits.then(|| Some(Grid { slice: slice.get(offset..)?, m, n, rows, cols }))?
    }

    /// Whether there is such a matrix in a slice of length `len`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn fits(len: usize, offset: usize, (m, n): (usize, usize), (rows, cols): (usize, usize)) -> bool {
        let fits = (m | n | rows | cols) < FAR && m > 0 && n > 0;
        fits && offset < len && (m - 1) * rows + (n - 1) * cols < len - offset
    }

    /// One element.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn at(&self, i: usize, j: usize) -> T {
        assert!(i < self.m && j < self.n, "an element of the matrix");
        // SAFETY: the last row and column are in the slice, and no other place is greater than theirs.
        unsafe { *self.slice.get_unchecked(i * self.rows + j * self.cols) }
    }

    /// `count` elements of a row from column `j` on, if columns are next to each other.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn row(&self, i: usize, j: usize, count: usize) -> &'a [T] {
        assert!(i < self.m && j <= self.n && count <= self.n - j && self.cols == 1, "a part of a row");
        let first = i * self.rows + j;
        // SAFETY: as above, for the last of them; of none, the first place is at most one behind the last element.
        unsafe { self.slice.get_unchecked(first..first + count) }
    }
}
