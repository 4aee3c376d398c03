use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n + 1]) -> f64 { let best = argmax i in 0..n + 1 { x[i] }; x[best + 1] }
}

fn main() {}
