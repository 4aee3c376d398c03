use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n] { x + y }
}

fn main() {}
