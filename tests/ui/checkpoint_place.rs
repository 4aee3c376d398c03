use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 { #[checkpoint(16)] let y = for i { x[i] }; sum i { y[i] } }
}

fn main() {}
