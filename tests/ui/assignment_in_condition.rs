use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n if i = 1 { x[i] } }
}

fn main() {}
