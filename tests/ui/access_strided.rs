use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n]) -> [f64; m] where m <= n { for i in 0..m { x[2 * i] } }
}

fn main() {}
