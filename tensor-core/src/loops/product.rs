//! Matmuls.

use super::leaf::Operand;
use super::visit::How;
use super::walk::substitute;
use super::{Place, VarId};
use crate::index::Affine;
use crate::ssa::Index;
use crate::weights;

/// `c[…] = scale · Σ_inner a[…] · b[…]` for all rows and columns of the band, or `+=`: a matmul. Each of the three indices stands by
/// itself in one dimension of two of the places.
#[derive(Clone, PartialEq, Debug)]
pub struct Product {
    /// Of `a` and `c`: bound here, and how often it runs, from 0.
    pub rows: (Index, Affine),
    /// Of `b` and `c`.
    pub cols: (Index, Affine),
    /// Of `a` and `b`.
    pub inner: (Index, Affine),
    /// The elements of `c` that are written, if not all are.
    pub band: Option<Band>,
    /// Whether what is above the diagonal, which is the band, is written below it, too.
    pub across: bool,
    /// The iterations of one of the indices that run, if not all do. With a band it is that of the sums.
    pub part: Option<Part>,
    /// Where the result goes.
    pub c: Place,
    /// Left factor.
    pub a: Place,
    /// Right factor.
    pub b: Place,
    /// What each sum is multiplied with.
    pub scale: f64,
    /// Whether it is added to what is there.
    pub adds: bool,
    /// Room for the kernel, a buffer.
    pub work: VarId,
}

/// The elements of a square matrix on one side of its diagonal become those across it: `c[j, i] = c[i, j]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Symmetrize {
    /// The matrix, from its first element on: one on the diagonal of an array that is a square matrix, row by row.
    pub c: Place,
    /// How many rows, and columns, that array has.
    pub stride: Affine,
    /// How many rows, and columns, there are.
    pub rows: Affine,
    /// Of how many rows the blocks on the diagonal are that stay as they are: 1 for the diagonal itself.
    pub block: Affine,
    /// Whether those above the diagonal are known, and not those below.
    pub above: bool,
    /// How.
    pub way: Way,
}

/// How the elements of a matrix are copied across its diagonal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// In registers: a square of [`Way::ROWS`] rows inside a larger one, known above its diagonal.
    Registers,
    /// By two loops over a whole array, which is small and of literal extents.
    Loops,
    /// By the kernel.
    Kernel,
}

impl Way {
    /// The rows of a square in registers.
    pub const ROWS: i64 = weights::jam::SQUARE;
}

/// Of the iterations of an index, those from `lower` to `upper` that there are.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Which.
    pub index: Index,
    /// The first, if it is not before 0.
    pub lower: Affine,
    /// The last, if there are so many.
    pub upper: Affine,
}

/// A part of a matrix on one side of a diagonal, which is a form of sizes.
#[derive(Clone, PartialEq, Debug)]
pub enum Band {
    /// `row + diagonal <= column`
    From(Affine),
    /// `column <= row + diagonal`
    UpTo(Affine),
}

impl Product {
    /// See [`Leaf::visit`](super::Leaf::visit).
    pub(super) fn visit(&self, f: &mut dyn FnMut(Operand<'_>)) {
        let dims = [&self.rows, &self.cols, &self.inner];
        let of_band = self.band.iter().map(Band::diagonal);
        let of_part = self.part.iter().flat_map(|q| [&q.lower, &q.upper]);
        dims.iter().map(|d| &d.1).chain(of_band).chain(of_part).for_each(|a| f(Operand::Form(a)));
        dims.iter().for_each(|d| f(Operand::Bound(d.0)));
        [&self.a, &self.b].into_iter().for_each(|p| f(Operand::Place(p, How::Read)));
        f(Operand::Place(&self.c, if self.adds { How::Combine } else { How::Assign }));
        f(Operand::Filled(self.work));
    }

    /// See [`Leaf::map`](super::Leaf::map).
    pub(super) fn map(
        self,
        form: &mut dyn FnMut(&Affine) -> Affine,
        place: &mut dyn FnMut(Place) -> Place,
        var: &mut dyn FnMut(VarId) -> VarId,
    ) -> Product {
        let [rows, cols, inner] = [self.rows, self.cols, self.inner].map(|(i, n)| (i, form(&n)));
        let band = self.band.map(|b| match b {
            Band::From(a) => Band::From(form(&a)),
            Band::UpTo(a) => Band::UpTo(form(&a)),
        });
        let part = self.part.map(|q| Part { lower: form(&q.lower), upper: form(&q.upper), index: q.index });
        let [a, b, c] = [self.a, self.b, self.c].map(|p| place(p.map(form)));
        Product { rows, cols, inner, band, part, a, b, c, work: var(self.work), ..self }
    }

    /// Names its rows or columns otherwise.
    pub(crate) fn name(&mut self, from: Index, to: Index) {
        let part = self.part.as_mut().map(|q| &mut q.index);
        for i in [&mut self.rows.0, &mut self.cols.0].into_iter().chain(part).filter(|i| **i == from) {
            *i = to;
        }
        for p in [&mut self.a, &mut self.b, &mut self.c] {
            *p = p.map(&mut |a| substitute(a, &from.atom(), &to.affine()));
        }
    }

    /// Whether it is one that the kernel has.
    #[cfg(any(test, feature = "eval"))]
    pub(super) fn check(&self) -> Result<(), String> {
        if self.band.is_some() && self.part.as_ref().is_some_and(|q| q.index != self.inner.0) {
            return Err("a part of a band".into());
        }
        if self.across && self.band != Some(Band::From(Affine::zero())) {
            return Err("a product across that is no triangle".into());
        }
        Ok(())
    }
}

impl Symmetrize {
    /// See [`Leaf::map`](super::Leaf::map).
    pub(super) fn map(
        self,
        form: &mut dyn FnMut(&Affine) -> Affine,
        place: &mut dyn FnMut(Place) -> Place,
    ) -> Symmetrize {
        let [stride, rows, block] = [self.stride, self.rows, self.block].map(|a| form(&a));
        Symmetrize { stride, rows, block, c: place(self.c.map(form)), ..self }
    }

    /// Whether it begins on the diagonal.
    #[cfg(any(test, feature = "eval"))]
    pub(super) fn check(&self) -> Result<(), String> {
        let (row, column) = self.c.at.split_at(self.c.at.len() / 2);
        if row == column { Ok(()) } else { Err("what is symmetrized is not on the diagonal".into()) }
    }
}

impl Band {
    /// The diagonal that is its edge.
    #[must_use]
    pub fn diagonal(&self) -> &Affine {
        match self {
            Band::From(diagonal) | Band::UpTo(diagonal) => diagonal,
        }
    }
}
