use tensor_rt::tensor;

tensor! {
    extern fn whole(x: f64) -> f64 = f64::floor;
    fn fine(x: f64) -> f64 { whole(x) }
    fn needs_it = grad(fine, x);
    fn needs_it_too(x: f64) -> f64 { grad(whole(x) * x, x) }
}

fn main() {}
