//! A block of the product from tiles of it that stay in registers.

use super::strip::{Loose, Strip, Tight};
use crate::simd::{Element, Isa, Kernel0, Kernel5, Lane, Lanes, dispatch0, dispatch5};

/// Blocks of the factors and where they lie: of A `m` rows, of B `n` columns, each with `k` terms.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// Whether A's columns are contiguous, `a_step` apart, else its rows are.
    pub across: bool,
    pub a_step: usize,
    /// B's rows are contiguous, `b_step` apart.
    pub b_step: usize,
    /// If B is a row of panels of `b_step` columns each: the distance from one to the next; else 0.
    pub b_panel: usize,
    /// No panel begins after this column: the last one shares columns with the one before it, if it would have few.
    pub b_last: usize,
}

impl Block {
    /// Where column `j` of B is: in the slice from here on, whose first column is this one.
    #[inline(always)]
    fn panel<'a, T>(&self, b: &'a [T], j: usize) -> (&'a [T], usize) {
        if self.b_panel == 0 {
            return (b, 0);
        }
        let panel = j / self.b_step;
        (&b[panel * self.b_panel..], (panel * self.b_step).min(self.b_last))
    }
}

/// What becomes of the product: `C = scale · P`, or `C += scale · P`.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    pub rows: usize,
    pub cols: usize,
    /// Columns before this one stay as they are; they are fewer than a vector's.
    pub first: usize,
    pub accumulate: bool,
    pub scale: T,
}

/// The greatest tile of an instruction set.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    /// Lanes of a vector.
    pub width: usize,
    /// Columns of a tile.
    pub cols: usize,
    /// Whether a tile has so many columns that B need not be in the nearest cache.
    pub wide: bool,
}

/// Vectors of a tile, by the number of registers: sums for all rows and columns, a row of B, an element of A.
const fn vectors<I: Isa>() -> usize {
    if same(I::NAME, "avx512") { 3 } else { 1 }
}

/// Whether two names are the same.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Calls for tiles of R rows, and of fewer at the end, from the row `i` on that is named.
macro_rules! rows_of_tiles {
    ($at:ident, $i:ident, $R:ident => $tiles:expr) => {{
        let mut $i = 0;
        while $i + $R <= $at.m {
            $tiles;
            $i += $R;
        }
        if $R > 4 && $at.m - $i >= 4 {
            const $R: usize = 4;
            $tiles;
            $i += 4;
        }
        match $at.m - $i {
            3 => {
                const $R: usize = 3;
                $tiles
            }
            2 => {
                const $R: usize = 2;
                $tiles
            }
            1 => {
                const $R: usize = 1;
                $tiles
            }
            _ => (),
        }
    }};
}

/// The tiles of the instruction set that runs now.
#[inline(always)]
pub(super) fn tiles<T: Element>() -> Tiles {
    dispatch0::<TheTiles, T>()
}

struct TheTiles;

impl<T: Element> Kernel0<T> for TheTiles {
    type Out = Tiles;
    #[inline(always)]
    fn run<I: Lanes<T>>(_: I) -> Tiles {
        let width = I::Vector::WIDTH;
        let vectors = const { vectors::<I>() };
        Tiles { width, cols: vectors * width, wide: vectors > 1 }
    }
}

/// The block of C that is the product of blocks of A and B.
#[inline(always)]
pub(super) fn block<T: Element>(at: Block, a: &[T], b: &[T], target: Target<T>, c: &mut [T]) {
    if at.across {
        dispatch5::<TheBlock<true>, T, _, _, _, _, _>(at, a, b, target, c);
    } else {
        dispatch5::<TheBlock<false>, T, _, _, _, _, _>(at, a, b, target, c);
    }
}

struct TheBlock<const ACROSS: bool>;

impl<'a, T: Element, const ACROSS: bool> Kernel5<T, Block, &'a [T], &'a [T], Target<T>, &'a mut [T]>
    for TheBlock<ACROSS>
{
    type Out = ();
    /// In the tiles of the instruction set. (A branch on a `const { … }` that is false is not even compiled.)
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, at: Block, a: &[T], b: &[T], target: Target<T>, c: &mut [T]) {
        if const { same(I::NAME, "avx512") } {
            all::<T, I, 8, 3, ACROSS>(isa, at, a, b, target, c);
        } else if const { same(I::NAME, "avx2") } {
            all::<T, I, 6, 1, ACROSS>(isa, at, a, b, target, c);
        } else {
            all::<T, I, 4, 1, ACROSS>(isa, at, a, b, target, c);
        }
    }
}

