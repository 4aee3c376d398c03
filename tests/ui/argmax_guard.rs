use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { let k = argmax i in 0..n if i % 2 == 0 { x[i] }; x[k] }
}

fn main() {}
