use tensor_rt::tensor;

tensor! {
    fn f(x: f64) -> f64 { x * x }
    fn g = jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(jvp(f))))))))))))))))))))))))))))))))))))))));
}

fn main() {}
