//! Blocks of the factors that fit into the caches, copied where that pays.

use super::pack;
use super::tile::{Block, Target, block};
use super::{Matrix, Task};
use crate::simd::{Element, Lane, Lanes};

/// Terms of a block.
const TERMS: usize = 256;
/// Rows of a block of A that is copied; a multiple of the rows of all tiles.
const ROWS: usize = 96;
/// Columns of a block of B that is copied; a multiple of the columns of all tiles.
const COLS: usize = 960;
/// The most columns of a tile.
const TILE: usize = 48;
/// After each row of a copy of A, so that rows do not fall on the same lines of a cache.
const GAP: usize = 8;

pub(super) const WORK: usize = TERMS * COLS + ROWS * (TERMS + GAP) + ROWS * TILE;

/// Any product, in tiles that suit the number of the instruction set's registers.
#[inline(always)]
pub(super) fn multiply<T: Element, I: Lanes<T>>(
    isa: I,
    task: Task<T>,
    a: &[T],
    b: &[T],
    c: &mut [T],
    work: &mut [T],
) {
    if const { same(I::NAME, "avx512") } {
        blocks::<T, I, 8, 3>(isa, task, a, b, c, work);
    } else if const { same(I::NAME, "avx2") } {
        blocks::<T, I, 6, 1>(isa, task, a, b, c, work);
    } else {
        blocks::<T, I, 4, 1>(isa, task, a, b, c, work);
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

/// Which parts of a product are copied.
struct Plan {
    a: bool,
    b: bool,
    /// The product goes to a block of its own, from where C gets it: if C's rows are not contiguous, or shorter than a vector.
    c: bool,
    /// Whether A's columns are contiguous, else its rows are, or will be.
    across: bool,
}

#[inline(always)]
fn plan<T>(task: &Task<T>, width: usize) -> Plan {
    let Task { m, n, k, .. } = *task;
    let c = task.c.cols != 1 || n < width;
    let large = m > 256 || n > 256 || k > 256;
    Plan {
        a: (task.a.cols != 1 && task.a.rows != 1) || (large && m > 16 && n > 96),
        b: c || task.b.cols != 1 || (large && m > 16),
        c,
        across: task.a.cols != 1 && task.a.rows == 1,
    }
}

#[inline(always)]
fn blocks<T: Element, I: Lanes<T>, const R: usize, const N: usize>(
    isa: I,
    task: Task<T>,
    a: &[T],
    b: &[T],
    c: &mut [T],
    work: &mut [T],
) {
    let width = I::Vector::WIDTH;
    let plan = plan(&task, width);
    let Task { m, n, k, .. } = task;
    let rows = if plan.a || plan.c { ROWS } else { m };
    let cols = if plan.b { COLS } else { n };
    let (for_b, work) = work.split_at_mut(if plan.b { TERMS * COLS } else { 0 });
    let (for_a, work) = work.split_at_mut(if plan.a { ROWS * (TERMS + GAP) } else { 0 });
    let for_c = &mut work[..if plan.c { ROWS * TILE } else { 0 }];

    for j0 in (0..n).step_by(cols) {
        let nb = cols.min(n - j0);
        // Panels of B, each with the columns of a tile.
        let panel = if plan.b { N * width } else { nb };
        for p0 in (0..k).step_by(TERMS) {
            let kb = TERMS.min(k - p0);
            let accumulate = task.accumulate || p0 > 0;
            if plan.b {
                for q in (0..nb).step_by(panel) {
                    let w = panel.min(nb - q);
                    let from = Matrix { offset: task.b.at(p0, start(j0 + q, w, n, width)), ..task.b };
                    pack::panel(
                        b,
                        from,
                        kb,
                        w.max(width).min(n),
                        w.max(width),
                        &mut for_b[q * kb..][..panel * kb],
                        panel,
                    );
                }
            }
            for i0 in (0..m).step_by(rows) {
                let mb = rows.min(m - i0);
                let from = Matrix { offset: task.a.at(i0, p0), ..task.a };
                let (a, a_step) = if plan.a {
                    pack::left(a, from, plan.across, mb, kb, for_a, if plan.across { mb } else { kb + GAP })
                } else {
                    (&a[from.offset..], if plan.across { task.a.cols } else { task.a.rows })
                };
                for q in (0..nb).step_by(panel) {
                    let w = panel.min(nb - q);
                    let j = start(j0 + q, w, n, width);
                    let first = j0 + q - j;
                    let (b, b_rows) = if plan.b {
                        (&for_b[q * kb..][..panel * kb], panel)
                    } else {
                        (&b[task.b.at(p0, j)..], task.b.rows)
                    };
                    let at = Block { m: mb, n: w.max(width), k: kb, across: plan.across, a_step, b_rows };
                    let (out, rows, accumulate) = if plan.c {
                        (&mut for_c[..], panel, false)
                    } else {
                        (&mut c[task.c.at(i0, j)..], task.c.rows, accumulate)
                    };
                    let target = Target { rows, first, accumulate, scale: task.scale };
                    block::<T, I, R, N>(isa, at, a, b, target, out);
                    if plan.c {
                        let to = Matrix { offset: task.c.at(i0, j0 + q), ..task.c };
                        pack::add(isa, for_c, panel, first, mb, w, c, to, task.accumulate || p0 > 0);
                    }
                }
            }
        }
    }
}

/// The first column of a panel of `w` columns from `j` on: earlier, if they are fewer than a vector's.
#[inline(always)]
fn start(j: usize, w: usize, n: usize, width: usize) -> usize {
    if w < width && n >= width { n - width } else { j }
}
