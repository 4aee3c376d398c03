//! Symmetric matrices of which one half is known.

use super::{Matrix, Product};
use crate::simd::{Element, Kernel4, Lanes, dispatch4};
use core::ops::Range;

/// Rows and columns of a tile, which is transposed in registers.
const TILE: usize = 8;

/// The elements below the diagonal of a matrix of `n` rows and columns become those above it: `C[i, j] = C[j, i]` where `j / block < i / block`. What is
/// in a block on the diagonal stays as it is: with `block` 1, an element.
///
/// (With the strides of the transposed matrix, those above become those below.)
///
/// # Panics
/// If an element is out of range, or `block` is 0 and there are rows (then nothing is written).
pub fn mirror<T: Product>(n: usize, block: usize, c: &mut [T], at: Matrix) {
    T::mirror(n, block, c, at);
}

/// See [`mirror`].
#[inline(always)]
pub(super) fn run<T: Product>(n: usize, block: usize, c: &mut [T], at: Matrix) {
    if n == 0 {
        return;
    }
    assert_ne!(block, 0, "blocks of no rows");
    at.check(n, n, c.len());
    dispatch4::<Mirror, T, _, _, _, _>(n, block, c, at);
}

struct Mirror;

impl<'a, T: Element> Kernel4<T, usize, usize, &'a mut [T], Matrix> for Mirror {
    type Out = ();
    #[inline(always)]
    fn run<I: Lanes<T>>(isa: I, n: usize, block: usize, c: &'a mut [T], at: Matrix) {
        // Along which elements of the matrix are contiguous.
        let stride = match at {
            Matrix { cols: 1, rows, .. } => Some(rows),
            Matrix { rows: 1, cols, .. } => Some(cols),
            Matrix { .. } => None,
        };
        for first in (0..n).step_by(TILE) {
            let rows = first..n.min(first + TILE);
            let Some(stride) = stride.filter(|_| rows.len() == TILE) else {
                rows.for_each(|i| row(c, at, i, 0..below(i, block)));
                continue;
            };
            let whole = below(first, block) / TILE * TILE;
            for j in (0..whole).step_by(TILE) {
                let all = isa.transposed(&read(c, at.at(j, first), stride));
                write(c, at.at(first, j), stride, all);
            }
            if block == 1 {
                let old = read(c, at.at(first, first), stride);
                let new = isa.transposed(&old);
                let all = if at.cols == 1 { merged(&new, &old) } else { merged(&old, &new) };
                write(c, at.at(first, first), stride, all);
            } else {
                rows.for_each(|i| row(c, at, i, whole..below(i, block)));
            }
        }
    }
}

/// The first column of the block on the diagonal in a row.
#[inline(always)]
fn below(row: usize, block: usize) -> usize {
    if block == 1 { row } else { row / block * block }
}

/// A part of row `i`, element by element.
#[inline(always)]
fn row<T: Copy>(c: &mut [T], at: Matrix, i: usize, columns: Range<usize>) {
    for j in columns {
        c[at.at(i, j)] = c[at.at(j, i)];
    }
}

// The rows of a tile are written one by one: in a loop or a closure, they would go through memory.
macro_rules! every_row {
    ($k:ident $e:expr) => {
        [
            every_row!(@ $k 0 $e), every_row!(@ $k 1 $e), every_row!(@ $k 2 $e), every_row!(@ $k 3 $e),
            every_row!(@ $k 4 $e), every_row!(@ $k 5 $e), every_row!(@ $k 6 $e), every_row!(@ $k 7 $e),
        ]
    };
    (@ $k:ident $n:literal $e:expr) => {{
        const $k: usize = $n;
        $e
    }};
}

/// The tile whose rows in memory begin at `from`.
#[inline(always)]
fn read<T: Element>(c: &[T], from: usize, stride: usize) -> [[T; TILE]; TILE] {
    every_row!(K {
        let mut row = [T::ZERO; TILE];
        row.copy_from_slice(&c[from + K * stride..][..TILE]);
        row
    })
}

/// To a tile whose rows in memory begin at `to`.
#[inline(always)]
fn write<T: Element>(c: &mut [T], to: usize, stride: usize, all: [[T; TILE]; TILE]) {
    every_row!(K c[to + K * stride..][..TILE].copy_from_slice(&all[K]));
}

/// Below the diagonal the elements of one tile, elsewhere those of another.
#[inline(always)]
fn merged<T: Element>(below: &[[T; TILE]; TILE], other: &[[T; TILE]; TILE]) -> [[T; TILE]; TILE] {
    every_row!(K {
        const ROW: usize = K;
        every_row!(K if precedes(K, ROW) { below[ROW][K] } else { other[ROW][K] })
    })
}

#[inline(always)]
const fn precedes(column: usize, row: usize) -> bool {
    column < row
}
