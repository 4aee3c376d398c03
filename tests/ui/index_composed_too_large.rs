use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> f64 {
        let y = for i in 0..n { [1000000 * i < n] * x[1000000 * i] };
        let z = for i in 0..n { [1000000 * i < n] * y[1000000 * i] };
        sum i in 0..n { [1000000 * i < n] * z[1000000 * i] }
    }
}

fn main() {}
