use tensor_rt::tensor;

tensor! {
    fn f_into(x: f64) -> f64 { x }
}

fn main() {}
