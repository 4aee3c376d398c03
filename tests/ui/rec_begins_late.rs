use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n - 1] { let y = rec t in 1..n { x[t] + y[t - 2] }; y }
}

fn main() {}
