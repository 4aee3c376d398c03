use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], s: f64) -> [f64; n] { for i in 0..n { x[i * s] } }
}

fn main() {}
