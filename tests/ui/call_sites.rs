//! The signature of a function with a mistake is there: its call adds no error.
use tensor_rt::tensor;

tensor! {
    fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { x[i + 1] } }
    fn g = jvp(f);
}

fn main() {
    let x = vec![1.0, 2.0];
    let y = f(&x).unwrap();
    let (z, _) = g(&x, &y).unwrap();
    println!("{}", y[0] + z[0]);
}
