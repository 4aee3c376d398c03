//! The functions of Rust over whole tensors that random programs call, for the evaluators. (`tensor_tests::foreign` has those that are compiled.)

use tensor_core::eval::{Tensor, outer};

/// `y[i] = 1/4 Σ_j cos(i j) v[j]`, which is symmetric.
fn spectrum(v: &[f64]) -> Vec<f64> {
    let one = |i: usize| v.iter().enumerate().map(|(j, v)| ((i * j) as f64).cos() * v).sum::<f64>() / 4.0;
    (0..v.len()).map(one).collect()
}

/// `y = spectrum(v) + c / 4`, and `Σ_j v[j] / (1 + j) + c / 2`.
fn spread(v: &[f64], c: f64) -> (Vec<f64>, f64) {
    let y = spectrum(v).into_iter().map(|y| y + c / 4.0).collect();
    (y, v.iter().enumerate().map(|(j, v)| v / (1 + j) as f64).sum::<f64>() + c / 2.0)
}

/// The transpose of that.
fn gather(y: &[f64], s: f64) -> (Vec<f64>, f64) {
    let v = spectrum(y).into_iter().enumerate().map(|(j, v)| v + s / (1 + j) as f64).collect();
    (v, y.iter().sum::<f64>() / 4.0 + s / 2.0)
}

/// Makes the functions known to the evaluators of this thread.
pub(crate) fn register() {
    let vector = |data: Vec<f64>| Tensor { shape: vec![data.len()], data };
    outer::register("tensor_tests::foreign::spectrum", move |x| vec![vector(spectrum(&x[0].data))]);
    for (name, f) in [("spread", spread as fn(&[f64], f64) -> (Vec<f64>, f64)), ("gather", gather)] {
        outer::register(&format!("tensor_tests::foreign::{name}"), move |x| {
            let (y, s) = f(&x[0].data, x[1].data[0]);
            vec![vector(y), Tensor::scalar(s)]
        });
    }
}
