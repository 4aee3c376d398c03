use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { x * x }
    fn l = linearize(f);
    fn g(x: f64) -> f64 { l(x) }
    fn h = grad(l);
}

fn main() {}
