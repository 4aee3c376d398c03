use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i { if x[i] { 1.0 } else { 0.0 } } }
}

fn main() {}
