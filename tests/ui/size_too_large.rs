use tensor_rt::tensor;

tensor! {
    fn g<n>(x: [f64; n]) -> [f64; 1000000 * n] { for i in 0..1000000 * n { 0.0 } }
    fn f<n>(x: [f64; n]) -> f64 { sum i { g(g(g(x)))[i] } }
}

fn main() {}
