use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n], m: usize) -> [f64; m] where m <= n { for i in 0..m { x[2 * i] } }
}

fn main() {}
