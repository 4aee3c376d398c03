use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { let y = x + 1.0 y }
}

fn main() {}
