//! Symmetric matmuls: what is computed above the diagonal is written below it, too.
//!
//! Eight rows of C at a time, vector by vector from the diagonal on: as sums in registers, which are stored as eight rows and, by shuffles, as
//! columns of eight. Nothing is computed twice but in the squares on the diagonal, of which there is no smaller vector.

use super::{Band, Matrix, Product, Task, band, pack, symmetrize, tile};
use crate::simd::{Element, Grid, Kernel4, Lane, Lanes, Pair, SIDE, Squares, dispatch4, every_row, window};

/// As many numbers as the widest vector has lanes.
const MOST: usize = 16;

/// Up to so many rows, or as many as a vector has lanes, the tiles of a half are as many vectors as those of the whole. With so many terms, that is
/// what decides.
const FEW: usize = 12;
const MANY: usize = 32;

/// As many elements of a factor are in the second-level cache while rows of the other pass by.
const NEAR: usize = 1 << 16;

/// [`gemm`](super::gemm) for a matrix C of `n` rows and columns, of which the upper triangle, with the diagonal, is computed, from sums of `k` products. It is copied to
/// the lower one. For a large matrix it takes about half as long.
///
/// # Panics
/// As for the whole matmul.
#[allow(clippy::too_many_arguments)]
pub fn gemm_symmetric<T: Product>(
    (n, k): (usize, usize),
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
    run(Task { m: n, n, k, a: a_at, b: b_at, c: c_at, accumulate, scale, tasks: false }, a, b, c, work);
}

/// See [`gemm_symmetric`].
pub(super) fn run<T: Product>(task: Task<T>, a: &[T], b: &[T], c: &mut [T], work: &mut [T]) {
    let Task { n, k, .. } = task;
    let width = tile::tiles::<T>().width;
    if n < SIDE || n <= width && width > SIDE || n <= FEW && k >= MANY {
        T::gemm(&task, a, b, c, work);
        symmetrize(n, 1, c, task.c);
    } else if !T::symmetric(&task, a, b, c, work) {
        band::run(Band::from(0), task, a, b, c, work);
        symmetrize(n, 1, c, task.c);
    }
}

/// The product, if all elements are in range, rows of C are contiguous, and the factors are small. Else nothing is done.
#[inline(always)]
pub(super) fn multiply<T: Product>(task: &Task<T>, a: &[T], b: &[T], c: &mut [T], work: &mut [T]) -> bool {
    let Task { n, k, .. } = *task;
    let is_small = n >= SIDE && k > 0 && n.saturating_mul(k) <= NEAR;
    let fits =
        |at: Matrix, m: usize, n: usize, len| Grid::<T>::fits(len, at.offset, (m, n), (at.rows, at.cols));
    let is_there =
        || fits(task.a, n, k, a.len()) && fits(task.b, k, n, b.len()) && fits(task.c, n, n, c.len());
    if !is_small || task.c.cols != 1 || !is_there() {
        return false;
    }
    let mut task = *task;
    let (left, right) = work.split_at_mut(n * k);
    let (mut a, mut b) = (a, b);
    if task.a.rows != 1 {
        pack::copy(a, task.a.transposed(), k, n, left, n);
        (a, task.a) = (left, Matrix::new(0, 1, n));
    }
    if task.b.cols != 1 {
        pack::copy(b, task.b, k, n, right, n);
        (b, task.b) = (right, Matrix::new(0, n, 1));
    }
    dispatch4::<Symmetric, T, _, _, _, _>(&task, a, b, c);
    true
}

struct Symmetric;

impl<'a, T: Product> Kernel4<T, &'a Task<T>, &'a [T], &'a [T], &'a mut [T]> for Symmetric {
    type Out = ();
    /// At least eight rows; the columns of A are contiguous, and the rows of B and C.
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, task: &Task<T>, a: &[T], b: &[T], c: &mut [T]) {
        let Some(squares) = Squares::new(task.c.rows) else { return };
        let n = task.n;
        let mut i = 0;
        while i + SIDE <= n {
            square(isa, task, squares, a, b, c, i);
            let mut j = i + SIDE;
            // Two vectors, where there are registers for twice eight sums.
            if const { I::REGISTERS >= 32 } {
                let width = 2 * I::Vector::WIDTH;
                while n - j > I::Vector::WIDTH {
                    let count = width.min(n - j);
                    beside::<T, I, Pair<I::Vector>>(isa, task, a, b, c, (i, j), count);
                    j += count;
                }
            }
            while j < n {
                let count = I::Vector::WIDTH.min(n - j);
                beside::<T, I, I::Vector>(isa, task, a, b, c, (i, j), count);
                j += count;
            }
            i += SIDE;
        }
        match n - i {
            0 => (),
            // Elements that are there already are computed again.
            _ if !task.accumulate => square(isa, task, squares, a, b, c, n - SIDE),
            1 => last::<T, I, 1>(isa, task, a, b, c, i),
            2 => last::<T, I, 2>(isa, task, a, b, c, i),
            3 | 4 => last::<T, I, 4>(isa, task, a, b, c, i),
            _ => last::<T, I, SIDE>(isa, task, a, b, c, i),
        }
    }
}

