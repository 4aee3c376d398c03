use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { let k = 2 * i + 1; x[k] } }
}

fn main() {}
