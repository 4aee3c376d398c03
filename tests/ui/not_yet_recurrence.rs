use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { fold t in 0..n from s = 0.0 { 0.5 * s + x[t] } }
    fn df = grad(f);
}

fn main() {}
