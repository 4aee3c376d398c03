use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i if x[i] > 0.0 { x[i] } }
    fn g = transpose(f, x);
}

fn main() {}
