use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { for i { 2.0 * x[i] + 1.0 } }
    fn g = transpose(f, x);
}

fn main() {}
