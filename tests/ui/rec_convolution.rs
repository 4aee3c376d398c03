use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n], h: [f64; m]) -> [f64; n] {
        let y = rec t { x[t] + sum k if k <= t { h[k] * y[t - k] } };
        y
    }
}

fn main() {}
