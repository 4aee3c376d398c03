use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { for i in (0..n).rev() { x[i] } }
}

fn main() {}
