//! Elementwise functions, and what their adjoints make of a cotangent.

use tensor_rt::tensor;

tensor! {
    /// `exp`, and its adjoint.
    pub fn map_exp<n>(x: [f64; n]) -> [f64; n] { for i { x[i].exp() } }
    fn exp_paired<n>(x: [f64; n], y_bar: [f64; n]) -> f64 { sum i { y_bar[i] * x[i].exp() } }
    /// The adjoint.
    pub fn map_exp_grad = grad(exp_paired, x);

    /// The natural logarithm.
    pub fn map_ln<n>(x: [f64; n]) -> [f64; n] { for i { x[i].ln() } }
    fn ln_paired<n>(x: [f64; n], y_bar: [f64; n]) -> f64 { sum i { y_bar[i] * x[i].ln() } }
    /// The adjoint.
    pub fn map_ln_grad = grad(ln_paired, x);

    /// `tanh`.
    pub fn map_tanh<n>(x: [f64; n]) -> [f64; n] { for i { x[i].tanh() } }
    fn tanh_paired<n>(x: [f64; n], y_bar: [f64; n]) -> f64 { sum i { y_bar[i] * x[i].tanh() } }
    /// The adjoint.
    pub fn map_tanh_grad = grad(tanh_paired, x);

    /// `1 / (1 + e^-x)`.
    pub fn map_sigmoid<n>(x: [f64; n]) -> [f64; n] { for i { x[i].sigmoid() } }
    fn sigmoid_paired<n>(x: [f64; n], y_bar: [f64; n]) -> f64 { sum i { y_bar[i] * x[i].sigmoid() } }
    /// The adjoint.
    pub fn map_sigmoid_grad = grad(sigmoid_paired, x);

    /// `sin`.
    pub fn map_sin<n>(x: [f64; n]) -> [f64; n] { for i { x[i].sin() } }
    fn sin_paired<n>(x: [f64; n], y_bar: [f64; n]) -> f64 { sum i { y_bar[i] * x[i].sin() } }
    /// The adjoint.
    pub fn map_sin_grad = grad(sin_paired, x);
}
