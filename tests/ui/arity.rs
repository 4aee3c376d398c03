use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { x.atan2() }
}

fn main() {}
