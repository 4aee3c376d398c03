use tensor_rt::tensor;

tensor! {
    fn f(t: (f64, f64)) -> f64 { t.2 }
}

fn main() {}
