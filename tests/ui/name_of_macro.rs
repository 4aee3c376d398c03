use tensor_rt::tensor;

macro_rules! cubed {
    ($f:ident, $e:expr) => {
        tensor! { fn $f(x: f64) -> f64 { x * $e } }
    };
}
cubed!(f, x * x);

fn main() {}
