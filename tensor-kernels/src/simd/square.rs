//! Squares of 8 rows and 8 columns within a slice: checked once each.
#![allow(unsafe_code)]

use super::arrays::check_rows;
use super::raw::Across;
use super::{Element, Lane, Lanes};

/// Rows and columns of a square.
pub(crate) const SIDE: usize = 8;

/// Squares in which each row begins so many elements behind the one before.
#[derive(Clone, Copy)]
pub(crate) struct Squares {
    stride: usize,
    /// From the first element to behind the last. Invariant: `(SIDE - 1) * stride + SIDE`, which does not overflow.
    span: usize,
}

// The rows are read and written one by one: in a loop or a closure, they would go through memory.
macro_rules! every_row {
    ($k:ident $e:expr) => {
        [
            $crate::simd::every_row!(@ $k 0 $e), $crate::simd::every_row!(@ $k 1 $e), $crate::simd::every_row!(@ $k 2 $e), $crate::simd::every_row!(@ $k 3 $e),
            $crate::simd::every_row!(@ $k 4 $e), $crate::simd::every_row!(@ $k 5 $e), $crate::simd::every_row!(@ $k 6 $e), $crate::simd::every_row!(@ $k 7 $e),
        ]
    };
    (@ $k:ident $n:literal $e:expr) => {{
        const $k: usize = $n;
        $e
    }};
}
pub(crate) use every_row;

impl Squares {
    /// None where the stride is so large that there are no such squares.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn new(stride: usize) -> Option<Squares> {
        let span = stride.checked_mul(SIDE - 1)?.checked_add(SIDE)?;
        Some(Squares { stride, span })
    }

    /// Whether the square that begins at `first` lies in a slice of this length.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn fits(self, len: usize, first: usize) -> bool {
        self.span <= len && first <= len - self.span
    }

    /// The square that begins at `first`, which is in range.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn read<T: Copy>(self, from: &[T], first: usize) -> [[T; SIDE]; SIDE] {
        assert!(self.fits(from.len(), first), "a square of a matrix");
        // SAFETY: the last row ends where the square does, which is in the slice, and no other row ends behind it.
        every_row!(K unsafe { from.as_ptr().add(first + K * self.stride).cast::<[T; SIDE]>().read() })
    }

    /// Over the square that begins at `first`, which is in range.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn write<T: Copy>(self, to: &mut [T], first: usize, all: [[T; SIDE]; SIDE]) {
        assert!(self.fits(to.len(), first), "a square of a matrix");
        let to = to.as_mut_ptr();
        // SAFETY: as in `read`.
        every_row!(K unsafe { to.add(first + K * self.stride).cast::<[T; SIDE]>().write(all[K]) });
    }

    /// Eight vectors of eight lanes over the square that begins at `first`, those above its diagonal also below.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn write_symmetric<T: Element, I: Lanes<T>, L: Lane<T, Isa = I>>(
        self,
        isa: I,
        c: &mut [T],
        first: usize,
        all: [L; SIDE],
    ) {
        let old = every_row!(K {
            let mut row = [T::ZERO; SIDE];
            all[K].store(&mut row, 0);
            row
        });
        let new = isa.transposed(&old);
        self.write(c, first, merged(&new, &old));
    }

    /// What is above the diagonal of the square that begins at `first` is also what is below, or the other way round.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn symmetrize<T: Element, I: Lanes<T>>(self, isa: I, c: &mut [T], first: usize, above: bool) {
        let old = self.read(c, first);
        let new = isa.transposed(&old);
        self.write(c, first, if above { merged(&new, &old) } else { merged(&old, &new) });
    }
}

/// What is above the diagonal of eight rows and columns is also what is below: the rows begin `stride` behind each other, the first at `first`.
///
/// # Panics
/// If one of them is out of range; then nothing is written.
#[doc(hidden)]
#[cfg_attr(not(unoptimized), inline(always))]
pub fn symmetrize_square<T: Element, I: Lanes<T>>(isa: I, c: &mut [T], first: usize, stride: usize) {
    check_rows(c.len(), first, SIDE, stride, SIDE);
    if let Some(squares) = Squares::new(stride) {
        squares.symmetrize(isa, c, first, true);
    }
}

/// Below the diagonal the elements of one square, elsewhere those of another.
#[cfg_attr(not(unoptimized), inline(always))]
fn merged<T: Copy>(below: &[[T; SIDE]; SIDE], other: &[[T; SIDE]; SIDE]) -> [[T; SIDE]; SIDE] {
    every_row!(K {
        const ROW: usize = K;
        every_row!(K if precedes(K, ROW) { below[ROW][K] } else { other[ROW][K] })
    })
}

#[cfg_attr(not(unoptimized), inline(always))]
const fn precedes(column: usize, row: usize) -> bool {
    column < row
}

/// Lane `l` of each of eight vectors to `to[at + l * stride..][..8]`, of the first `count` lanes.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn put<T: Across<I>, I: Copy, const W: usize>(
    isa: I,
    all: &[[T; W]; SIDE],
    to: &mut [T],
    at: usize,
    stride: usize,
    count: usize,
) {
    let count = count.min(W);
    check_rows(to.len(), at, count, stride, SIDE);
    let to = to.as_mut_ptr();
    let mut first = 0;
    while first < W {
        let lanes = if W - first < SIDE { W - first } else { SIDE };
        let square = every_row!(K {
            let mut row = [T::ZERO; SIDE];
            row[..lanes].copy_from_slice(&all[K][first..first + lanes]);
            row
        });
        let rows = T::transposed(isa, &square);
        every_row!(L if first + L < count {
            // SAFETY: rows up to `count` are in the slice.
            unsafe { to.add(at + (first + L) * stride).cast::<[T; SIDE]>().write(rows[L]) }
        });
        first += SIDE;
    }
}

/// Lane `l` of the k-th of eight vectors from `from[at + l * stride + k]`, for the first `count` lanes; zero in the others.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn get<T: Across<I>, I: Copy, const W: usize>(
    isa: I,
    from: &[T],
    at: usize,
    stride: usize,
    count: usize,
) -> [[T; W]; SIDE] {
    let count = count.min(W);
    check_rows(from.len(), at, count, stride, SIDE);
    let mut all = [[T::ZERO; W]; SIDE];
    let from = from.as_ptr();
    let mut first = 0;
    while first < W {
        let lanes = if W - first < SIDE { W - first } else { SIDE };
        let rows = every_row!(L if first + L < count {
            // SAFETY: rows up to `count` are in the slice.
            unsafe { from.add(at + (first + L) * stride).cast::<[T; SIDE]>().read() }
        } else {
            [T::ZERO; SIDE]
        });
        let square = T::transposed(isa, &rows);
        every_row!(K all[K][first..first + lanes].copy_from_slice(&square[K][..lanes]));
        first += SIDE;
    }
    all
}

/// Each of eight vectors to a row of its own: vector `k` to `to[at + k * stride..][..W]`.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn store<T: Copy, const W: usize>(all: &[[T; W]; SIDE], to: &mut [T], at: usize, stride: usize) {
    check_rows(to.len(), at, SIDE, stride, W);
    let to = to.as_mut_ptr();
    // SAFETY: all eight rows are in the slice.
    every_row!(K unsafe { to.add(at + K * stride).cast::<[T; W]>().write(all[K]) });
}
