//! Derivatives of recurrences: against what is known of them, and against differences.

use tensor_rt::ndarray::{Array2, Array3};
use tensor_rt::tensor;
use tensor_tests::by_hand::{close, differences, noise};

tensor! {
    /// What remains of a series.
    pub fn last<n>(x: [f64; n], a: f64, start: f64) -> f64 {
        fold t in 0..n from s = start { a * s + x[t] }
    }
    pub fn last_grad = grad(last);
    pub fn last_hessian = hessian(last, a);

    pub fn product<n>(x: [f64; n]) -> f64 { prod i { x[i] } }
    pub fn product_grad = grad(product);

    /// A polynomial, from its highest power on.
    pub fn horner<n>(c: [f64; n], x: f64) -> f64 {
        fold k in (0..n).rev() from y = 0.0 { y * x + c[k] }
    }
    pub fn horner_grad = value_and_grad(horner);

    fn cholesky<n>(a: [f64; n, n]) -> [f64; n, n] {
        let l = rec i in 0..n, j in 0..n if j <= i {
            let s = a[i, j] - sum k in 0..j { l[i, k] * l[j, k] };
            if i == j { s.sqrt() } else { s / l[j, j] }
        };
        l
    }

    /// The logarithm of a determinant. It reads the lower triangle.
    pub fn log_det<n>(a: [f64; n, n]) -> f64 {
        let l = cholesky(a);
        2.0 * sum i { l[i, i].ln() }
    }
    pub fn log_det_grad = grad(log_det);

    /// Solves with a lower triangle.
    pub fn solve<n>(l: [f64; n, n], b: [f64; n]) -> [f64; n] {
        let x = rec i in 0..n { (b[i] - sum j in 0..i { l[i, j] * x[j] }) / l[i, i] };
        x
    }
    pub fn solve_jvp = jvp(solve);
    pub fn solve_vjp = vjp(solve);
    pub fn solve_transposed = transpose(solve, b);

    fn field(y: [f64; 2], p: [f64; 4]) -> [f64; 2] {
        [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
    }

    /// How far predators and prey are from where they began.
    pub fn miss(start: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> f64 {
        let end = fold k in 0..steps from y = start {
            let k1 = field(y, p);
            let k2 = field(y + 0.5 * dt * k1, p);
            y + dt * k2
        };
        (end[0] - start[0]).powi(2) + (end[1] - start[1]).powi(2)
    }
    pub fn miss_grad = grad(miss);
    pub fn miss_hvp = hvp(miss, p);
    pub fn miss_hessian = hessian(miss, start);

    /// A layer with memory, over a batch.
    pub fn loss<n, b, m, k>(x: [f64; n, b, m], w: [f64; k, m], r: [f64; k, k]) -> f64 where n >= 1 {
        let h = rec t in 0..n {
            for i in 0..b, u in 0..k {
                ((sum j { w[u, j] * x[t, i, j] }) + if t >= 1 { sum j { r[u, j] * h[t - 1, i, j] } } else { 0.0 }).tanh()
            }
        };
        sum i, u { h[n - 1, i, u].powi(2) }
    }
    pub fn loss_grad = grad(loss);
    pub fn loss_lin = linearize(loss, w);

    /// What was before the last reset does not count, whatever it was.
    pub fn reset<n>(x: [f64; n], u: [f64; n]) -> f64 where n >= 1 {
        let y = rec t in 0..n {
            if x[t] > 0.0 { x[t] } else { [t >= 1] * 0.5 * y[t - 1] + u[t].sqrt() }
        };
        y[n - 1]
    }
    pub fn reset_grad = grad(reset);

    /// The gradient within an expression.
    pub fn slope<n>(x: [f64; n], a: f64) -> f64 {
        let b = a * a;
        let e = fold t in 0..n from s = 1.0 { b * s + x[t] };
        grad(e, b)
    }
}

#[test]
fn filters() {
    for n in [0, 1, 2, 7, 40] {
        let (x, a, start) = (noise(n, 0.1), 0.75, 2.0);
        let (by_x, by_a, by_start) = last_grad(&x, a, start).unwrap();
        let powers: Vec<f64> = (0..n).map(|t| a.powi((n - 1 - t) as i32)).collect();
        close(&by_x.to_vec(), &powers, 1e-13);
        close(&[by_start], &[a.powi(n as i32)], 1e-13);
        close(&[by_a], &differences(&[a], |a| last(&x, a[0], start).unwrap()), 1e-7);
        let second = differences(&[a], |a| last_grad(&x, a[0], start).unwrap().1);
        close(&[last_hessian(&x, a, start).unwrap()], &second, 1e-7);
        let by_square = differences(&[a * a], |b| x.iter().fold(1.0, |s, v| b[0] * s + v));
        close(&[slope(&x, a).unwrap()], &by_square, 1e-7);
    }
}

/// With a zero among the factors, and with two.
#[test]
fn products() {
    for zeros in [vec![], vec![2], vec![1, 4]] {
        let mut x = noise(6, 0.4);
        zeros.iter().for_each(|k: &usize| x[*k] = 0.0);
        let others =
            |k: usize| x.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, v)| v).product::<f64>();
        let wanted: Vec<f64> = (0..6).map(others).collect();
        close(&product_grad(&x).unwrap().to_vec(), &wanted, 1e-14);
    }
    let (y, (by_c, by_x)) = horner_grad(&[3.0, 0.0, 2.0], 0.5).unwrap();
    close(&[y, by_x], &[3.5, 2.0], 1e-15);
    close(&by_c.to_vec(), &[1.0, 0.5, 0.25], 1e-15);
}

