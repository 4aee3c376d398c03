//! Blocks of the factors that fit into the caches, copied where that pays.

use super::pack;
use super::tile::{Block, Target, Tiles, block};
use super::{Matrix, Product, Task};

/// Terms of a block.
const TERMS: usize = 256;
/// Rows of a block of A that is copied; a multiple of the rows of all tiles.
const ROWS: usize = 96;
/// Columns of a block of B that is copied; a multiple of the columns of all tiles.
const COLS: usize = 960;
/// After each row of a copy, so that rows do not fall on the same lines of a cache.
const GAP: usize = 8;

pub(super) const WORK: usize = TERMS * (COLS + GAP) + ROWS * (TERMS + GAP);

/// How a product is done: what is copied, and the sizes of blocks.
#[derive(Clone, Copy)]
struct Plan {
    copy_a: bool,
    copy_b: bool,
    /// Whether A's columns are contiguous, else its rows are, or will be.
    across: bool,
    rows: usize,
    cols: usize,
    /// Columns that are done at once and, if B is copied, lie together, and how far its rows are then apart.
    panel: usize,
    step: usize,
    /// Lanes of a vector.
    width: usize,
}

#[inline(always)]
fn plan<T>(task: &Task<T>, tiles: Tiles) -> Plan {
    let Task { m, n, k, .. } = *task;
    let large = (m > 256 || n > 256 || k > 256) && m > 16 && k > 32 && n >= tiles.width;
    let copy_a = (task.a.cols != 1 && task.a.rows != 1) || (large && n > 96);
    let copy_b = task.b.cols != 1 || large;
    let rows = if copy_a { ROWS } else { m };
    let cols = if copy_b { COLS } else { n };
    let (panel, step) = if large { (tiles.cols, tiles.cols) } else { (cols, n.min(cols) + GAP) };
    let across = task.a.cols != 1 && task.a.rows == 1;
    Plan { copy_a, copy_b, across, rows, cols, panel, step, width: tiles.width }
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
    if !plan.copy_a && !plan.copy_b && task.k <= TERMS {
        // Without detours: small products take no longer than this.
        let Task { m, n, k, accumulate, scale, .. } = task;
        let a_step = if plan.across { task.a.cols } else { task.a.rows };
        let at = Block { m, n, k, across: plan.across, a_step, b_step: task.b.rows };
        let target = Target { rows: task.c.rows, cols: task.c.cols, first: 0, accumulate, scale };
        block(at, &a[task.a.offset..], &b[task.b.offset..], target, &mut c[task.c.offset..]);
    } else {
        blocks(task, plan, a, b, c, work);
    }
}

/// All blocks of a product.
#[inline(never)]
fn blocks<T: Product>(task: Task<T>, plan: Plan, a: &[T], b: &[T], c: &mut [T], work: &mut [T]) {
    let (for_b, work) = work.split_at_mut(if plan.copy_b { TERMS * (COLS + GAP) } else { 0 });
    let for_a = &mut work[..if plan.copy_a { ROWS * (TERMS + GAP) } else { 0 }];
    for j in (0..task.n).step_by(plan.cols) {
        let n = plan.cols.min(task.n - j);
        for p in (0..task.k).step_by(TERMS) {
            let k = TERMS.min(task.k - p);
            if plan.copy_b {
                copy_panels(&task, &plan, b, (j, n), (p, k), for_b);
            }
            for i in (0..task.m).step_by(plan.rows) {
                let m = plan.rows.min(task.m - i);
                let from = Matrix { offset: task.a.at(i, p), ..task.a };
                let (a, a_step) = match (plan.copy_a, plan.across) {
                    (true, across) => {
                        pack::left(a, from, across, m, k, for_a, if across { m } else { k + GAP })
                    }
                    (false, true) => (&a[from.offset..], task.a.cols),
                    (false, false) => (&a[from.offset..], task.a.rows),
                };
                row_of_panels(&task, &plan, (a, a_step), (i, m), (j, n), (p, k), (b, for_b), c);
            }
        }
    }
}

/// Columns from `j` on, as `n` of them, and terms alike, copied panel by panel.
fn copy_panels<T: Product>(
    task: &Task<T>,
    plan: &Plan,
    b: &[T],
    (j, n): (usize, usize),
    (p, k): (usize, usize),
    to: &mut [T],
) {
    for q in (0..n).step_by(plan.panel) {
        let (place, w) = place(task, plan, j + q, plan.panel.min(n - q));
        let from = Matrix { offset: task.b.at(p, place), ..task.b };
        pack::panel(b, from, k, w, &mut to[q * k..][..plan.step * k], plan.step);
    }
}

/// Rows of C from `i` on, in the columns from `j` on, from the terms from `p` on.
#[allow(clippy::too_many_arguments)]
fn row_of_panels<T: Product>(
    task: &Task<T>,
    plan: &Plan,
    (a, a_step): (&[T], usize),
    (i, m): (usize, usize),
    (j, n): (usize, usize),
    (p, k): (usize, usize),
    (b, for_b): (&[T], &[T]),
    c: &mut [T],
) {
    for q in (0..n).step_by(plan.panel) {
        let (place, w) = place(task, plan, j + q, plan.panel.min(n - q));
        let (b, b_step) = match plan.copy_b {
            true => (&for_b[q * k..][..plan.step * k], plan.step),
            false => (&b[task.b.at(p, place)..], task.b.rows),
        };
        let at = Block { m, n: w, k, across: plan.across, a_step, b_step };
        let (rows, cols, accumulate) = (task.c.rows, task.c.cols, task.accumulate || p > 0);
        let target = Target { rows, cols, first: j + q - place, accumulate, scale: task.scale };
        block(at, a, b, target, &mut c[task.c.at(i, place)..]);
    }
}

/// Where a panel of `n` columns from `j` on begins and how many it has: at least a vector, if vectors of C are to be stored and it has
/// so many columns.
fn place<T>(task: &Task<T>, plan: &Plan, j: usize, n: usize) -> (usize, usize) {
    if n < plan.width && task.n >= plan.width && task.c.cols == 1 {
        (task.n - plan.width, plan.width)
    } else {
        (j, n)
    }
}
