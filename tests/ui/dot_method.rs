use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], y: [f64; n]) -> f64 { x.dot(y) }
}

fn main() {}
