use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { x }
    fn g = hessian(f);
    fn h = hvp(grad(f), x);
}

fn main() {}
