use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { let k = 2000000000 * i; let l = 2000000000 * k; [l < n] * x[l] } }
}

fn main() {}
