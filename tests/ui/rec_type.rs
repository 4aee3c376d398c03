use tensor_rt::tensor;

tensor! {
    fn f<n, m>(x: [f64; n, m]) -> [f64; n, m] {
        let y = rec t in 0..n { if t >= 1 { 0.5 * y[t - 1] } else { x[0] } };
        let z: [f64; n] = rec t in 0..n { x[t] + [t >= 1] * z[t - 1] };
        y + z
    }
}

fn main() {}
