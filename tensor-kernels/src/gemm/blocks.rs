//! Blocks of the factors that fit into the caches, copied where that pays.

use super::pack;
use super::tile::{Block, Target, Tiles, block};
use super::{Matrix, Product, Task, threads};
use crate::lines::{LINE, lines};

/// Terms of a block.
const TERMS: usize = 256;
/// Rows of a block of A that is copied.
const ROWS: usize = 96;
/// Rows of a block where tiles are narrow: of C so many are written side by side.
const FEW_ROWS: usize = 24;
/// Columns of a block of B that is copied; a multiple of the columns of all tiles.
const COLS: usize = 480;
/// After each row of a copy, so that rows do not fall on the same lines of a cache.
const GAP: usize = 8;

/// Two copies, each with less than a line before it.
pub(super) const WORK: usize = TERMS * (COLS + GAP) + (ROWS + GAP) * (TERMS + GAP) + 2 * LINE;

/// How a product is done: what is copied, and the sizes of blocks.
#[derive(Clone, Copy)]
struct Plan {
    copy_a: bool,
    copy_b: bool,
    /// Whether the copy of B is in panels that have the columns of a tile each.
    panels: bool,
    /// Whether A's columns are contiguous, else its rows are, or will be.
    across: bool,
    rows: usize,
    cols: usize,
    terms: usize,
    tiles: Tiles,
}

#[inline(always)]
fn plan<T>(task: &Task<T>, tiles: Tiles) -> Plan {
    let Task { m, n, k, .. } = *task;
    let tight = task.c.cols == 1 && n >= tiles.width;
    let large = match tiles.wide {
        true => (m > 256 || n > 256 || k > 256) && m > 16 && k > 32,
        false => n > 48 && k > 48 && m > 32,
    };
    let across = task.a.cols != 1 && task.a.rows == 1;
    Plan {
        copy_a: (task.a.cols != 1 && task.a.rows != 1) || (large && n > 96 && (across || !tiles.wide)),
        copy_b: task.b.cols != 1 || (large && tight),
        panels: large && tight,
        // A copy can as well be by rows: narrow tiles would waste a part of each cache line otherwise.
        across: across && (tiles.wide || !large || n <= 96),
        rows: if tiles.wide || m * n < 16384 { m } else { FEW_ROWS },
        cols: n,
        terms: k,
        tiles,
    }
}

/// Any product.
#[inline(always)]
pub(super) fn multiply<T: Product>(
    task: Task<T>,
    tiles: Tiles,
    a: &[T],
    b: &[T],
    c: &mut [T],
    work: &mut [T],
) {
    let plan = plan(&task, tiles);
    if !plan.copy_a && !plan.copy_b && task.k <= TERMS && plan.rows >= task.m {
        // Without detours: small products take no longer than this.
        let Task { n, k, accumulate, scale, .. } = task;
        threads::by_rows(&task, (n, k), FEW_ROWS, c, &mut [], |of, c, _| {
            let (a, a_step) = in_place(&task, &plan, a, of.start, 0);
            let (across, b_step, m) = (plan.across, task.b.rows, of.len());
            let at = Block { m, n, k, across, a_step, b_step, b_panel: 0, b_last: 0 };
            let target = Target { rows: task.c.rows, cols: task.c.cols, first: 0, accumulate, scale };
            block(at, a, &b[task.b.offset..], target, c);
        });
    } else {
        let part = |task: Task<T>, c: &mut [T], work: &mut [T]| blocks(task, plan, a, b, c, work);
        if !threads::by_terms(&task, TERMS, c, work, part) {
            part(task, c, work);
        }
    }
}

