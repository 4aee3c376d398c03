use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], s: f64) -> f64 { s * sum i { x[i] } }
    fn push<n>(x: [f64; n], s: f64, x_dot: [f64; n]) -> f64 { s * sum i { x_dot[i] } }
    impl jvp(f, x) = push;
    fn by_x = grad(f, x);
    fn by_s = grad(f, s);
}

fn main() {}
