use tensor_rt::tensor;

tensor! {
    fn f<n>(b: [f64; n]) -> [f64; n] { let c = for i in 0..n { if i == 0 { b[i] } else { c[i - 1] + b[i] } }; c }
}

fn main() {}
