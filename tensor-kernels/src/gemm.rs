//! Matmul (GEMM): `C += scale · A B`.
//!
//! ```
//! # use tensor_kernels as tensor_rt;
//! use tensor_rt::gemm::{Matrix, WORK, gemm};
//!
//! let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; // 2 by 3
//! let b = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]; // 2 by 3, taken as its transpose
//! let mut c = [0.0; 4];
//! let mut work = vec![0.0; WORK];
//! let (a_at, b_at) = (Matrix::new(0, 3, 1), Matrix::new(0, 1, 3));
//! gemm((2, 2, 3), &a, a_at, &b, b_at, &mut c, Matrix::new(0, 2, 1), false, 1.0, &mut work);
//! assert_eq!(c, [4.0, 5.0, 10.0, 11.0]);
//! ```
//!
//! # How
//!
//! A tile of C stays in registers while its row of tiles of A and its column of tiles of B pass by: an element of A is spread over a
//! vector, elements of B are loaded as vectors along the columns (see `tile.rs`). Small factors are used where they lie. Others are
//! packed block by block (`blocks.rs`), and so is what has strides that vectors cannot load. Products with
//! a vector are sums of rows or products of rows (`vector.rs`), and the smallest ones go ahead of all this (`small.rs`).
//!
//! A triangle or a band ([`gemm_band`]) is cut into rectangles, which are whole matmuls, and blocks on the diagonal, of which the elements
//! within are taken; a symmetric matmul is such a triangle, and then symmetrized ([`symmetrize`]).
//!
//! The code is compiled once, in this crate, for each element type and each instruction set. What is not worth an instruction set is
//! outside of the kernels: they run block by block, and blocks are laid out such that any of them is right.

mod band;
mod blocks;
mod pack;
mod small;
mod strip;
mod symmetric;
mod symmetrize;
#[doc(hidden)]
pub mod threads;
mod tile;
mod vector;

use crate::simd::Element;
pub use band::{Band, gemm_band};
pub use symmetric::gemm_symmetric;
pub use symmetrize::symmetrize;

/// How many elements of `work` a matmul needs at most, whatever its sizes.
pub const WORK: usize = blocks::WORK;

/// Where the elements of a matrix lie in a slice: that of row `i` and column `j` at `offset + i * rows + j * cols`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Where the first element is.
    pub offset: usize,
    /// From a row to the next.
    pub rows: usize,
    /// From a column to the next.
    pub cols: usize,
}

impl Matrix {
    /// A matrix from `offset` on, with these strides.
    #[must_use]
    pub const fn new(offset: usize, rows: usize, cols: usize) -> Matrix {
        Matrix { offset, rows, cols }
    }

    /// Its transpose.
    #[must_use]
    pub const fn transposed(self) -> Matrix {
        Matrix { offset: self.offset, rows: self.cols, cols: self.rows }
    }

    /// The index of an element.
    #[inline(always)]
    fn at(self, i: usize, j: usize) -> usize {
        self.offset + i * self.rows + j * self.cols
    }

    /// Panics unless all of `m` rows and `n` columns, of which there is at least one, lie in a slice of length `len`.
    #[inline(always)]
    fn check(self, m: usize, n: usize, len: usize) {
        let last = || {
            let (rows, cols) = ((m - 1).checked_mul(self.rows)?, (n - 1).checked_mul(self.cols)?);
            self.offset.checked_add(rows)?.checked_add(cols)
        };
        if last().is_none_or(|last| last >= len) {
            out_of_range(self, m, n, len)
        }
    }
}

#[cold]
#[inline(never)]
fn out_of_range(at: Matrix, m: usize, n: usize, len: usize) -> ! {
    panic!("a matrix of {m} rows and {n} columns, at {at:?}, is out of range for a slice of length {len}")
}

/// The element types of matmuls: `f64` and `f32`.
pub trait Product: Element + core::ops::AddAssign {
    /// [`gemm`] for this type, compiled in this crate.
    #[doc(hidden)]
    fn gemm(task: &Task<Self>, a: &[Self], b: &[Self], c: &mut [Self], work: &mut [Self]);
    /// [`gemm_symmetric`] for this type, compiled in this crate, if it is one of those that it has a way of its own for.
    #[doc(hidden)]
    fn symmetric(task: &Task<Self>, a: &[Self], b: &[Self], c: &mut [Self], work: &mut [Self]) -> bool;
    /// [`symmetrize`] for this type, compiled in this crate.
    #[doc(hidden)]
    fn symmetrize(n: usize, block: usize, c: &mut [Self], at: Matrix);
}

