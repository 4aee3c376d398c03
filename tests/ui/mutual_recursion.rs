use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { g(x) }
    fn g(x: f64) -> f64 { f(x) }
}

fn main() {}
