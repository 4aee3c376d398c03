use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { sum i { x } }
}

fn main() {}
