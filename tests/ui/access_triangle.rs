use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n, n]) -> f64 { sum i in 0..n, j in 0..=i + 1 { x[i, j] } }
}

fn main() {}
