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
    /// Rows of a tile.
    pub rows: usize,
    /// Columns of a tile.
    pub cols: usize,
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
        Tiles { width, rows: const { rows::<I>() }, cols: const { vectors::<I>() } * width }
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
            ((8, 3), true) => columns::<T, I, 8, 3, true>(isa, at, a, b, target, c),
            ((8, 3), false) => columns::<T, I, 8, 3, false>(isa, at, a, b, target, c),
            ((6, _), true) => columns::<T, I, 6, 1, true>(isa, at, a, b, target, c),
            ((6, _), false) => columns::<T, I, 6, 1, false>(isa, at, a, b, target, c),
            (_, true) => columns::<T, I, 4, 1, true>(isa, at, a, b, target, c),
            (_, false) => columns::<T, I, 4, 1, false>(isa, at, a, b, target, c),
        }
    }
}

/// The block in strips of up to N (1, 2 or 3) vectors of columns.
#[inline(always)]
fn columns<T: Element, I: Lanes<T>, const R: usize, const N: usize, const ACROSS: bool>(
    isa: I,
    at: Block,
    a: &[T],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let width = I::Vector::WIDTH;
    let mut j = 0;
    if at.n < width || target.cols != 1 {
        while j < at.n {
            let strip = Loose::new(at, j, b, width);
            strip_of_rows::<T, I, _, R, 1, ACROSS>(isa, at, strip, a, b, target, c);
            j += width;
        }
        return;
    }
    while j < at.n {
        let left = (at.n - j).div_ceil(width);
        if N >= 3 && left >= 3 && left != 4 {
            strip_of_rows::<T, I, _, R, 3, ACROSS>(isa, at, Tight::<3>::new(at, j, width), a, b, target, c);
            j += 3 * width;
        } else if N >= 2 && left >= 2 {
            strip_of_rows::<T, I, _, R, 2, ACROSS>(isa, at, Tight::<2>::new(at, j, width), a, b, target, c);
            j += 2 * width;
        } else {
            strip_of_rows::<T, I, _, R, 1, ACROSS>(isa, at, Tight::<1>::new(at, j, width), a, b, target, c);
            j += width;
        }
    }
}

/// A strip of columns in tiles of R rows, and fewer at the end.
#[inline(always)]
fn strip_of_rows<
    T: Element,
    I: Lanes<T>,
    S: Strip<T, N>,
    const R: usize,
    const N: usize,
    const ACROSS: bool,
>(
    isa: I,
    at: Block,
    strip: S,
    a: &[T],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let mut i = 0;
    while i + R <= at.m {
        tile::<T, I, S, R, N, ACROSS>(isa, at, i, strip, a, b, target, c);
        i += R;
    }
    if R > 4 && at.m - i >= 4 {
        tile::<T, I, S, 4, N, ACROSS>(isa, at, i, strip, a, b, target, c);
        i += 4;
    }
    match at.m - i {
        3 => tile::<T, I, S, 3, N, ACROSS>(isa, at, i, strip, a, b, target, c),
        2 => tile::<T, I, S, 2, N, ACROSS>(isa, at, i, strip, a, b, target, c),
        1 => tile::<T, I, S, 1, N, ACROSS>(isa, at, i, strip, a, b, target, c),
        _ => (),
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
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let zero = I::Vector::splat(isa, T::ZERO);
    let mut sums = [[zero; N]; R];
    let mut rows: [&[T]; R] = [&[]; R];
    if !ACROSS {
        for (r, row) in rows.iter_mut().enumerate() {
            *row = &a[(i + r) * at.a_step..][..at.k];
        }
    }
    for p in 0..at.k {
        let y = strip.load(isa, at, b, p);
        let column: &[T] = if ACROSS { &a[p * at.a_step + i..][..R] } else { &[] };
        for r in 0..R {
            let x = I::Vector::splat(isa, if ACROSS { column[r] } else { rows[r][p] });
            for l in 0..N {
                sums[r][l] = x.mul_add(y[l], sums[r][l]);
            }
        }
    }
    for r in 0..R {
        strip.finish(isa, at, sums[r], target, &mut c[(i + r) * target.rows..]);
    }
}

/// Vectors of columns: how they are read from B and written to C.
trait Strip<T: Element, const N: usize>: Copy {
    /// From row `p` of B.
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; N];
    /// To a row of C.
    fn finish<I: Lanes<T>>(&self, isa: I, at: Block, sums: [I::Vector; N], target: Target<T>, row: &mut [T]);
}

/// N vectors whose lanes all are columns of the block; C has its rows contiguous. The last vector may share lanes with what is before.
#[derive(Clone, Copy)]
struct Tight<const N: usize> {
    places: [usize; N],
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
        Tight { places, written: j - places[0] }
    }
}

impl<T: Element, const N: usize> Strip<T, N> for Tight<N> {
    #[inline(always)]
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; N] {
        let row = &b[p * at.b_step..][..at.n];
        let mut y = [I::Vector::splat(isa, T::ZERO); N];
        for l in 0..N {
            y[l] = I::Vector::load(isa, row, self.places[l]);
        }
        y
    }

    #[inline(always)]
    fn finish<I: Lanes<T>>(&self, isa: I, at: Block, sums: [I::Vector; N], target: Target<T>, row: &mut [T]) {
        let row = &mut row[..at.n];
        let scale = I::Vector::splat(isa, target.scale);
        let zero = I::Vector::splat(isa, T::ZERO);
        let mut new = [zero; N];
        // All are read before one is written: where they share lanes these are equal.
        for l in 0..N {
            let old = if target.accumulate { I::Vector::load(isa, row, self.places[l]) } else { zero };
            new[l] = sums[l].mul_add(scale, old);
        }
        if N == 1 {
            let written = I::Vector::splat(isa, T::from_index(self.written.max(target.first) as isize));
            let mask = I::Vector::iota(isa, 0, 1).ge(written);
            new[0] = I::Vector::select(mask, new[0], I::Vector::load(isa, row, self.places[0]));
        }
        for l in 0..N {
            new[l].store(row, self.places[l]);
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
    fn finish<I: Lanes<T>>(&self, isa: I, at: Block, sums: [I::Vector; 1], target: Target<T>, row: &mut [T]) {
        let mut all = [T::ZERO; MOST];
        (sums[0] * I::Vector::splat(isa, target.scale)).store(&mut all, 0);
        let mut place = self.j * target.cols;
        for &x in all.iter().take((at.n - self.j).min(I::Vector::WIDTH)) {
            let old = if target.accumulate { row[place] } else { T::ZERO };
            row[place] = (I::Scalar::splat(isa, old) + I::Scalar::splat(isa, x)).sum();
            place += target.cols;
        }
    }
}
