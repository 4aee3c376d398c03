//! The functions of Rust over whole tensors that random programs call.

use crate::Element;
use tensor_core::eval::{self, outer};
use tensor_rt::ndarray::{ArrayView1, ArrayViewMut1};

/// `y[i] = 1/4 Σ_j cos(i j) v[j]`, which is symmetric.
pub fn spectrum<T: Element>(v: ArrayView1<T>, mut y: ArrayViewMut1<T>) {
    for (i, y) in y.iter_mut().enumerate() {
        *y = T::of(v.iter().enumerate().map(|(j, v)| ((i * j) as f64).cos() * v.wide() / 4.0).sum());
    }
}

/// `y = spectrum(v) + c / 4`, and `Σ_j v[j] / (1 + j) + c / 2`.
pub fn spread<T: Element>(v: ArrayView1<T>, c: T, mut y: ArrayViewMut1<T>, s: &mut T) {
    spectrum(v, y.view_mut());
    y.iter_mut().for_each(|y| *y = T::of(y.wide() + c.wide() / 4.0));
    let sum: f64 = v.iter().enumerate().map(|(j, v)| v.wide() / (1 + j) as f64).sum();
    *s = T::of(sum + c.wide() / 2.0);
}

/// The transpose of [`spread`].
pub fn gather<T: Element>(y: ArrayView1<T>, s: T, mut v: ArrayViewMut1<T>, c: &mut T) {
    spectrum(y, v.view_mut());
    v.iter_mut().enumerate().for_each(|(j, v)| *v = T::of(v.wide() + s.wide() / (1 + j) as f64));
    *c = T::of(y.iter().map(|y| y.wide()).sum::<f64>() / 4.0 + s.wide() / 2.0);
}

/// Makes them known to the evaluators of this thread.
pub(crate) fn register() {
    let zeros = |x: &eval::Tensor| eval::Tensor::from_fn(&x.shape, |_| 0.0);
    outer::register("tensor_tests::foreign::spectrum", move |x| {
        let mut y = zeros(&x[0]);
        spectrum(ArrayView1::from(&x[0].data), ArrayViewMut1::from(&mut y.data));
        vec![y]
    });
    type OfTwo = fn(ArrayView1<f64>, f64, ArrayViewMut1<f64>, &mut f64);
    for (name, f) in [("spread", spread as OfTwo), ("gather", gather)] {
        outer::register(&format!("tensor_tests::foreign::{name}"), move |x| {
            let (mut y, mut s) = (zeros(&x[0]), 0.0);
            f(ArrayView1::from(&x[0].data), x[1].data[0], ArrayViewMut1::from(&mut y.data), &mut s);
            vec![y, eval::Tensor::scalar(s)]
        });
    }
}