/// The block in tiles of R rows and up to N (1, 2 or 3) vectors of columns.
#[inline(always)]
fn all<T: Element, I: Lanes<T>, const R: usize, const N: usize, const ACROSS: bool>(
    isa: I,
    at: Block,
    a: &[T],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let width = I::Vector::WIDTH;
    if at.n < width || target.cols != 1 {
        let mut j = 0;
        while j < at.n {
            let strip = Loose::new(at, j, width);
            rows_of_tiles!(at, i, R => {
                let rows = rows_of::<T, R, ACROSS>(at, i, a);
                tile::<T, I, _, R, 1, ACROSS>(isa, at, i, strip, a, rows, b, target, c)
            });
            j += width;
        }
    } else if const { N == 1 } {
        // A strip of B stays in the nearest cache, and A comes from the next.
        let mut j = 0;
        while j < at.n {
            let (b, start) = at.panel(b, j);
            let strip = Tight::<1>::new(at, j, start, target.first, width);
            rows_of_tiles!(at, i, R => {
                let rows = rows_of::<T, R, ACROSS>(at, i, a);
                tile::<T, I, _, R, 1, ACROSS>(isa, at, i, strip, a, rows, b, target, c)
            });
            j += width;
        }
    } else {
        // A tile's rows of A stay in the nearest cache, and B comes from the next: so C is written as it lies in memory.
        rows_of_tiles!(at, i, R => row_of_tiles::<T, I, R, N, ACROSS>(isa, at, i, a, b, target, c));
    }
}

/// R rows of A, if rows are contiguous.
#[inline(always)]
fn rows_of<T, const R: usize, const ACROSS: bool>(at: Block, i: usize, a: &[T]) -> [&[T]; R] {
    let mut rows: [&[T]; R] = [&[]; R];
    if !ACROSS {
        let mut a = &a[i * at.a_step..];
        for row in &mut rows {
            *row = &a[..at.k];
            a = a.get(at.a_step..).unwrap_or_default();
        }
    }
    rows
}

/// R rows from row `i` on, in strips of up to N vectors of columns.
#[inline(always)]
fn row_of_tiles<T: Element, I: Lanes<T>, const R: usize, const N: usize, const ACROSS: bool>(
    isa: I,
    at: Block,
    i: usize,
    a: &[T],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let width = I::Vector::WIDTH;
    let rows = rows_of::<T, R, ACROSS>(at, i, a);
    let mut j = 0;
    while j < at.n {
        let (b, start) = at.panel(b, j);
        let left = (at.n - j).div_ceil(width);
        if N >= 3 && left >= 3 && (left != 4 || at.b_panel > 0) {
            let strip = Tight::<3>::new(at, j, start, target.first, width);
            tile::<T, I, _, R, 3, ACROSS>(isa, at, i, strip, a, rows, b, target, c);
            j += 3 * width;
        } else if N >= 2 && left >= 2 {
            let strip = Tight::<2>::new(at, j, start, target.first, width);
            tile::<T, I, _, R, 2, ACROSS>(isa, at, i, strip, a, rows, b, target, c);
            j += 2 * width;
        } else {
            let strip = Tight::<1>::new(at, j, start, target.first, width);
            tile::<T, I, _, R, 1, ACROSS>(isa, at, i, strip, a, rows, b, target, c);
            j += width;
        }
    }
}

/// R rows from row `i` on, in the columns of the strip.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn tile<T: Element, I: Lanes<T>, S: Strip<T, N>, const R: usize, const N: usize, const ACROSS: bool>(
    isa: I,
    at: Block,
    i: usize,
    strip: S,
    a: &[T],
    rows: [&[T]; R],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let mut sums = [[I::Vector::splat(isa, T::ZERO); N]; R];
    for p in 0..at.k {
        let y = strip.load(isa, at, b, p);
        let column: &[T] = if ACROSS { &a[p * at.a_step + i..][..R] } else { &[] };
        for r in 0..R {
            let x = I::Vector::splat(isa, if ACROSS { column[r] } else { rows[r][..at.k][p] });
            for l in 0..N {
                sums[r][l] = x.mul_add(y[l], sums[r][l]);
            }
        }
    }
    strip.finish(isa, at, sums, target, &mut c[i * target.rows..]);
}
