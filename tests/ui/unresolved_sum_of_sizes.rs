use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n + m]) -> f64 { sum i in 0..n + m { x[i] } }
}

fn main() {}
