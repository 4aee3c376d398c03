use tensor_rt::tensor;

fn main() {
    let x = vec![1.0, 2.0];
    let _ = tensor!(sum i, j { x[i] * x[i, j] });
}
