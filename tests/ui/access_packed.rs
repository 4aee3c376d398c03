use tensor_rt::tensor;

tensor! {
    /// The diagonal is not in a packed triangle of what is strictly below it.
    fn f<d>(l: [f64; d * (d - 1) / 2], x: [f64; d]) -> f64 {
        sum i in 0..d, j in 0..=i { x[i] * l[i * (i - 1) / 2 + j] }
    }
}

fn main() {}
