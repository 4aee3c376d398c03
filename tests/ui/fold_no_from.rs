use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n { x[t] } }
}

fn main() {}
