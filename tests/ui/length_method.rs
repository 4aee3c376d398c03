use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i in 0..x.len() { x[i] } }
}

fn main() {}
