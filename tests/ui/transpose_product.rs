use tensor_rt::tensor;

tensor! {
    fn f(x: f64, y: f64) -> f64 { x * y }
    fn g = transpose(f, y);
    fn h = transpose(f);
}

fn main() {}
