use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i { (rec t { x[t] })[i] } }
}

fn main() {}
