use tensor_rt::tensor;

tensor! {
    fn g<n>(a: [f64; n]) -> f64 { sum i { a[i] } }
    fn f(x: f64) -> f64 { g(x) }
}

fn main() {}
