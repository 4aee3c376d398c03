use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { #[checkpoint(n)] fold t in 0..n from s = 0.0 { s + x[t] } }
}

fn main() {}
