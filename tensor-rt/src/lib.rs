//! Differentiable tensor programs in Rust: the [`tensor!`] macro compiles them, and their derivatives, to safe loops.
//!
//! ```
//! use tensor_rt::tensor;
//!
//! tensor! {
//!     /// Energy of a chain of masses `x`, joined by springs of rest length 1.
//!     pub fn energy<n>(x: [f64; n], stiffness: f64) -> f64 {
//!         sum i in 0..n if i + 1 < n { 0.5 * stiffness * (x[i + 1] - x[i] - 1.0).powi(2) }
//!     }
//!
//!     /// Its value, and its gradient by the positions.
//!     pub fn energy_and_force = value_and_grad(energy, x);
//! }
//!
//! let (e, g) = energy_and_force(&[0.0, 1.5, 2.0], 2.0)?;
//! assert_eq!(e, 0.5);
//! assert_eq!(g.to_vec(), [-1.0, 2.0, -1.0]);
//! # Ok::<(), tensor_rt::Error>(())
//! ```
//!
//! `energy` and `energy_and_force` are Rust functions with documentation of their own: the program, its cost, its errors. Beside each stands
//! one that writes to memory of its caller, `energy_and_force_into`. The language is described in the manual, in the folder `docs` of the repository.
//!
//! # Arguments
//!
//! A tensor parameter is an `&(impl AsTensor<f64, R> + ?Sized)` of rank `R`, an output of an `_into` function an
//! `&mut (impl AsTensorMut<f64, R> + ?Sized)`. Scalars pass and return by value. Whatever holds the elements is a tensor:
//!
//! ```
//! use tensor_rt::{AsTensor, ndarray::arr2};
//!
//! fn shape(a: &(impl AsTensor<f64, 2> + ?Sized)) -> [usize; 2] {
//!     a.shape()
//! }
//! assert_eq!(shape(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [3, 2]);
//! assert_eq!(shape(&vec![[1.0, 2.0]]), [1, 2]);
//! assert_eq!(shape(&arr2(&[[1.0, 2.0, 3.0]]).t()), [3, 1]);
//! assert_eq!(shape(&(&[1.0, 2.0, 3.0, 4.0][..], [2, 2])), [2, 2]);
//! ```
//!
//! # `no_std`
//!
//! Without the default feature `std` the crate needs `alloc` alone, and takes the functions of [`math`] from `libm`:
//! `tensor-rt = { version = "0.1", default-features = false }`. Blocks are the same in either.
//!
//! # Versions
//!
//! * `ndarray` is a public dependency: results are its arrays. It is re-exported as [`ndarray`](mod@ndarray), and a change of its minor version
//!   (0.17 to 0.18) is a breaking change of this crate. Use `tensor_rt::ndarray`, or a dependency of the same minor version.
//! * Expansions call the hidden module `__private`, which may change in any release: the macro and this crate are always
//!   of the same version, since this crate depends on exactly the macro that it re-exports.
//! * The least supported Rust version is 1.90; to raise it is a minor change.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;
#[doc(hidden)]
pub mod __private;
mod error;
mod tensor;
mod workspace;

pub use error::{Error, Values};
pub use ndarray;
pub use tensor::{AsTensor, AsTensorMut};
#[doc(hidden)]
pub use tensor_kernels::parallel;
#[doc(inline)]
pub use tensor_kernels::{gemm, math, simd};
pub use workspace::Workspace;

/// Compiles a block of the `tensor!` language to safe Rust functions, or an expression of it over the variables around it to a value.
///
/// ```
/// use tensor_rt::tensor;
///
/// tensor! {
///     /// A matrix times a vector.
///     pub fn product<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] { for i { sum j { a[i, j] * x[j] } } }
///     /// Its value, and cotangents of `a` and `x` for one of the result.
///     pub fn product_vjp = vjp(product);
/// }
///
/// let (a, x) = ([[1.0, 2.0]], [3.0, 4.0]);
/// let y = tensor!(for i { sum j { a[i, j] * x[j] } })?;
/// assert_eq!(y, product(&a, &x)?);
/// # Ok::<(), tensor_rt::Error>(())
/// ```
///
/// A mistake is a compile error at its token. Every function gives two, `f` and `f_into`; both have documentation.
///
/// Expansions call this crate by itself (`$crate`), so that it may have another name in your `Cargo.toml`, and that a crate which re-exports
/// `tensor!` is enough to use it.
#[macro_export]
macro_rules! tensor {
    ($($block:tt)*) => { $crate::__private::expand! { $crate $($block)* } };
}
