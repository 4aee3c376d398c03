use tensor_rt::ndarray::{ArrayView1, ArrayView2, ArrayViewMut1};
use tensor_rt::tensor;

fn solve(_: ArrayView2<f64>, _: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}

tensor! {
    extern fn solve<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n];
    fn square<n, m>(a: [f64; n, m], b: [f64; n]) -> [f64; n] { solve(a, b) }
    fn number<n>(a: [f64; n, n], b: f64) -> [f64; n] { solve(a, b) }
    fn many<n>(a: [f64; n, n]) -> [f64; n] { solve(a) }
    fn unknown<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { solv(a, b) }
}

fn main() {}
