use tensor_rt::tensor;

tensor! {
    fn total<n>(x: [f64; n]) -> f64 { sum i { x[i] } }
    fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + [t >= 1] * total(y) }; y }
}

fn main() {}
