use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { x }
    fn g = grad(f, x, x);
}

fn main() {}
