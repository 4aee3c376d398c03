use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { sum i in 0..n { x[i] * y[i] } }
}

fn main() {}
