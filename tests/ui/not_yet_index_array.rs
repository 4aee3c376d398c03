use tensor_rt::tensor;

tensor! {
    fn f<n, o>(x: [f64; n], k: [usize < n; o]) -> [f64; o] { for i { x[k[i]] } }
}

fn main() {}
