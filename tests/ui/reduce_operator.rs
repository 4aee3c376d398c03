use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { reduce i from p = 1.0 { p * x[i] } }
}

fn main() {}
