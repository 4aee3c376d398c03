use tensor_rt::tensor;

tensor! {
    fn g(a: f64, b: f64) -> f64 { a + b }
    fn f(x: f64) -> f64 { g(x) }
}

fn main() {}
