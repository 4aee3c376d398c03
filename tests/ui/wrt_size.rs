use tensor_rt::tensor;

tensor! {
    fn f(x: f64, n: usize) -> f64 { x * (n as f64) }
    fn g = grad(f, n);
}

fn main() {}
