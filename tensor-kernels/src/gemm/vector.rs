//! Products with a vector.

use super::pack::spread;
use super::{Product, Task};
use crate::simd::{Element, Kernel4, Kernel5, Lane, Lanes, dispatch4, dispatch5};

/// Terms that are gathered at once where a column of B is not contiguous.
pub(super) const TERMS: usize = 4096;

/// Rows at once.
pub(super) const ROWS: usize = 4;

/// `C[i, j] (+)= scale · Σ_p A[i, p] B[p, j]` for few columns, A's rows being contiguous.
#[inline(always)]
pub(super) fn products_of_rows<T: Product>(task: Task<T>, a: &[T], b: &[T], c: &mut [T], work: &mut [T]) {
    for j in 0..task.n {
        if task.b.rows == 1 {
            let column = &b[task.b.at(0, j)..][..task.k];
            dispatch5::<Column, T, _, _, _, _, _>(task, (j, 0), a, column, c);
            continue;
        }
        for p in (0..task.k).step_by(TERMS) {
            let gathered = &mut work[..TERMS.min(task.k - p)];
            spread(&b[task.b.at(p, j)..], task.b.rows, gathered.iter_mut());
            dispatch5::<Column, T, _, _, _, _, _>(task, (j, p), a, &*gathered, c);
        }
    }
}

/// Of column `j` the terms from `p` on.
struct Column;

impl<'a, T: Element> Kernel5<T, Task<T>, (usize, usize), &'a [T], &'a [T], &'a mut [T]> for Column {
    type Out = ();
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, task: Task<T>, (j, p): (usize, usize), a: &[T], b: &[T], c: &mut [T]) {
        column(isa, &task, j, p, a, b, c);
    }
}

/// Column `j` of C, from the terms from `p0` on, as many as `b` has.
#[inline(always)]
fn column<T: Element, I: Lanes<T>>(
    isa: I,
    task: &Task<T>,
    j: usize,
    p0: usize,
    a: &[T],
    b: &[T],
    c: &mut [T],
) {
    let k = b.len();
    let accumulate = task.accumulate || p0 > 0;
    let scale = I::Scalar::splat(isa, task.scale);
    let mut i = 0;
    while i < task.m {
        // The last row again, where rows are fewer.
        let mut rows: [&[T]; ROWS] = [&[]; ROWS];
        for (r, row) in rows.iter_mut().enumerate() {
            *row = &a[task.a.at((i + r).min(task.m - 1), p0)..][..k];
        }
        let sums = products::<T, I>(isa, rows, b);
        for (r, &sum) in sums.iter().enumerate().take(task.m - i) {
            let at = task.c.at(i + r, j);
            let old = if accumulate { c[at] } else { T::ZERO };
            I::Scalar::splat(isa, sum).mul_add(scale, I::Scalar::splat(isa, old)).store(c, at);
        }
        i += ROWS;
    }
}

/// The product of each row with `b`.
#[inline(always)]
fn products<T: Element, I: Lanes<T>>(isa: I, rows: [&[T]; ROWS], b: &[T]) -> [T; ROWS] {
    let (width, k) = (I::Vector::WIDTH, b.len());
    let zero = I::Vector::splat(isa, T::ZERO);
    let mut sums = [zero; ROWS];
    let whole = k - k % width;
    for p in (0..whole).step_by(width) {
        let y = I::Vector::load(isa, b, p);
        for r in 0..ROWS {
            sums[r] = I::Vector::load(isa, &rows[r][..k], p).mul_add(y, sums[r]);
        }
    }
    if whole < k && k >= width {
        // The last vector, of which the first lanes are done.
        let p = k - width;
        let done = I::Vector::splat(isa, T::from_index((whole - p) as isize));
        let left = I::Vector::iota(isa, 0, 1).ge(done);
        let y = I::Vector::select(left, I::Vector::load(isa, b, p), zero);
        for r in 0..ROWS {
            let x = I::Vector::select(left, I::Vector::load(isa, &rows[r][..k], p), zero);
            sums[r] = x.mul_add(y, sums[r]);
        }
    }
    let mut totals = [T::ZERO; ROWS];
    for r in 0..ROWS {
        totals[r] = sums[r].sum();
    }
    let whole = if k >= width { k } else { 0 };
    for p in whole..k {
        let y = I::Scalar::load(isa, b, p);
        for r in 0..ROWS {
            let x = I::Scalar::load(isa, rows[r], p);
            totals[r] = x.mul_add(y, I::Scalar::splat(isa, totals[r])).sum();
        }
    }
    totals
}

/// `C[0, j] (+)= Σ_p (scale · A[0, p]) B[p, j]`: rows of B, which are contiguous as C is, four at once.
#[inline(always)]
pub(super) fn sum_of_rows<T: Product>(task: Task<T>, a: &[T], b: &[T], c: &mut [T]) {
    dispatch4::<Rows, T, _, _, _, _>(task, a, b, c);
}

struct Rows;

impl<'a, T: Element> Kernel4<T, Task<T>, &'a [T], &'a [T], &'a mut [T]> for Rows {
    type Out = ();
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, task: Task<T>, a: &[T], b: &[T], c: &mut [T]) {
        let c = &mut c[task.c.offset..][..task.n];
        let mut accumulate = task.accumulate;
        let mut p = 0;
        while p + 4 <= task.k {
            add_rows::<T, I, 4>(isa, &task, p, a, b, c, accumulate);
            accumulate = true;
            p += 4;
        }
        while p < task.k {
            add_rows::<T, I, 1>(isa, &task, p, a, b, c, accumulate);
            accumulate = true;
            p += 1;
        }
    }
}

/// K rows of B from row `p` on.
#[inline(always)]
fn add_rows<T: Element, I: Lanes<T>, const K: usize>(
    isa: I,
    task: &Task<T>,
    p: usize,
    a: &[T],
    b: &[T],
    c: &mut [T],
    accumulate: bool,
) {
    let (width, n) = (I::Vector::WIDTH, task.n);
    let zero = I::Vector::splat(isa, T::ZERO);
    let mut x = [zero; K];
    let mut rows: [&[T]; K] = [&[]; K];
    for q in 0..K {
        x[q] = I::Vector::splat(isa, a[task.a.at(0, p + q)]) * I::Vector::splat(isa, task.scale);
        rows[q] = &b[task.b.at(p + q, 0)..][..n];
    }
    let whole = n - n % width;
    // The last vector first: it is the one that reads lanes which are written by others.
    let last = n - width;
    let at_end = row(isa, x, rows, c, last, accumulate);
    for j in (0..whole).step_by(width) {
        row(isa, x, rows, c, j, accumulate).store(c, j);
    }
    // The lanes that it shares with the vector before it are equal in both.
    at_end.store(c, last);
}

/// The vector of `C[0, j..]`, with the K terms added.
#[inline(always)]
fn row<T: Element, V: Lane<T>, const K: usize>(
    isa: V::Isa,
    x: [V; K],
    rows: [&[T]; K],
    c: &[T],
    j: usize,
    accumulate: bool,
) -> V {
    let mut sum = if accumulate { V::load(isa, c, j) } else { V::splat(isa, T::ZERO) };
    for q in 0..K {
        sum = x[q].mul_add(V::load(isa, rows[q], j), sum);
    }
    sum
}
