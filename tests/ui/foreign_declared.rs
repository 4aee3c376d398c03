use tensor_rt::tensor;

tensor! {
    extern fn sized<n>(x: [f64; n], k: usize) -> [f64; k];
    extern fn partial<n>(x: [f64; n]) -> f64 { x: 1.0 }
    extern fn number(x: f64) -> f64 { jvp = number_jvp }
    extern fn key<n>(x: [f64; n]) -> f64 { hessian = key_hessian }
    extern fn twice<n>(x: [f64; n]) -> f64 { jvp = g, jvp = h }
    extern fn linear<n>(x: [f64; n]) -> f64 { transpose = g, jvp = h }
    extern fn shaped<n, m>(x: [f64; n, m], k: f64) -> [f64; m] { jvp = shaped_jvp, vjp = shaped_vjp }
    extern fn shaped_jvp<n, m>(x: [f64; n, m], k: f64, x_dot: [f64; n, n], k_dot: f64) -> [f64; m];
    extern fn shaped_vjp<n, m>(x: [f64; n, m], k: f64, y_bar: [f64; m]) -> [f64; n, m];
    extern fn own<n>(x: [f64; n]) -> f64 { vjp = of_block }
    fn of_block<n>(x: [f64; n], y_bar: f64) -> [f64; n] { for i { y_bar * x[i] } }
    extern fn large(x: [f64; 1, 1, 1, 1, 1, 1, 1]) -> f64;
    extern fn open<n>(x: [f64; n]) -> [f64; n] { jvp: x }
    extern fn missing<n>(x: [f64; n]) -> [f64; n] { jvp = }
}

fn main() {}
