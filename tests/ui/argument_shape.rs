use tensor_rt::tensor;

tensor! {
    fn g<n>(a: [f64; n], b: [f64; n]) -> f64 { sum i { a[i] * b[i] } }
    fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { g(x, y) }
}

fn main() {}
