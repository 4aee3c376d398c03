use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + y[t] }; y }
}

fn main() {}