#[test]
fn linear_systems() {
    for n in [0, 1, 2, 5] {
        let g = noise(n * n, 0.2);
        let a = Array2::from_shape_fn((n, n), |(i, j)| {
            (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum::<f64>() + f64::from(u8::from(i == j))
        });
        let found = log_det_grad(&a).unwrap();
        let flat: Vec<f64> = a.iter().copied().collect();
        let of = |x: &[f64]| log_det(&Array2::from_shape_vec((n, n), x.to_vec()).unwrap()).unwrap();
        close(&found.iter().copied().collect::<Vec<_>>(), &differences(&flat, of), 1e-6);

        let (l, b, y) =
            (Array2::from_shape_fn((n, n), |(i, j)| g[i * n + j] + 1.0), noise(n, 0.6), noise(n, 0.8));
        let (x, (by_l, by_b)) = solve_vjp(&l, &b, &y).unwrap();
        // The transposed system, from the last row on; what `l` contributes is the outer product.
        let mut wanted = y.clone();
        for i in (0..n).rev() {
            wanted[i] /= l[[i, i]];
            for j in 0..i {
                wanted[j] -= l[[i, j]] * wanted[i];
            }
        }
        close(&by_b.to_vec(), &wanted, 1e-12);
        close(&solve_transposed(&l, &y).unwrap().to_vec(), &wanted, 1e-12);
        for i in 0..n {
            for j in 0..n {
                let outer = if j <= i { -wanted[i] * x[j] } else { 0.0 };
                close(&[by_l[[i, j]]], &[outer], 1e-12);
            }
        }
        let (dl, db) = (Array2::from_shape_fn((n, n), |(i, j)| g[j * n + i]), noise(n, 0.9));
        let (_, x_dot) = solve_jvp(&l, &b, &dl, &db).unwrap();
        let forward: f64 = x_dot.iter().zip(&y).map(|(a, b)| a * b).sum();
        let backward: f64 = by_l.iter().zip(&dl).map(|(a, b)| a * b).sum::<f64>()
            + by_b.iter().zip(&db).map(|(a, b)| a * b).sum::<f64>();
        close(&[forward], &[backward], 1e-12);
    }
}

#[test]
fn integrators() {
    let (start, p, dt) = ([1.0, 2.0], [0.6, 0.4, 0.3, 0.5], 0.05);
    let four = |p: &[f64]| [p[0], p[1], p[2], p[3]];
    for steps in [0, 1, 30] {
        let (by_start, by_p, by_dt) = miss_grad(&start, &p, dt, steps).unwrap();
        let of_start = |s: &[f64]| miss(&[s[0], s[1]], &p, dt, steps).unwrap();
        close(&by_start, &differences(&start, of_start), 1e-7);
        close(&by_p, &differences(&p, |p| miss(&start, &four(p), dt, steps).unwrap()), 1e-7);
        close(&[by_dt], &differences(&[dt], |dt| miss(&start, &p, dt[0], steps).unwrap()), 1e-6);
        let along = [0.3, -0.2, 0.5, 0.1];
        let (_, product) = miss_hvp(&start, &p, dt, steps, &along).unwrap();
        let wanted = differences(&[0.0], |h| {
            let moved: Vec<f64> = p.iter().zip(along).map(|(p, a)| p + h[0] * a).collect();
            miss_grad(&start, &four(&moved), dt, steps).unwrap().1[0]
        });
        close(&product[..1], &wanted, 1e-6);
        let hessian = miss_hessian(&start, &p, dt, steps).unwrap();
        close(&[hessian[0][1]], &[hessian[1][0]], 1e-12);
        let wanted = differences(&start, |s| miss_grad(&[s[0], s[1]], &p, dt, steps).unwrap().0[0]);
        close(&hessian[0], &wanted, 1e-6);
    }
}

#[test]
fn networks() {
    let (n, b, m, k) = (4, 3, 2, 5);
    let x = Array3::from_shape_vec((n, b, m), noise(n * b * m, 0.1)).unwrap();
    let matrix = |rows, columns, all: &[f64]| Array2::from_shape_vec((rows, columns), all.to_vec()).unwrap();
    let (w, r) = (noise(k * m, 0.6), noise(k * k, 0.9));
    let (_, by_w, by_r) = loss_grad(&x, &matrix(k, m, &w), &matrix(k, k, &r)).unwrap();
    let of_w = |w: &[f64]| loss(&x, &matrix(k, m, w), &matrix(k, k, &r)).unwrap();
    let of_r = |r: &[f64]| loss(&x, &matrix(k, m, &w), &matrix(k, k, r)).unwrap();
    close(&by_w.iter().copied().collect::<Vec<_>>(), &differences(&w, of_w), 1e-6);
    close(&by_r.iter().copied().collect::<Vec<_>>(), &differences(&r, of_r), 1e-6);
    let (_, map) = loss_lin(&x, &matrix(k, m, &w), &matrix(k, k, &r)).unwrap();
    let dot = noise(k * m, 0.7);
    let wanted: f64 = by_w.iter().zip(&dot).map(|(a, b)| a * b).sum();
    close(&[map.apply(&matrix(k, m, &dot)).unwrap()], &[wanted], 1e-12);
}

/// An infinite slope that a later reset hides is no NaN.
#[test]
fn resets() {
    let found = reset_grad(&[-1.0, 2.0, -1.0], &[0.0, 0.0, 4.0]).unwrap();
    assert_eq!(found.0.to_vec(), [0.0, 0.5, 0.0]);
    assert_eq!(found.1.to_vec(), [0.0, 0.0, 0.25]);
}