/// Eight rows and `count` columns from row `i` and column `j` on, and as many rows of eight columns.
#[inline(always)]
fn beside<T: Element, I: Lanes<T>, L: Lane<T, Isa = I>>(
    isa: I,
    task: &Task<T>,
    a: &[T],
    b: &[T],
    c: &mut [T],
    (i, j): (usize, usize),
    count: usize,
) {
    let all = eight::<T, I, L>(isa, task, a, b, c, (i, j), count);
    if count == L::WIDTH {
        L::store_eight(all, c, task.c.at(i, j), task.c.rows);
        L::scatter_eight(all, c, task.c.at(j, i), task.c.rows, L::WIDTH);
    } else {
        every_row!(K all[K].store_part(c, task.c.at(i + K, j), count));
        L::scatter_eight(all, c, task.c.at(j, i), task.c.rows, count);
    }
}

/// The square on the diagonal from row `i` on.
#[inline(always)]
fn square<T: Element, I: Lanes<T>>(
    isa: I,
    task: &Task<T>,
    squares: Squares,
    a: &[T],
    b: &[T],
    c: &mut [T],
    i: usize,
) {
    let first = task.c.at(i, i);
    if const { I::Vector::WIDTH == SIDE } {
        let all = eight::<T, I, I::Vector>(isa, task, a, b, c, (i, i), SIDE);
        squares.write_symmetric(isa, c, first, all);
    } else if const { I::Part::WIDTH == SIDE } {
        let all = eight::<T, I, I::Part>(isa, task, a, b, c, (i, i), SIDE);
        squares.write_symmetric(isa, c, first, all);
    } else {
        let count = SIDE.min(I::Vector::WIDTH);
        for j in (i..i + SIDE).step_by(count) {
            let all = eight::<T, I, I::Vector>(isa, task, a, b, c, (i, j), count);
            every_row!(K all[K].store_part(c, task.c.at(i + K, j), count));
        }
        squares.symmetrize(isa, c, first, true);
    }
}

/// The rows from row `i` on, at most `R`, and as many columns. (Where they are fewer, some of those that are there already are computed again.)
#[inline(always)]
fn last<T: Element, I: Lanes<T>, const R: usize>(
    isa: I,
    task: &Task<T>,
    a: &[T],
    b: &[T],
    c: &mut [T],
    i: usize,
) {
    let n = task.n;
    let mut j = i;
    while j < n {
        let count = (n - j).min(I::Part::WIDTH);
        let sums = sums::<T, I, I::Part, R>(isa, task, a, b, c, (n - R, j), count);
        for (q, sum) in (n - R..n).zip(sums) {
            let mut all = [T::ZERO; MOST];
            sum.store_part(&mut all, 0, count);
            for (l, x) in (j..j + count).zip(all).filter(|(l, _)| i <= q && q <= *l) {
                c[task.c.at(q, l)] = x;
                c[task.c.at(l, q)] = x;
            }
        }
        j += count;
    }
}

/// Eight rows and `count` columns from row `i` and column `j` on, which are not stored yet.
#[inline(always)]
fn eight<T: Element, I: Lanes<T>, L: Lane<T, Isa = I>>(
    isa: I,
    task: &Task<T>,
    a: &[T],
    b: &[T],
    c: &[T],
    (i, j): (usize, usize),
    count: usize,
) -> [L; SIDE] {
    // More sums than there are registers would go through memory.
    if const { L::WIDTH == I::Part::WIDTH || I::REGISTERS >= 32 } {
        return sums::<T, I, L, SIDE>(isa, task, a, b, c, (i, j), count);
    }
    let [p, q, r, s] = sums::<T, I, L, 4>(isa, task, a, b, c, (i, j), count);
    let [t, u, v, w] = sums::<T, I, L, 4>(isa, task, a, b, c, (i + 4, j), count);
    [p, q, r, s, t, u, v, w]
}

/// `R` rows and `count` columns from row `i` and column `j` on, which are not stored yet.
#[inline(always)]
fn sums<T: Element, I: Lanes<T>, L: Lane<T, Isa = I>, const R: usize>(
    isa: I,
    task: &Task<T>,
    a: &[T],
    b: &[T],
    c: &[T],
    (i, j): (usize, usize),
    count: usize,
) -> [L; R] {
    let zero = L::splat(isa, T::ZERO);
    let mut sums = [zero; R];
    let (mut a_at, mut b_at) = (task.a.at(i, 0), task.b.at(0, j));
    let whole = count == L::WIDTH;
    for _ in 0..task.k {
        let x = window::<T, R>(a, a_at);
        let y = if whole { L::load(isa, b, b_at) } else { L::load_part(isa, b, b_at, count) };
        for (x, sum) in x.iter().zip(&mut sums) {
            *sum = L::splat(isa, *x).mul_add(y, *sum);
        }
        a_at += task.a.cols;
        b_at += task.b.rows;
    }
    let scale = L::splat(isa, task.scale);
    let mut at = task.c.at(i, j);
    for sum in &mut sums {
        let old = if task.accumulate { L::load_part(isa, c, at, count) } else { zero };
        *sum = sum.mul_add(scale, old);
        at += task.c.rows;
    }
    sums
}
