use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 {
        let y = #[checkpoint(16)] rec t in 0..n { x[t] + sum j in 0..t { y[j] } };
        sum t { y[t] }
    }
}

fn main() {}
