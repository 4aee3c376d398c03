use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], y: [f64; n]) -> [f64; n] { for j in 0..n { let k = argmax i in 0..j { x[i] }; y[k] } }
}

fn main() {}
