use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], s: f64) -> f64 { s * sum i { x[i] } }
    fn push<n>(x: [f64; n], s: f64, x_dot: [f64; n]) -> f64 { sum i { x_dot[i] * x_dot[i] } }
    impl jvp(f, x) = push;
    fn g<n>(x: [f64; n]) -> f64 { sum i { x[i] } }
    fn few<n>(x: [f64; n]) -> f64 { sum i { x[i] } }
    impl vjp(g) = few;
}

fn main() {}
