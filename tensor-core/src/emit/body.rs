//! The body of a function: loops over slices.

use crate::loops::Program;
use proc_macro2::{Ident, TokenStream};

/// One private function `fn name(sizes: isize.., inputs.., outputs.., work..) -> scalars`:
///
/// * every size, by `Atom::Size`, as `isize`;
/// * every parameter leaf: `f64` by value at rank 0, else `&[f64]`, contiguous and row-major;
/// * every result leaf that is a tensor: `&mut [f64]`, content arbitrary on entry;
/// * every work buffer: `&mut [f64]`, or `&mut [isize]` for indices, content arbitrary on entry;
/// * returns the scalar result leaves: nothing, one bare, or a flat tuple.
#[must_use]
pub fn function(_program: &Program, _name: &Ident) -> TokenStream {
    todo!()
}
