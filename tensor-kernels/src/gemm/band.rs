//! Bands of matrices: a triangle is one.

use core::ops::Range;

/// Elements of a matrix about a diagonal: those of row `i` and column `j` where `least <= j - i <= most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    least: isize,
    most: isize,
}

/// More than there are rows or columns, of numbers.
const FAR: isize = isize::MAX / 4;

impl Band {
    /// All elements.
    pub const ALL: Band = Band { least: -FAR, most: FAR };

    /// The elements on a diagonal and above: `i + diagonal <= j`.
    #[must_use]
    #[inline(always)]
    pub fn from(diagonal: isize) -> Band {
        Band { least: diagonal.clamp(-FAR, FAR), most: FAR }
    }

    /// The elements on a diagonal and below: `j <= i + diagonal`.
    #[must_use]
    #[inline(always)]
    pub fn up_to(diagonal: isize) -> Band {
        Band { least: -FAR, most: diagonal.clamp(-FAR, FAR) }
    }

    /// That of the transposed matrix.
    #[inline(always)]
    pub(super) fn transposed(self) -> Band {
        Band { least: -self.most, most: -self.least }
    }

    /// That of the part of the matrix from a row and a column on.
    #[inline(always)]
    pub(super) fn part(self, row: usize, column: usize) -> Band {
        let by = row as isize - column as isize;
        Band { least: self.least + by, most: self.most + by }
    }

    /// The columns, of `n`, of which one of these rows has an element.
    #[inline(always)]
    pub(super) fn columns(self, rows: Range<usize>, n: usize) -> Range<usize> {
        let end = (rows.end as isize + self.most).clamp(0, n as isize) as usize;
        ((rows.start as isize + self.least).clamp(0, end as isize) as usize)..end
    }

    /// The columns, of `n`, of which all of these rows have an element.
    #[inline(always)]
    pub(super) fn whole_columns(self, rows: Range<usize>, n: usize) -> Range<usize> {
        let end = (rows.start as isize + self.most + 1).clamp(0, n as isize) as usize;
        ((rows.end as isize - 1 + self.least).clamp(0, end as isize) as usize)..end
    }

    /// The rows, of `m`, of which one of these columns has an element.
    #[inline(always)]
    pub(super) fn rows(self, columns: Range<usize>, m: usize) -> Range<usize> {
        self.transposed().columns(columns, m)
    }

    /// Whether it has all elements of so many rows, from the first on, in these columns.
    #[inline(always)]
    pub(super) fn has(self, rows: usize, columns: Range<usize>) -> bool {
        columns.start as isize - rows as isize + 1 >= self.least && columns.end as isize - 1 <= self.most
    }

    /// How many elements of `m` rows and `n` columns it has.
    #[cfg(feature = "rayon")]
    pub(super) fn count(self, m: usize, n: usize) -> f64 {
        if self.has(m, 0..n) {
            return m as f64 * n as f64;
        }
        (0..m).map(|i| self.columns(i..i + 1, n).len() as f64).sum()
    }
}
