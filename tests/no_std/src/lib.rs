//! A library without `std` that calls `exp` and `ln`, which `core` does not have.
#![no_std]

use tensor_rt::tensor;

tensor! {
    /// Cross-entropy of the class `y` under the softmax of `s`.
    pub fn loss<n>(s: [f64; n], y: [f64; n]) -> f64 {
        let z = (sum c { s[c].exp() }).ln();
        sum c { y[c] * (z - s[c]) }
    }
    /// Its value, and its gradient by the scores.
    pub fn loss_grad = value_and_grad(loss, s);
}
