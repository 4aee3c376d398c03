use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], y: f64) -> f64 { grad(y, x[0]) + grad(x, y) + grad(y, n) }
}

fn main() {}
