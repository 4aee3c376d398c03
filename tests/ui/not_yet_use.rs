use tensor_rt::tensor;

tensor! {
    use other::block;
    fn f(x: f64) -> f64 { x }
}

fn main() {}
