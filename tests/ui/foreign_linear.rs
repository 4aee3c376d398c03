use tensor_rt::ndarray::{ArrayView1, ArrayView2, ArrayViewMut1};
use tensor_rt::tensor;

fn solve(_: ArrayView2<f64>, _: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}
fn added(_: ArrayView1<f64>, _: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}
fn added_back(_: ArrayView1<f64>, _: ArrayViewMut1<f64>, _: ArrayViewMut1<f64>) {}

tensor! {
    extern fn solve<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n];
    extern fn added<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { transpose = added_back }
    fn by_a_part<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { 2.0 * solve(a, b) }
    fn turned = transpose(by_a_part, b);
    fn both<n>(x: [f64; n]) -> [f64; n] { added(x, 2.0 * x) }
    fn both_turned = transpose(both);
    fn half<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { added(x, y) }
    fn half_turned = transpose(half, x);
}

fn main() {}
