use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], r: rel[n]) -> f64 { sum i if r[i] { x[i] } }
}

fn main() {}
