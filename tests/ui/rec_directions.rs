use tensor_rt::tensor;

tensor! {
    fn intervals<n>(w: [f64; n]) -> [f64; n, n] {
        let e = rec i in 0..n, j in 0..n if i <= j {
            if i == j { w[i] } else { min k in i..j { e[i, k] + e[k + 1, j] } }
        };
        e
    }
}

fn main() {}
