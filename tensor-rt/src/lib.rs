//! What a user of `tensor!` depends on.
#![cfg_attr(not(feature = "std"), no_std)]
pub use ndarray;
pub use tensor_macros::tensor;
