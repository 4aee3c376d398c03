use tensor_rt::tensor;

tensor! {
    extern fn f(x: [f64; 3]) -> f64 { x: 1.0 }
    extern fn g(x: f64) -> f64 { y: 1.0 }
    extern fn h(x: f64) -> f64 x: 1.0;
}

fn main() {}
