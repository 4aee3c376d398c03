use tensor_rt::tensor;

tensor! {
    fn f(x: f64) { x }
}

fn main() {}
