use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { x(i) } }
}

fn main() {}
