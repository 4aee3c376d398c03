#![deny(warnings)]
use tensor_rt::tensor;

fn main() {
    let x = [1.0, 2.0];
    let y = [1.0, 2.0];
    let _ = tensor!(sum i { x[i + 1] + y[i] }).unwrap();
    let z = tensor!(for i { x[i] * unknown(y[i]) });
    drop(z);
}
