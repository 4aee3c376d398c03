use tensor_rt::tensor;

/// Young's modulus.
const E: f64 = 210e9;

tensor! {
    fn stress(strain: f64) -> f64 { E * strain }
}

fn main() {}
