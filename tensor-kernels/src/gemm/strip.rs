//! Columns of a tile: how they are read from B and written to C.

use super::tile::{Block, Target};
use crate::simd::{Element, Lane, Lanes};

/// Vectors of columns: how they are read from B and written to C.
pub(super) trait Strip<T: Element, const N: usize>: Copy {
    /// From row `p` of B.
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; N];
    /// To the first R rows of C.
    fn finish<I: Lanes<T>, const R: usize>(
        &self,
        isa: I,
        at: Block,
        sums: [[I::Vector; N]; R],
        target: Target<T>,
        c: &mut [T],
    );
}

/// N vectors whose lanes all are columns of the block; C has its rows contiguous. The last vector may share lanes with what is before.
#[derive(Clone, Copy)]
pub(super) struct Tight<const N: usize> {
    /// The columns where vectors begin.
    places: [usize; N],
    /// The column that a row of B begins with, and how long it is.
    start: usize,
    b_len: usize,
    /// Lanes of the vector, if it is only one, that another strip has written or that stay as they are.
    written: usize,
}

impl<const N: usize> Tight<N> {
    /// From column `j` on; rows of B begin with the column `start`, and columns before `first` are not written.
    #[inline(always)]
    pub(super) fn new(at: Block, j: usize, start: usize, first: usize, width: usize) -> Tight<N> {
        let mut places = [0; N];
        for (l, place) in places.iter_mut().enumerate() {
            *place = (j + l * width).min(at.n - width);
        }
        let b_len = if at.b_panel > 0 { at.b_step } else { at.n };
        Tight { places, start, b_len, written: j.max(first) - places[0] }
    }
}

impl<T: Element, const N: usize> Strip<T, N> for Tight<N> {
    #[inline(always)]
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; N] {
        let row = &b[p * at.b_step..][..self.b_len];
        let mut y = [I::Vector::splat(isa, T::ZERO); N];
        for (y, place) in y.iter_mut().zip(self.places) {
            *y = I::Vector::load(isa, row, place - self.start);
        }
        y
    }

    #[inline(always)]
    fn finish<I: Lanes<T>, const R: usize>(
        &self,
        isa: I,
        at: Block,
        sums: [[I::Vector; N]; R],
        target: Target<T>,
        c: &mut [T],
    ) {
        let scale = I::Vector::splat(isa, target.scale);
        let zero = I::Vector::splat(isa, T::ZERO);
        let mask = I::Vector::iota(isa, 0, 1).ge(I::Vector::splat(isa, T::from_index(self.written as isize)));
        let mut c = c;
        for sums in sums {
            let row = &mut c[..at.n];
            let mut new = [zero; N];
            // All are read before one is written: where they share lanes these are equal.
            for l in 0..N {
                let old = if target.accumulate { I::Vector::load(isa, row, self.places[l]) } else { zero };
                new[l] = sums[l].mul_add(scale, old);
            }
            if N == 1 && self.written > 0 {
                new[0] = I::Vector::select(mask, new[0], I::Vector::load(isa, row, self.places[0]));
            }
            for (new, place) in new.iter().zip(self.places) {
                new.store(row, place);
            }
            c = c.get_mut(target.rows..).unwrap_or_default();
        }
    }
}

/// The most lanes of a vector.
const MOST: usize = 16;

/// A vector of which not all lanes need be columns of the block, for any strides of C.
#[derive(Clone, Copy)]
pub(super) struct Loose {
    j: usize,
    /// Lanes that are columns.
    count: usize,
}

impl Loose {
    #[inline(always)]
    pub(super) fn new(at: Block, j: usize, width: usize) -> Loose {
        Loose { j, count: width.min(at.n - j) }
    }
}

impl<T: Element> Strip<T, 1> for Loose {
    #[inline(always)]
    fn load<I: Lanes<T>>(&self, isa: I, at: Block, b: &[T], p: usize) -> [I::Vector; 1] {
        [I::Vector::load_part(isa, b, p * at.b_step + self.j, self.count)]
    }

    #[inline(always)]
    fn finish<I: Lanes<T>, const R: usize>(
        &self,
        isa: I,
        _: Block,
        sums: [[I::Vector; 1]; R],
        target: Target<T>,
        c: &mut [T],
    ) {
        let scale = I::Vector::splat(isa, target.scale);
        if target.cols == 1 {
            for (r, sum) in sums.into_iter().enumerate() {
                let place = r * target.rows + self.j;
                let zero = I::Vector::splat(isa, T::ZERO);
                let old =
                    if target.accumulate { I::Vector::load_part(isa, c, place, self.count) } else { zero };
                sum[0].mul_add(scale, old).store_part(c, place, self.count);
            }
            return;
        }
        let mut all = [[T::ZERO; MOST]; R];
        for r in 0..R {
            (sums[r][0] * scale).store(&mut all[r], 0);
        }
        for (r, all) in all.iter().enumerate() {
            let mut place = r * target.rows + self.j * target.cols;
            for &x in &all[..self.count] {
                let old = if target.accumulate { c[place] } else { T::ZERO };
                c[place] = (I::Scalar::splat(isa, old) + I::Scalar::splat(isa, x)).sum();
                place += target.cols;
            }
        }
    }
}
