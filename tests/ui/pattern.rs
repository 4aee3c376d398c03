use tensor_rt::tensor;

tensor! {
    fn g(x: f64) -> (f64, f64) { (x, x) }
    fn f(x: f64) -> f64 { let (a, b, c) = g(x); a }
}

fn main() {}
