use tensor_rt::tensor;

tensor! {
    #[cfg(unix)]
    fn f(x: f64) -> f64 { 2.0 * x }
    #[cfg(not(unix))]
    fn f(x: f64) -> f64 { 3.0 * y }
    fn g(x: f64) -> f64 { f(x, x) }
    #[cfg(unix)]
    fn h(x: f64) -> f64 { x }
    #[cfg(unix)]
    fn h(x: f64) -> f64 { x }
}

fn main() {}
