use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + [t >= 1] * y[t - 1] + [t + 1 < n] * y[t + 1] }; y }
}

fn main() {}
