use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], s: f64) -> f64 { if s > 0.0 { x } else { s } }
}

fn main() {}
