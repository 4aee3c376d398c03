//! A block of the product from tiles of it that stay in registers.

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
    /// From the columns of a tile to the next, if B is a row of panels, each with the columns of a tile; else 0.
    pub b_panel: usize,
}

/// What becomes of the product: `C = scale · P`, or `C += scale · P`.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    pub rows: usize,
    pub cols: usize,
    /// Columns before this one stay as they are. It is 0, or there is exactly a vector of columns.
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

const fn rows<I: Isa>() -> usize {
    if same(I::NAME, "avx512") {
        8
    } else if same(I::NAME, "avx2") {
        6
    } else {
        4
    }
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
    dispatch5::<TheBlock, T, _, _, _, _, _>(at, a, b, target, c);
}

struct TheBlock;

impl<'a, T: Element> Kernel5<T, Block, &'a [T], &'a [T], Target<T>, &'a mut [T]> for TheBlock {
    type Out = ();
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, at: Block, a: &[T], b: &[T], target: Target<T>, c: &mut [T]) {
        match (const { (rows::<I>(), vectors::<I>()) }, at.across) {
            ((8, 3), true) => all::<T, I, 8, 3, true>(isa, at, a, b, target, c),
            ((8, 3), false) => all::<T, I, 8, 3, false>(isa, at, a, b, target, c),
            ((6, _), true) => all::<T, I, 6, 1, true>(isa, at, a, b, target, c),
            ((6, _), false) => all::<T, I, 6, 1, false>(isa, at, a, b, target, c),
            (_, true) => all::<T, I, 4, 1, true>(isa, at, a, b, target, c),
            (_, false) => all::<T, I, 4, 1, false>(isa, at, a, b, target, c),
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
            let strip = Loose::new(at, j, b, width);
            rows_of_tiles!(at, i, R => {
                let rows = rows_of::<T, R, ACROSS>(at, i, a);
                tile::<T, I, _, R, 1, ACROSS>(isa, at, i, strip, a, rows, b, target, c)
            });
            j += width;
        }
    } else if N == 1 {
        // A strip of B stays in the nearest cache, and A comes from the next.
        let mut b = b;
        let mut j = 0;
        while j < at.n {
            let strip = Tight::<1>::new(at, j, width);
            rows_of_tiles!(at, i, R => {
                let rows = rows_of::<T, R, ACROSS>(at, i, a);
                tile::<T, I, _, R, 1, ACROSS>(isa, at, i, strip, a, rows, b, target, c)
            });
            j += width;
            b = b.get(at.b_panel..).unwrap_or_default();
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
        for (r, row) in rows.iter_mut().enumerate() {
            *row = &a[(i + r) * at.a_step..][..at.k];
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
    let mut b = b;
    let mut j = 0;
    while j < at.n {
        let left = (at.n - j).div_ceil(width);
        if N >= 3 && left >= 3 && (left != 4 || at.b_panel > 0) {
            tile::<T, I, _, R, 3, ACROSS>(isa, at, i, Tight::<3>::new(at, j, width), a, rows, b, target, c);
            j += 3 * width;
        } else if N >= 2 && left >= 2 {
            tile::<T, I, _, R, 2, ACROSS>(isa, at, i, Tight::<2>::new(at, j, width), a, rows, b, target, c);
            j += 2 * width;
        } else {
            tile::<T, I, _, R, 1, ACROSS>(isa, at, i, Tight::<1>::new(at, j, width), a, rows, b, target, c);
            j += width;
        }
        b = b.get(at.b_panel..).unwrap_or_default();
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

/// Vectors of columns: how they are read from B and written to C.
trait Strip<T: Element, const N: usize>: Copy {
    /// From row `p` of B.
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; N];
    /// To the first R rows of C.
    fn finish<I: Lanes<T>, const R: usize>(
        &self,
        isa: I,
        at: Block,
        sums: [[I::Vector; N]; R],
        target: Target<T>,
        c: &mut [T],
    );
}

/// N vectors whose lanes all are columns of the block; C has its rows contiguous. The last vector may share lanes with what is before.
#[derive(Clone, Copy)]
struct Tight<const N: usize> {
    /// The columns where vectors begin.
    places: [usize; N],
    /// Where a row of B has the first of them, and how long it is.
    b_place: usize,
    b_len: usize,
    /// Lanes of the last vector that another strip has written.
    written: usize,
}

impl<const N: usize> Tight<N> {
    #[inline(always)]
    fn new(at: Block, j: usize, width: usize) -> Tight<N> {
        let mut places = [0; N];
        for (l, place) in places.iter_mut().enumerate() {
            *place = (j + l * width).min(at.n - width);
        }
        let (b_place, b_len) = if at.b_panel > 0 { (0, at.b_step) } else { (places[0], at.n) };
        Tight { places, b_place, b_len, written: j - places[0] }
    }
}

impl<T: Element, const N: usize> Strip<T, N> for Tight<N> {
    #[inline(always)]
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; N] {
        let row = &b[p * at.b_step..][..self.b_len];
        let mut y = [I::Vector::splat(isa, T::ZERO); N];
        for l in 0..N {
            y[l] = I::Vector::load(isa, row, self.places[l] - self.places[0] + self.b_place);
        }
        y
    }

    #[inline(always)]
    fn finish<I: Lanes<T>, const R: usize>(
        &self,
        isa: I,
        at: Block,
        sums: [[I::Vector; N]; R],
        target: Target<T>,
        c: &mut [T],
    ) {
        let scale = I::Vector::splat(isa, target.scale);
        let zero = I::Vector::splat(isa, T::ZERO);
        let written = self.written.max(target.first);
        let mask = I::Vector::iota(isa, 0, 1).ge(I::Vector::splat(isa, T::from_index(written as isize)));
        for r in 0..R {
            let row = &mut c[r * target.rows..][..at.n];
            let mut new = [zero; N];
            // All are read before one is written: where they share lanes these are equal.
            for l in 0..N {
                let old = if target.accumulate { I::Vector::load(isa, row, self.places[l]) } else { zero };
                new[l] = sums[r][l].mul_add(scale, old);
            }
            if N == 1 && written > 0 {
                new[0] = I::Vector::select(mask, new[0], I::Vector::load(isa, row, self.places[0]));
            }
            for l in 0..N {
                new[l].store(row, self.places[l]);
            }
        }
    }
}

/// The most lanes of a vector.
const MOST: usize = 16;

/// A vector of which not all lanes need be columns of the block, for any strides of C.
#[derive(Clone, Copy)]
struct Loose<T> {
    j: usize,
    /// Rows of B, from the first one on, of which a vector from column `j` on lies within the slice.
    whole: usize,
    /// The slice from column `j` of the row after them on.
    tail: [T; 2 * MOST],
}

impl<T: Element> Loose<T> {
    #[inline(always)]
    fn new(at: Block, j: usize, b: &[T], width: usize) -> Loose<T> {
        let mut whole = at.k;
        while whole > 0 && (whole - 1) * at.b_step + j + width > b.len() {
            whole -= 1;
        }
        let mut tail = [T::ZERO; 2 * MOST];
        if whole < at.k {
            for (to, &x) in tail.iter_mut().zip(&b[whole * at.b_step + j..]) {
                *to = x;
            }
        }
        Loose { j, whole, tail }
    }
}

impl<T: Element> Strip<T, 1> for Loose<T> {
    #[inline(always)]
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; 1] {
        if p < self.whole {
            [I::Vector::load(isa, b, p * at.b_step + self.j)]
        } else {
            [I::Vector::load(isa, &self.tail, (p - self.whole) * at.b_step)]
        }
    }

    #[inline(always)]
    fn finish<I: Lanes<T>, const R: usize>(
        &self,
        isa: I,
        at: Block,
        sums: [[I::Vector; 1]; R],
        target: Target<T>,
        c: &mut [T],
    ) {
        let scale = I::Vector::splat(isa, target.scale);
        let mut all = [[T::ZERO; MOST]; R];
        for r in 0..R {
            (sums[r][0] * scale).store(&mut all[r], 0);
        }
        let n = (at.n - self.j).min(I::Vector::WIDTH);
        for (r, all) in all.iter().enumerate() {
            let mut place = r * target.rows + self.j * target.cols;
            for &x in &all[..n] {
                let old = if target.accumulate { c[place] } else { T::ZERO };
                c[place] = (I::Scalar::splat(isa, old) + I::Scalar::splat(isa, x)).sum();
                place += target.cols;
            }
        }
    }
}
