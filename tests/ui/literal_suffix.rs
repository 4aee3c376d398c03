use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { 2.0f32 * x }
}

fn main() {}
