//! The loop IR.

use crate::index::Affine;
use crate::ssa::Function;

/// A function as loops over buffers.
#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes, parameters, results, names. Tensor parameters and results are contiguous row-major buffers.
    pub function: Function,
    /// Buffers from the workspace.
    pub work: Vec<Buffer>,
}

/// A buffer from the workspace; its content on entry is arbitrary.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// A hint for its name.
    pub name: String,
    /// Its extents; its length is their product.
    pub extents: Vec<Affine>,
    /// Whether it holds indices (`isize`) rather than reals.
    pub holds_indices: bool,
}
