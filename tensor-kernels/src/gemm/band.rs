//! Products of which the elements on one side of a diagonal are computed.

use super::{Matrix, Product, Task};
use core::ops::Range;

/// Elements of a matrix about a diagonal: those of row `i` and column `j` where `least <= j - i <= most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    least: isize,
    most: isize,
}

/// More than there are rows or columns, of numbers.
const FAR: isize = isize::MAX / 4;

/// Rows and columns of a block on the diagonal.
const BLOCK: usize = 32;

impl Band {
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

    /// Those of some columns in which it has an element of a row.
    fn columns(self, i: usize, cols: &Range<usize>) -> Range<usize> {
        let end = |j: isize| j.clamp(cols.start as isize, cols.end as isize) as usize;
        let (start, end) = (end(i as isize + self.least), end(i as isize + self.most + 1));
        start..end.max(start)
    }

    fn has(self, i: usize, j: usize) -> bool {
        (self.least..=self.most).contains(&(j as isize - i as isize))
    }

    /// Whether it has all elements of these rows and columns, of which there are some.
    fn has_all(self, rows: &Range<usize>, cols: &Range<usize>) -> bool {
        self.has(rows.end - 1, cols.start) && self.has(rows.start, cols.end - 1)
    }

    /// Whether it has none.
    fn has_none(self, rows: &Range<usize>, cols: &Range<usize>) -> bool {
        let (least, most) =
            (cols.start as isize - rows.end as isize + 1, cols.end as isize - 1 - rows.start as isize);
        most < self.least || self.most < least
    }
}

/// [`gemm`](super::gemm) for the elements of C that a band has: the others stay as they are. For a large triangle it takes about half as long.
///
/// # Panics
/// As for the whole matmul, wherever the elements are.
#[allow(clippy::too_many_arguments)]
pub fn gemm_band<T: Product>(
    band: Band,
    sizes: (usize, usize, usize),
    a: &[T],
    a_at: Matrix,
    b: &[T],
    b_at: Matrix,
    c: &mut [T],
    c_at: Matrix,
    accumulate: bool,
    scale: T,
    work: &mut [T],
) {
    let (m, n, k) = sizes;
    let whole = Task { m, n, k, a: a_at, b: b_at, c: c_at, accumulate, scale, tasks: false };
    run(band, whole, a, b, c, work);
}

/// See [`gemm_band`].
pub(super) fn run<T: Product>(band: Band, whole: Task<T>, a: &[T], b: &[T], c: &mut [T], work: &mut [T]) {
    let Task { m, n, k, .. } = whole;
    if m == 0 || n == 0 {
        return;
    }
    whole.c.check(m, n, c.len());
    if k > 0 {
        whole.a.check(m, k, a.len());
        whole.b.check(k, n, b.len());
    }
    Halves { band, whole, a, b }.part(0..m, 0..n, c, work);
}

/// A product, in parts.
struct Halves<'a, T> {
    band: Band,
    whole: Task<T>,
    a: &'a [T],
    b: &'a [T],
}

impl<T: Product> Halves<'_, T> {
    /// These rows and columns: at once, or halves of them.
    fn part(&self, rows: Range<usize>, cols: Range<usize>, c: &mut [T], work: &mut [T]) {
        if rows.is_empty() || cols.is_empty() || self.band.has_none(&rows, &cols) {
            return;
        }
        if self.band.has_all(&rows, &cols) {
            T::gemm(&self.task(&rows, &cols), self.a, self.b, c, work);
        } else if rows.len() <= BLOCK && cols.len() <= BLOCK {
            self.block(rows, cols, c, work);
        } else if rows.len() >= cols.len() {
            let middle = middle(&rows);
            self.part(rows.start..middle, cols.clone(), c, work);
            self.part(middle..rows.end, cols, c, work);
        } else {
            let middle = middle(&cols);
            self.part(rows.clone(), cols.start..middle, c, work);
            self.part(rows, middle..cols.end, c, work);
        }
    }

    /// The product of these rows and columns.
    fn task(&self, rows: &Range<usize>, cols: &Range<usize>) -> Task<T> {
        let Task { a, b, c, .. } = self.whole;
        Task {
            m: rows.len(),
            n: cols.len(),
            a: Matrix { offset: a.at(rows.start, 0), ..a },
            b: Matrix { offset: b.at(0, cols.start), ..b },
            c: Matrix { offset: c.at(rows.start, cols.start), ..c },
            ..self.whole
        }
    }

    /// A block on the diagonal: all of it, of which the elements within are taken.
    fn block(&self, rows: Range<usize>, cols: Range<usize>, c: &mut [T], work: &mut [T]) {
        let mut all = [T::ZERO; BLOCK * BLOCK];
        let task = Task { c: Matrix::new(0, BLOCK, 1), accumulate: false, ..self.task(&rows, &cols) };
        T::gemm(&task, self.a, self.b, &mut all, work);
        for (i, row) in rows.zip(all.chunks_exact(BLOCK)) {
            let within = self.band.columns(i, &cols);
            let from = &row[within.start - cols.start..within.end - cols.start];
            if within.is_empty() {
                continue;
            }
            let to = &mut c[self.whole.c.at(i, within.start)..];
            let step = self.whole.c.cols.max(1);
            if self.whole.accumulate {
                to.iter_mut().step_by(step).zip(from).for_each(|(x, new)| *x += *new);
            } else if step == 1 {
                to[..from.len()].copy_from_slice(from);
            } else {
                to.iter_mut().step_by(step).zip(from).for_each(|(x, new)| *x = *new);
            }
        }
    }
}

/// About the middle of more than a block, where one ends.
fn middle(of: &Range<usize>) -> usize {
    of.start + (of.len() / 2).div_ceil(BLOCK) * BLOCK
}
