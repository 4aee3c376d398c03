use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { for i { fold j in 0..i from s = 0.0 { 0.5 * s + x[j] } } }
}

fn main() {}
