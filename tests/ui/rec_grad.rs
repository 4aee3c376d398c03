use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from s = 0.5 { s - 0.1 * grad((s - x[t]).powi(4), s) } }
}

fn main() {}