/// `C = scale · A B`, or with `accumulate` `C += scale · A B`, for the sizes (m, n, k) of A (m rows, k columns), B (k, n) and C (m, n).
///
/// Fast if C and each factor has a stride of 1; right for all strides, as long as no two elements of C are one. Without `accumulate`,
/// what was in C is not read. `work` has at least [`WORK`] elements, of any value, and holds no result.
///
/// The same inputs give the same bits with the same instruction set, at any addresses and whatever was in `work`. A call during which
/// another thread runs [`limit`](crate::simd::limit) may do a part of its blocks with either instruction set.
///
/// # Panics
/// If an element is out of range of its slice (then nothing is written) or `work` is too short.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub fn gemm<T: Product>(
    sizes: (usize, usize, usize),
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
    let (m, n, k) = sizes;
    // Written once, and read where it lies: a copy would have to wait for it.
    let task = Task { m, n, k, a: a_at, b: b_at, c: c_at, accumulate, scale, tasks: false };
    T::gemm(&task, a, b, c, work);
}

macro_rules! product {
    ($T:ty) => {
        impl Product for $T {
            #[inline(never)]
            fn gemm(task: &Task<$T>, a: &[$T], b: &[$T], c: &mut [$T], work: &mut [$T]) {
                if !small::multiply(task, a, b, c) {
                    task.run(a, b, c, work);
                }
            }
            #[inline(never)]
            fn symmetric(task: &Task<$T>, a: &[$T], b: &[$T], c: &mut [$T], work: &mut [$T]) -> bool {
                symmetric::multiply(task, a, b, c, work)
            }
            #[inline(never)]
            fn symmetrize(n: usize, block: usize, c: &mut [$T], at: Matrix) {
                symmetrize::run(n, block, c, at);
            }
        }
    };
}
product! { f64 }
product! { f32 }

/// The arguments of a product, but for the slices.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Task<T> {
    m: usize,
    n: usize,
    k: usize,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    accumulate: bool,
    scale: T,
    /// Whether it may be cut into tasks.
    tasks: bool,
}

impl<T: Product> Task<T> {
    /// The product in the way that suits its sizes and strides.
    #[inline(never)]
    fn run<'a>(mut self, mut a: &'a [T], mut b: &'a [T], c: &mut [T], work: &mut [T]) {
        let Task { m, n, k, .. } = self;
        if m == 0 || n == 0 {
            return;
        }
        self.c.check(m, n, c.len());
        if k == 0 {
            return if !self.accumulate {
                self.clear(c)
            };
        }
        self.a.check(m, k, a.len());
        self.b.check(k, n, b.len());
        self.free_strides();

        let tiles = tile::tiles::<T>();
        // A row or a column of C whose sums run along contiguous elements.
        let few = |size: usize| 4 * size <= tiles.width && k >= tiles.width;
        let by_columns = few(n) && self.a.cols == 1;
        let by_rows = few(m) && self.b.rows == 1;
        // Vectors lie along the rows of C, so there its elements should be contiguous.
        let across = self.c.rows == 1 && (self.c.cols != 1 || (n == 1 && self.a.rows == 1));
        if !by_columns && (by_rows || across) {
            self = self.transposed();
            (a, b) = (b, a);
        }
        if by_columns || by_rows {
            let unit = vector::ROWS;
            threads::by_rows(&self, (self.n, k), unit, c, &mut work[..vector::TERMS], |rows, c, work| {
                let a_at = Matrix { offset: self.a.at(rows.start, 0), ..self.a };
                let part = Task { m: rows.len(), a: a_at, c: Matrix { offset: 0, ..self.c }, ..self };
                vector::products_of_rows(part, a, b, c, work);
            });
        } else if self.m == 1 && self.b.cols == 1 && self.c.cols == 1 && self.n >= tiles.width {
            vector::sum_of_rows(self, a, b, c);
        } else {
            blocks::multiply(self, tiles, a, b, c, work);
        }
    }

    /// `Cᵀ = Bᵀ Aᵀ`; the slices of A and B change places too.
    #[inline(always)]
    fn transposed(self) -> Task<T> {
        let (a, b, c) = (self.b.transposed(), self.a.transposed(), self.c.transposed());
        Task { m: self.n, n: self.m, a, b, c, ..self }
    }

    /// Strides that lead nowhere may be 1, so let them.
    #[inline(always)]
    fn free_strides(&mut self) {
        if self.m == 1 {
            (self.a.rows, self.c.rows) = (1, 1);
        }
        if self.n == 1 {
            (self.b.cols, self.c.cols) = (1, 1);
        }
        if self.k == 1 {
            (self.a.cols, self.b.rows) = (1, 1);
        }
    }

    /// C = 0
    fn clear(&self, c: &mut [T]) {
        for i in 0..self.m {
            for j in 0..self.n {
                c[self.c.at(i, j)] = T::ZERO;
            }
        }
    }
}
