use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; (n * n - n) / 2], w: [f64; n]) -> f64 {
        sum i in 2147483648..n, j in 0..i { (x[(i * i - i) / 2 + j] * PI).sin() * w[0] }
    }
    fn f_vjp = vjp(f);
}

fn main() {}
