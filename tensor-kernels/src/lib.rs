//! What [`tensor-rt`](https://docs.rs/tensor-rt) computes with. Depend on that crate, which has all of this under the same paths.
//!
//! It is a crate of its own because it needs nothing of the macro: cargo builds the two side by side.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod gemm;
#[doc(hidden)]
pub mod lines;
pub mod math;
#[doc(hidden)]
pub mod parallel;
pub mod simd;
