use tensor_rt::tensor;

tensor! {
    fn f<const N: usize>(x: [f64; N]) -> f64 { sum i { x[i] } }
}

fn main() {}
