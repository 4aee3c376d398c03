//! Products that may be cut into tasks, as loops are (see [`crate::parallel`]): the functions of [`gemm`](super), of the same names.

use super::{Band, Matrix, Product, Task, band, symmetric};
use crate::parallel::{Rows, Scratch, Sums, run, tasks};
use core::ops::Range;

/// See [`gemm`](super::gemm()).
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub fn gemm<T: Product>(
    (m, n, k): (usize, usize, usize),
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
    let task = Task { m, n, k, a: a_at, b: b_at, c: c_at, accumulate, scale, tasks: true };
    T::gemm(&task, a, b, c, work);
}

/// See [`gemm_band`](super::gemm_band).
#[allow(clippy::too_many_arguments)]
pub fn gemm_band<T: Product>(
    band: Band,
    (m, n, k): (usize, usize, usize),
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
    let whole = Task { m, n, k, a: a_at, b: b_at, c: c_at, accumulate, scale, tasks: true };
    band::run(band, whole, a, b, c, work);
}

/// See [`gemm_symmetric`](super::gemm_symmetric).
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
    let task = Task { m: n, n, k, a: a_at, b: b_at, c: c_at, accumulate, scale, tasks: true };
    symmetric::run(task, a, b, c, work);
}

/// A multiplication and addition, in the unit of [`crate::parallel`].
const STEP: f64 = 0.2;

/// `part(rows, c, scratch)` for ranges of rows of C, at multiples of `unit`; `c` begins with the first of its rows, and only the elements of C
/// are written. The work is that for `n` columns and `k` terms.
pub(super) fn by_rows<T: Product>(
    task: &Task<T>,
    (n, k): (usize, usize),
    unit: usize,
    c: &mut [T],
    scratch: &mut [T],
    part: impl Fn(Range<usize>, &mut [T], &mut [T]) + Sync,
) {
    let c = &mut c[task.c.offset..];
    if !task.tasks {
        return part(0..task.m, c, scratch);
    }
    let apart = task.c.rows > (task.n - 1).saturating_mul(task.c.cols);
    let work = STEP * task.m as f64 * n as f64 * k as f64;
    let tasks = if apart { tasks(work, 0, (task.m / unit) as isize) } else { 1 };
    if tasks < 2 {
        return part(0..task.m, c, scratch);
    }
    let mut parts = (Rows::new(c, 1, 0, task.c.rows as isize), Scratch::new(scratch));
    run(
        0..task.m as isize,
        unit as isize,
        tasks,
        &mut parts,
        |first, end, (c, scratch)| part(first as usize..end as usize, c.elements().0, scratch.elements()),
        |(), ()| {},
    );
}

/// The product as a sum of products, of a part of the terms each: where C is small and terms are many. False if it is not worth it: then nothing
/// is done.
pub(super) fn by_terms<T: Product>(
    task: &Task<T>,
    unit: usize,
    c: &mut [T],
    work: &mut [T],
    multiply: impl Fn(Task<T>, &mut [T], &mut [T]) + Sync,
) -> bool {
    if !task.tasks {
        return false;
    }
    let Task { m, n, k, .. } = *task;
    let all = STEP * m as f64 * n as f64 * k as f64;
    // A block of terms is better cut by its rows.
    let by_rows = tasks(all / k as f64 * unit as f64, 0, m as isize) > 1;
    let tasks = if by_rows { 1 } else { tasks(all, m * n, (k / unit) as isize) };
    if tasks < 2 {
        return false;
    }
    let mut sum = alloc::vec![T::ZERO; m * n];
    let mut parts = (Sums::new(&mut sum), Scratch::new(work));
    run(
        0..k as isize,
        unit as isize,
        tasks,
        &mut parts,
        |first, end, (sum, work)| {
            let (p, k) = (first as usize, (end - first) as usize);
            let a = Matrix { offset: task.a.at(0, p), ..task.a };
            let b = Matrix { offset: task.b.at(p, 0), ..task.b };
            let part = Task { k, a, b, c: Matrix::new(0, n, 1), accumulate: true, ..*task };
            multiply(part, sum.elements(), work.elements());
        },
        |(), ()| {},
    );
    for (i, row) in sum.chunks(n).enumerate() {
        for (j, &x) in row.iter().enumerate() {
            let at = task.c.at(i, j);
            if task.accumulate {
                c[at] += x;
            } else {
                c[at] = x;
            }
        }
    }
    true
}
