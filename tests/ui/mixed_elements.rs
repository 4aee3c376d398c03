use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], y: [f32; n]) -> f64 { sum i { x[i] * y[i] } }
}

fn main() {}
