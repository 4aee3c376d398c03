use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { if x > 0.0 { x } }
}

fn main() {}
