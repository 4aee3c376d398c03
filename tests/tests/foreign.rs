//! Rust functions over tensors, and what is derived of functions that call them.

use tensor_rt::ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, arr1, arr2};
use tensor_rt::{Error, tensor};

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

    /// `|A⁻¹ b|²`
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

/// The transpose of the cosine transform, which is symmetric but for its first row: here it is written to be symmetric.
fn cosine(x: ArrayView1<f64>, mut y: ArrayViewMut1<f64>) {
    let n = x.len() as f64;
    for (k, y) in y.iter_mut().enumerate() {
        let angle = |j: usize| std::f64::consts::PI * (j as f64 + 0.5) * (k as f64 + 0.5) / n;
        *y = x.iter().enumerate().map(|(j, x)| angle(j).cos() * x).sum();
    }
}

/// `s x`, and `s Σ x²`
fn scaled(x: ArrayView1<f32>, s: f32, mut y: ArrayViewMut1<f32>, sum: &mut f32) {
    y.assign(&(&x * s));
    *sum = s * x.iter().map(|x| x * x).sum::<f32>();
}

fn scaled_vjp(
    x: ArrayView1<f32>,
    s: f32,
    y_bar: ArrayView1<f32>,
    sum_bar: f32,
    mut x_bar: ArrayViewMut1<f32>,
    s_bar: &mut f32,
) {
    x_bar.assign(&(&y_bar * s + &x * (2.0 * s * sum_bar)));
    *s_bar = x.dot(&y_bar) + sum_bar * x.dot(&x);
}

/// The derivative of `solve_vjp` along a direction: `λ = A⁻ᵀ x̄`, `λ̇ = A⁻ᵀ (x̄˙ - Ȧᵀ λ)`, `Ā˙ = -λ̇ xᵀ - λ ẋᵀ`.
#[allow(clippy::too_many_arguments)]
fn solve_vjp_jvp(
    a: ArrayView2<f64>,
    b: ArrayView1<f64>,
    x_bar: ArrayView1<f64>,
    a_dot: ArrayView2<f64>,
    b_dot: ArrayView1<f64>,
    x_bar_dot: ArrayView1<f64>,
    mut a_bar_dot: ArrayViewMut2<f64>,
    mut b_bar_dot: ArrayViewMut1<f64>,
) {
    let x = eliminate(a.to_owned(), b.to_owned());
    let x_dot = eliminate(a.to_owned(), &b_dot - &a_dot.dot(&x));
    let l = eliminate(a.t().to_owned(), x_bar.to_owned());
    let l_dot = eliminate(a.t().to_owned(), &x_bar_dot - &a_dot.t().dot(&l));
    b_bar_dot.assign(&l_dot);
    for ((i, j), e) in a_bar_dot.indexed_iter_mut() {
        *e = -l_dot[i] * x[j] - l[i] * x_dot[j];
    }
}

tensor! {
    extern fn solve<n>(a: [f64; n, n], b: [f64; n]) -> [f64; n] { jvp = solve_jvp, vjp = solve_vjp }
    extern fn solve_vjp<n>(a: [f64; n, n], b: [f64; n], x_bar: [f64; n]) -> ([f64; n, n], [f64; n]) { jvp = solve_vjp_jvp }
    extern fn cosine<n>(x: [f64; n]) -> [f64; n] { transpose = cosine }

    /// The energy of a structure of which the stiffness depends on parameters.
    fn compliance<n>(p: [f64; n], b: [f64; n]) -> f64 {
        let x = solve(for i in 0..n, j in 0..n { if i == j { 2.0 + p[i] * p[i] } else { p[i] * p[j] / 8.0 } }, b);
        sum i { b[i] * x[i] }
    }
    fn compliance_grad = grad(compliance, p);
    fn compliance_hvp = hvp(compliance, p);
    fn compliance_hessian = hessian(compliance, p);
    fn compliance_linear = linearize(compliance, p);

    /// A system for each k, some of them left out.
    fn batched<k, n>(a: [f64; k, n, n], b: [f64; k, n]) -> [f64; k, n] {
        for t { if t + 1 < k { solve(a[t], b[t]) } else { b[t] } }
    }
    fn batched_vjp = vjp(batched);
    fn batched_by_b = jacobian(batched, b);

    fn filter<n>(x: [f64; n], w: [f64; n]) -> [f64; n] { let y = cosine(x); cosine(for i { w[i] * y[i] }) }
    fn filter_back = transpose(filter, x);
    fn filter_by_w = jacobian(filter, w);
}

