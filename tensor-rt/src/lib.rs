//! What a user of [`tensor!`] depends on: the macro, and what its expansions call.
//!
//! ```
//! use tensor_rt::{AsTensor, AsTensorMut, Error, Workspace, ndarray::arr2};
//!
//! // Whatever holds the numbers is a tensor: arrays, slices, `Vec`, `ndarray`, a flat slice with its shape.
//! fn shape(a: &(impl AsTensor<f64, 2> + ?Sized)) -> [usize; 2] {
//!     a.shape()
//! }
//! assert_eq!(shape(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [3, 2]);
//! assert_eq!(shape(&vec![[1.0, 2.0]]), [1, 2]);
//! assert_eq!(shape(&arr2(&[[1.0, 2.0, 3.0]]).t()), [3, 1]);
//! assert_eq!(shape(&(&[1.0, 2.0, 3.0, 4.0][..], [2, 2])), [2, 2]);
//! ```
//!
//! # Arguments
//!
//! A tensor parameter is an `&(impl AsTensor<f64, R> + ?Sized)` of rank `R`, an output of an `_into` function an
//! `&mut (impl AsTensorMut<f64, R> + ?Sized)`. Scalars pass and return by value. See [`AsTensor`] for what implements them.
//!
//! # `no_std`
//!
//! Without the default feature `std` the crate needs `alloc` alone, and takes the functions of [`math`] from `libm`.
//!
//! # Versions
//!
//! * `ndarray` is a public dependency: results are its arrays. It is re-exported as [`ndarray`](mod@ndarray), and a change of its minor version
//!   (0.17 to 0.18) is a breaking change of this crate. Use `tensor_rt::ndarray`, or a dependency of the same minor version.
//! * Expansions call the hidden module `__private`, which may change in any release: the macro and this crate are always
//!   of the same version, since this crate depends on exactly the macro that it re-exports.
//! * The least supported Rust version is 1.88; to raise it is a minor change.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;
// Expansions say `::tensor_rt`, in the tests of this crate too.
#[cfg(test)]
extern crate self as tensor_rt;

#[doc(hidden)]
pub mod __private;
mod error;
pub mod math;
mod tensor;
mod workspace;

pub use error::{Error, Values};
pub use ndarray;
pub use tensor::{AsTensor, AsTensorMut};
pub use tensor_macros::tensor;
pub use workspace::Workspace;
