use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { x }
    fn f(y: f64) -> f64 { y }
}

fn main() {}
