use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n, m]) -> f64 { fold i, j from s = 0.0 { 0.5 * s + x[i, j] } }
}

fn main() {}
