//! A block of the product from tiles of it that stay in registers.

use crate::simd::{Element, Lane, Lanes};

/// Blocks of the factors and where they lie: of A `m` rows, of B `n` columns, each with `k` terms.
///
/// B has its rows contiguous, `b_rows` apart, and at least a vector of columns.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// Whether A's columns are contiguous, `a_step` apart, else its rows are.
    pub across: bool,
    pub a_step: usize,
    pub b_rows: usize,
}

/// What becomes of the product: `C = scale · P`, or `C += scale · P`, where C has its rows contiguous, `rows` apart.
#[derive(Clone, Copy)]
pub(super) struct Target<T> {
    pub rows: usize,
    /// Columns before this one stay as they are.
    pub first: usize,
    pub accumulate: bool,
    pub scale: T,
}

/// The block of C that is the product of blocks of A and B, in tiles of R rows and up to N (of 1, 2 or 3) vectors.
#[inline(always)]
pub(super) fn block<T: Element, I: Lanes<T>, const R: usize, const N: usize>(
    isa: I,
    at: Block,
    a: &[T],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    if at.across {
        columns::<T, I, R, N, true>(isa, at, a, b, target, c);
    } else {
        columns::<T, I, R, N, false>(isa, at, a, b, target, c);
    }
}

/// The block in strips of up to N vectors of columns.
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
    while j < at.n {
        let left = (at.n - j).div_ceil(width);
        if N >= 3 && left >= 3 && left != 4 {
            strip::<T, I, R, 3, ACROSS>(isa, at, j, a, b, target, c);
            j += 3 * width;
        } else if N >= 2 && left >= 2 {
            strip::<T, I, R, 2, ACROSS>(isa, at, j, a, b, target, c);
            j += 2 * width;
        } else {
            strip::<T, I, R, 1, ACROSS>(isa, at, j, a, b, target, c);
            j += width;
        }
    }
}

/// N vectors of columns from column `j` on, in tiles of R rows and fewer at the end. Where columns are fewer, the last vector is the
/// last of the block: it shares lanes with the one before, which are computed twice and written once.
#[inline(always)]
fn strip<T: Element, I: Lanes<T>, const R: usize, const N: usize, const ACROSS: bool>(
    isa: I,
    at: Block,
    j: usize,
    a: &[T],
    b: &[T],
    target: Target<T>,
    c: &mut [T],
) {
    let width = I::Vector::WIDTH;
    let mut places = [0; N];
    for (l, place) in places.iter_mut().enumerate() {
        *place = (j + l * width).min(at.n - width);
    }
    let written = target.first.max(j + (N - 1) * width) - places[N - 1];
    let mask = I::Vector::iota(isa, 0, 1).ge(I::Vector::splat(isa, T::from_index(written as isize)));

    let mut i = 0;
    while i + R <= at.m {
        tile::<T, I, R, N, ACROSS>(isa, at, i, places, mask, a, b, target, c);
        i += R;
    }
    if R > 4 && at.m - i >= 4 {
        tile::<T, I, 4, N, ACROSS>(isa, at, i, places, mask, a, b, target, c);
        i += 4;
    }
    if at.m - i >= 2 {
        tile::<T, I, 2, N, ACROSS>(isa, at, i, places, mask, a, b, target, c);
        i += 2;
    }
    if at.m - i >= 1 {
        tile::<T, I, 1, N, ACROSS>(isa, at, i, places, mask, a, b, target, c);
    }
}

/// R rows from row `i` on, and the vectors of columns at `places`, of the last of them the lanes of `mask`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn tile<T: Element, I: Lanes<T>, const R: usize, const N: usize, const ACROSS: bool>(
    isa: I,
    at: Block,
    i: usize,
    places: [usize; N],
    mask: <I::Vector as Lane<T>>::Mask,
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
        let of_b = &b[p * at.b_rows..][..at.n];
        let mut y = [zero; N];
        for l in 0..N {
            y[l] = I::Vector::load(isa, of_b, places[l]);
        }
        let column: &[T] = if ACROSS { &a[p * at.a_step + i..][..R] } else { &[] };
        for r in 0..R {
            let x = I::Vector::splat(isa, if ACROSS { column[r] } else { rows[r][p] });
            for l in 0..N {
                sums[r][l] = x.mul_add(y[l], sums[r][l]);
            }
        }
    }

    let scale = I::Vector::splat(isa, target.scale);
    for r in 0..R {
        let row = &mut c[(i + r) * target.rows..][..at.n];
        for l in 0..N {
            let old = if target.accumulate { I::Vector::load(isa, row, places[l]) } else { zero };
            let mut new = sums[r][l].mul_add(scale, old);
            if l == N - 1 {
                new = I::Vector::select(mask, new, I::Vector::load(isa, row, places[l]));
            }
            new.store(row, places[l]);
        }
    }
}
