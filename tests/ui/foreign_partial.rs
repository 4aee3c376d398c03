use tensor_rt::ndarray::{ArrayView1, ArrayViewMut1};
use tensor_rt::tensor;

fn times(_: ArrayView1<f64>, _: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}

tensor! {
    extern fn times<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { transpose(y) = times }
    fn f<n>(x: [f64; n]) -> f64 { sum i { times(x, [1.0; n])[i] } }
    fn f_grad = grad(f);
}

tensor! {
    extern fn times<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { jvp(z) = g, vjp(x, x) = h, transpose(x, result) = t }
}

tensor! {
    extern fn times<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { vjp(y, result) = times_vjp }
    extern fn times_vjp<n>(x: [f64; n], y: [f64; n], y_bar: [f64; n]) -> [f64; n];
}

fn main() {}
