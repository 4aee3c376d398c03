use tensor_rt::tensor;

tensor! {
    fn f<n>(x: sparse[f64; r]) -> f64 { 0.0 }
}

fn main() {}