/// All blocks of a product.
#[inline(never)]
fn blocks<T: Product>(task: Task<T>, mut plan: Plan, a: &[T], b: &[T], c: &mut [T], work: &mut [T]) {
    plan.terms = even(task.k, TERMS, 1);
    if plan.copy_b {
        plan.cols = even(task.n, COLS, plan.tiles.cols);
    }
    if plan.copy_a {
        plan.rows = plan.rows.min(ROWS);
    }
    let (for_b, work) = lines(work, if plan.copy_b { TERMS * (COLS + GAP) } else { 0 });
    let (for_a, _) = lines(work, if plan.copy_a { (ROWS + GAP) * (TERMS + GAP) } else { 0 });
    for j in (0..task.n).step_by(plan.cols) {
        let n = plan.cols.min(task.n - j);
        // At least a vector of columns, if vectors of C are to be stored and it has so many.
        let short = n < plan.tiles.width && task.n >= plan.tiles.width && task.c.cols == 1;
        let (place, n) = if short { (task.n - plan.tiles.width, plan.tiles.width) } else { (j, n) };
        for p in (0..task.k).step_by(plan.terms) {
            let k = plan.terms.min(task.k - p);
            let (b, b_step, b_panel) = match plan.copy_b {
                true => copied(&task, &plan, b, (place, n), (p, k), for_b),
                false => (&b[task.b.at(p, place)..], task.b.rows, 0),
            };
            let unit = if plan.copy_a { plan.rows } else { FEW_ROWS };
            threads::by_rows(&task, (n, k), unit, c, for_a, |of, c, for_a| {
                for i in of.clone().step_by(plan.rows) {
                    let m = plan.rows.min(of.end - i);
                    let (a, a_step) = match plan.copy_a {
                        true => {
                            let from = Matrix { offset: task.a.at(i, p), ..task.a };
                            let (from, m, k) =
                                if plan.across { (from.transposed(), k, m) } else { (from, m, k) };
                            pack::copy(a, from, m, k, for_a, k + GAP);
                            (&*for_a, k + GAP)
                        }
                        false => in_place(&task, &plan, a, i, p),
                    };
                    let b_last = n.saturating_sub(plan.tiles.width);
                    let at = Block { m, n, k, across: plan.across, a_step, b_step, b_panel, b_last };
                    let (first, accumulate) = (j - place, task.accumulate || p > 0);
                    let Task { scale, c: Matrix { rows, cols, .. }, .. } = task;
                    let target = Target { rows, cols, first, accumulate, scale };
                    let from = (i - of.start) * rows + place * cols;
                    block(at, a, b, target, &mut c[from..]);
                }
            });
        }
    }
}

/// A from row `i` and term `p` on, and the distance of its rows, or of its columns.
#[inline(always)]
fn in_place<'a, T: Product>(task: &Task<T>, plan: &Plan, a: &'a [T], i: usize, p: usize) -> (&'a [T], usize) {
    (&a[task.a.at(i, p)..], if plan.across { task.a.cols } else { task.a.rows })
}

/// A copy of columns `j` to `j + n` and terms `p` to `p + k` of B, the distance of its rows, and that of its panels or 0.
fn copied<'a, T: Product>(
    task: &Task<T>,
    plan: &Plan,
    b: &[T],
    (j, n): (usize, usize),
    (p, k): (usize, usize),
    to: &'a mut [T],
) -> (&'a [T], usize, usize) {
    let from = |q: usize| Matrix { offset: task.b.at(p, j + q), ..task.b };
    if !plan.panels {
        pack::copy(b, from(0), k, n, to, n + GAP);
        return (to, n + GAP, 0);
    }
    let step = plan.tiles.cols;
    for q in (0..n).step_by(step) {
        // The last one has at least a vector of columns.
        let w = step.min(n - q).max(plan.tiles.width);
        let q_from = q.min(n - w);
        pack::copy(b, from(q_from), k, w, &mut to[q * k..][..step * k], step);
    }
    (to, step, step * k)
}

/// The size of blocks up to `most`, a multiple of `unit`, so that all are about equal.
fn even(size: usize, most: usize, unit: usize) -> usize {
    size.div_ceil(size.div_ceil(most)).next_multiple_of(unit).min(most)
}
