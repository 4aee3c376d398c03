use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { sum i { x[i] } }
    fn push<n>(x: [f64; n], x_dot: [f64; n]) -> f64 { sum i { x_dot[i] * x_dot[i] } }
    impl jvp(f, x) = push;
}

fn main() {}
