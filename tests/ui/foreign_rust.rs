use tensor_rt::ndarray::{ArrayView1, ArrayViewMut1};
use tensor_rt::tensor;

fn wrong(_: ArrayView1<f64>, _: ArrayView1<f64>) -> f64 {
    0.0
}
fn right(_: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}

tensor! {
    extern fn wrong<n>(x: [f64; n]) -> [f64; n];
    extern fn right<n>(x: [f64; n]) -> [f64; n] { jvp = nowhere::to_be_found }
}

fn main() {}
