use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { sum k in 0..n { (for j in 0..i { x[j] })[k] } } }
}

fn main() {}
