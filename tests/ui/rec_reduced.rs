use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + sum j { y[j] } }; y }
}

fn main() {}
