use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from (a, b) = (0.0, 1.0) { (a + x[t], [b, b]) }.0 }
}

fn main() {}
