//! Products of matrices.

use super::{Place, VarId};
use crate::index::Affine;
use crate::ssa::Index;

/// `c[…] = scale · Σ_inner a[…] · b[…]` for all rows and columns of the band, or `+=`: a product of matrices. Each of the three indices stands by
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
pub struct Mirror {
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

impl Band {
    /// The diagonal that is its edge.
    #[must_use]
    pub fn diagonal(&self) -> &Affine {
        match self {
            Band::From(diagonal) | Band::UpTo(diagonal) => diagonal,
        }
    }
}
