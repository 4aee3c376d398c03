//! Rust functions over tensors, and what is derived of functions that call them.

use tensor_rt::ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, arr1, arr2};
use tensor_rt::{Error, Workspace, tensor};

/// Solves `A x = b` by elimination with pivots, in place.
fn eliminate(mut a: Array2<f64>, mut x: Array1<f64>) -> Array1<f64> {
    let n = x.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[[*i, k]].abs().total_cmp(&a[[*j, k]].abs())).unwrap_or(k);
        for j in 0..n {
            a.swap([k, j], [pivot, j]);
        }
        x.swap(k, pivot);
        for i in k + 1..n {
            let r = a[[i, k]] / a[[k, k]];
            for j in k..n {
                a[[i, j]] -= r * a[[k, j]];
            }
            x[i] -= r * x[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= a[[k, j]] * x[j];
        }
        x[k] /= a[[k, k]];
    }
    x
}

fn solve(a: ArrayView2<f64>, b: ArrayView1<f64>, mut out: ArrayViewMut1<f64>) {
    out.assign(&eliminate(a.to_owned(), b.to_owned()));
}

/// `A ẋ = ḃ - Ȧ x`
fn solve_jvp(
    a: ArrayView2<f64>,
    b: ArrayView1<f64>,
    a_dot: ArrayView2<f64>,
    b_dot: ArrayView1<f64>,
    mut out: ArrayViewMut1<f64>,
) {
    let x = eliminate(a.to_owned(), b.to_owned());
    out.assign(&eliminate(a.to_owned(), &b_dot - &a_dot.dot(&x)));
}

/// `Aᵀ b̄ = x̄`, `Ā = -b̄ xᵀ`
fn solve_vjp(
    a: ArrayView2<f64>,
    b: ArrayView1<f64>,
    x_bar: ArrayView1<f64>,
    mut a_bar: ArrayViewMut2<f64>,
    mut b_bar: ArrayViewMut1<f64>,
) {
    let x = eliminate(a.to_owned(), b.to_owned());
    b_bar.assign(&eliminate(a.t().to_owned(), x_bar.to_owned()));
    for ((i, j), e) in a_bar.indexed_iter_mut() {
        *e = -b_bar[i] * x[j];
    }
}

tensor! {
    extern fn solve<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { jvp = solve_jvp, vjp = solve_vjp }

    fn energy<n>(a: [f64; n, n], b: [f64; n]) -> f64 {
        let x = solve(a, b);
        sum i { x[i] * x[i] }
    }
    fn energy_grad = value_and_grad(energy);
    fn energy_by_b = grad(energy, b);
    fn energy_jvp = jvp(energy);
}

fn point() -> (Array2<f64>, Array1<f64>) {
    (arr2(&[[4.0, 1.0, 0.5], [-1.0, 3.0, 0.2], [0.3, 0.1, 2.0]]), arr1(&[1.0, -2.0, 0.5]))
}

/// `(f(x + h) - f(x - h)) / 2h` by each element.
fn differences(x: &[f64], f: &mut dyn FnMut(&[f64]) -> f64) -> Vec<f64> {
    let h = 1e-6;
    let mut at = |k: usize, by: f64| {
        let mut y = x.to_vec();
        y[k] += by;
        f(&y)
    };
    (0..x.len()).map(|k| (at(k, h) - at(k, -h)) / (2.0 * h)).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-7 * (1.0 + y.abs()), "{a:?}\n{b:?}");
    }
}

#[test]
fn a_solve_has_gradients() -> Result<(), Error> {
    let (a, b) = point();
    let x = eliminate(a.clone(), b.clone());
    close(a.dot(&x).as_slice().unwrap(), b.as_slice().unwrap());
    let (value, (da, db)) = energy_grad(&a, &b)?;
    assert!((value - x.dot(&x)).abs() < 1e-12);
    let of_a = |v: &[f64]| energy(&(v, [3, 3]), &b).unwrap();
    let by_a = differences(a.as_slice().unwrap(), &mut { of_a });
    close(da.as_slice().unwrap(), &by_a);
    let by_b = differences(b.as_slice().unwrap(), &mut |v| energy(&a, v).unwrap());
    close(db.as_slice().unwrap(), &by_b);
    close(energy_by_b(&a, &b)?.as_slice().unwrap(), &by_b);
    Ok(())
}

#[test]
fn a_direction_and_a_cotangent_agree() -> Result<(), Error> {
    let (a, b) = point();
    let (va, vb) = (a.t().to_owned(), arr1(&[0.3, -0.1, 0.7]));
    let (_, (da, db)) = energy_grad(&a, &b)?;
    let (_, dot) = energy_jvp(&a, &b, &va, &vb)?;
    let sum = (&da * &va).sum() + db.dot(&vb);
    assert!((dot - sum).abs() < 1e-10, "{dot} {sum}");
    Ok(())
}

#[test]
fn nothing_is_allocated_by_the_expansion() -> Result<(), Error> {
    let (a, b) = point();
    let mut work = Workspace::new();
    let (mut da, mut db) = (Array2::zeros((3, 3)), Array1::zeros(3));
    let value = energy_grad_into(&a, &b, &mut da, &mut db, &mut work)?;
    assert!((value - energy(&a, &b)?).abs() < 1e-12);
    Ok(())
}