tensor! {
    extern fn scaled<n>(x: [f32; n], s: f32) -> ([f32; n], f32) { vjp = scaled_vjp }
    fn both<n>(x: [f32; n], s: f32) -> f32 { let (y, t) = scaled(x, s); t + sum i { y[i] } }
    fn both_grad = value_and_grad(both);
    fn total<n>(x: [f32; n], s: f32) -> f32 { scaled(x, s).1 }
    fn total_grad = value_and_grad(total);
}

#[test]
fn second_derivatives_call_what_is_declared() -> Result<(), Error> {
    let (p, b, v) = (arr1(&[0.4, -0.3, 0.8]), arr1(&[1.0, 0.5, -1.0]), arr1(&[0.2, 1.0, -0.5]));
    let slope = |q: &[f64]| compliance(q, &b).unwrap();
    let (g, hv) = compliance_hvp(&p, &b, &v)?;
    close(g.as_slice().unwrap(), &differences(p.as_slice().unwrap(), &mut { slope }));
    let h = 1e-5;
    let (up, down) = (compliance_grad(&(&p + &(h * &v)), &b)?, compliance_grad(&(&p - &(h * &v)), &b)?);
    close(hv.as_slice().unwrap(), ((up - down) / (2.0 * h)).as_slice().unwrap());
    close(compliance_hessian(&p, &b)?.dot(&v).as_slice().unwrap(), hv.as_slice().unwrap());
    let (value, map) = compliance_linear(&p, &b)?;
    assert_eq!(value, compliance(&p, &b)?);
    close(map.apply_transpose(1.0)?.as_slice().unwrap(), g.as_slice().unwrap());
    assert!((map.apply(&v)? - g.dot(&v)).abs() < 1e-12);
    Ok(())
}

#[test]
fn calls_stand_in_loops_and_under_guards() -> Result<(), Error> {
    let (a, b) = point();
    // The last system is singular, and left out.
    let all = tensor_rt::ndarray::stack![tensor_rt::ndarray::Axis(0), a, a.t(), Array2::<f64>::zeros((3, 3))];
    let right = arr2(&[[1.0, -2.0, 0.5], [0.1, 0.2, 0.3], [7.0, 8.0, 9.0]]);
    let x = batched(&all, &right)?;
    close(x.row(0).as_slice().unwrap(), eliminate(a.clone(), b.clone()).as_slice().unwrap());
    close(x.row(2).as_slice().unwrap(), &[7.0, 8.0, 9.0]);
    let bar = arr2(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]);
    let (_, (da, db)) = batched_vjp(&all, &right, &bar)?;
    assert!(da.iter().chain(&db).all(|x| x.is_finite()));
    close(db.row(2).as_slice().unwrap(), &[0.5, 0.0, 0.0]);
    close(
        db.row(0).as_slice().unwrap(),
        eliminate(a.t().to_owned(), bar.row(0).to_owned()).as_slice().unwrap(),
    );
    let j = batched_by_b(&all, &right)?;
    assert!((j[[0, 1, 0, 2]] - db_of(&a, 1)[2]).abs() < 1e-12 && j[[0, 1, 1, 2]] == 0.0);
    Ok(())
}

/// A row of the inverse.
fn db_of(a: &Array2<f64>, row: usize) -> Array1<f64> {
    eliminate(a.t().to_owned(), Array1::from_shape_fn(a.nrows(), |i| f64::from(u8::from(i == row))))
}

#[test]
fn linear_functions_have_transposes() -> Result<(), Error> {
    let (x, y, w) = ([1.0, -0.5, 2.0, 0.25], [0.3, 0.1, -1.0, 0.7], [1.0, 0.5, 0.25, 0.0]);
    let (forward, back) = (filter(&x, &w)?, filter_back(&w, &y)?);
    let (a, b) = (forward.dot(&arr1(&y)), back.dot(&arr1(&x)));
    assert!((a - b).abs() < 1e-12, "{a} {b}");
    // It is linear in the weights as well.
    close(filter_by_w(&x, &w)?.dot(&arr1(&w)).as_slice().unwrap(), forward.as_slice().unwrap());
    Ok(())
}

#[test]
fn several_results_and_numbers() -> Result<(), Error> {
    let x = [1.0_f32, -2.0, 0.5];
    let (value, (dx, ds)) = both_grad(&x, 2.0)?;
    assert_eq!((value, ds), (10.5 - 1.0, 5.25 - 0.5));
    assert_eq!(dx.to_vec(), [2.0 + 4.0, 2.0 - 8.0, 2.0 + 2.0]);
    assert_eq!(total_grad(&x, 2.0)?, (10.5, (arr1(&[4.0, -8.0, 2.0]), 5.25)));
    Ok(())
}
