use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { let a = x[0]; let b = sum i { y[i] }; a + b + c }
    fn g = grad(f, z);
}

fn main() {}
