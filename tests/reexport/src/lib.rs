//! A library that re-exports `tensor!`, and writes macros over it.

pub use tensor_rt::{self, tensor};

/// What a macro of this crate may use.
pub const HALF: f64 = 0.5;

/// The inner product of two variables, in which the names of the macro are apart from those of its caller.
#[macro_export]
macro_rules! dot {
    ($a:ident, $b:ident) => {
        $crate::tensor!(sum i { $a[i] * $b[i] })
    };
}

/// A function and its gradient.
#[macro_export]
macro_rules! halved {
    ($f:ident, $grad:ident, $x:ident, $e:expr) => {
        $crate::tensor! {
            fn $f($x: f64) -> f64 { let x = $crate::HALF; x * $e }
            fn $grad = grad($f);
        }
    };
}
