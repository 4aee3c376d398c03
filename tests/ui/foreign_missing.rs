use tensor_rt::ndarray::{ArrayView1, ArrayView2, ArrayViewMut1};
use tensor_rt::tensor;

fn bare(_: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}
fn solve(_: ArrayView2<f64>, _: ArrayView1<f64>, _: ArrayViewMut1<f64>) {}
fn solve_jvp(
    _: ArrayView2<f64>,
    _: ArrayView1<f64>,
    _: ArrayView2<f64>,
    _: ArrayView1<f64>,
    _: ArrayViewMut1<f64>,
) {
}

tensor! {
    extern fn bare<n>(x: [f64; n]) -> [f64; n];
    extern fn solve<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { jvp = solve_jvp }
    fn fine<n>(a: [f64; n, n], x: [f64; n], y: [f64; n]) -> f64 {
        let z = bare(stop(x));
        let u = solve(a, y);
        sum i { x[i] * z[i] * u[i] }
    }
    fn fine_grad = grad(fine, x);
    fn fine_jvp = jvp(fine);
    fn by_y = grad(fine, y);
    fn second = jvp(fine_jvp, y);
    fn direct<n>(x: [f64; n]) -> [f64; n] { for i { bare(x)[i] + bare(stop(x))[i] } }
    fn direct_jvp = jvp(direct);
}

fn main() {}
