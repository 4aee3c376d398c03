//! `_into` functions allocate nothing once their workspace has grown, and values of fused programs nothing at all.

use tensor_rt::ndarray::{ArrayView1, ArrayViewMut1};
use tensor_rt::{Workspace, tensor};

/// How often `run` allocates.
fn allocations<T>(run: impl FnOnce() -> T) -> u64 {
    let mut out = None;
    allocation_counter::measure(|| out = Some(run())).count_total
}

tensor! {
    fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
        let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
        sum i { (y[i] - z[i]).powi(2) }
    }
    fn misfit_grad = value_and_grad(misfit, x, w);

    fn softmax<n, k>(s: [f64; n, k], y: [f64; n, k]) -> f64 {
        sum i in 0..n { let z = logsumexp c { s[i, c] }; sum c { y[i, c] * (z - s[i, c]) } }
    }
    fn softmax_grad = value_and_grad(softmax, s);

    fn nearest<n, m>(x: [f64; n, m]) -> [f64; n] where m >= 1 {
        for i { let k = argmin j { x[i, j] }; x[i, k] }
    }
    fn nearest_vjp = vjp(nearest);

    extern fn turned<n>(x: [f64; n]) -> [f64; n] { transpose = turned }
    fn smooth<n, k>(x: [f64; k, n]) -> f64 {
        sum t { let y = turned(for i { x[t, i].sin() }); sum i { y[i] * turned(y)[i] } }
    }
    fn smooth_grad = value_and_grad(smooth);
}

fn turned(x: ArrayView1<f64>, mut y: ArrayViewMut1<f64>) {
    x.iter().rev().zip(&mut y).for_each(|(x, y)| *y = *x);
}

fn ramp(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.37).sin()).collect()
}

#[test]
fn values_allocate_nothing() {
    let (x, w, z) = (ramp(12), ramp(3), ramp(10));
    assert_eq!(allocations(|| misfit(&x, &w, &z).unwrap()), 0);
}

#[test]
fn gradients_allocate_their_outputs_and_one_buffer() {
    let (x, w, z) = (ramp(12), ramp(3), ramp(10));
    assert!(allocations(|| misfit_grad(&x, &w, &z).unwrap()) <= 3);
}

#[test]
fn second_calls_allocate_nothing() {
    let (x, w, z) = (ramp(12), ramp(3), ramp(10));
    let (mut dx, mut dw) = (ramp(12), ramp(3));
    let mut work = Workspace::new();
    let mut run = || misfit_grad_into(&x, &w, &z, &mut dx, &mut dw, &mut work).unwrap();
    let first = run();
    assert_eq!(allocations(&mut run), 0);
    assert_eq!(run(), first);

    let (s, y) = (ramp(12), ramp(12));
    let mut ds = ramp(12);
    let mut run = || {
        softmax_grad_into(&(&s[..], [4, 3]), &(&y[..], [4, 3]), &mut (&mut ds[..], [4, 3]), &mut work)
            .unwrap()
    };
    run();
    assert_eq!(allocations(run), 0);

    let (mut v, mut bar) = (ramp(4), ramp(12));
    let y_bar = ramp(4);
    let mut run = || {
        nearest_vjp_into(&(&s[..], [4, 3]), &y_bar, &mut v, &mut (&mut bar[..], [4, 3]), &mut work).unwrap()
    };
    run();
    assert_eq!(allocations(run), 0);
}

#[test]
fn views_that_are_not_contiguous_are_copied_to_the_workspace() {
    use tensor_rt::ndarray::Array1;
    let x = Array1::from(ramp(24));
    let x = x.slice(tensor_rt::ndarray::s![..;2]);
    let (w, z) = (ramp(3), ramp(10));
    let mut dx = Array1::zeros(24);
    let mut dx = dx.slice_mut(tensor_rt::ndarray::s![..;-2]);
    let mut dw = ramp(3);
    let mut work = Workspace::new();
    let mut run = || misfit_grad_into(&x, &w, &z, &mut dx, &mut dw, &mut work).unwrap();
    let value = run();
    assert_eq!(allocations(&mut run), 0);
    let (expected, (ex, ew)) = misfit_grad(&x.to_vec(), &w, &z).unwrap();
    assert_eq!((value, dx.to_vec(), dw), (expected, ex.to_vec(), ew.to_vec()));
}

#[test]
fn calls_of_functions_of_rust_allocate_nothing() {
    let (x, mut dx, mut work) = (ramp(12), ramp(12), Workspace::new());
    let mut run = || smooth_grad_into(&(&x[..], [3, 4]), &mut (&mut dx[..], [3, 4]), &mut work).unwrap();
    let first = run();
    assert_eq!(allocations(&mut run), 0);
    assert_eq!(run(), first);
}
