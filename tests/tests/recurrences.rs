//! Recurrences, against the same written in Rust.

use tensor_rt::ndarray::{Array2, Array3};
use tensor_rt::tensor;
use tensor_tests::by_hand::{self, differences, noise};

tensor! {
    /// A filter of first order.
    pub fn smooth<n>(x: [f64; n], a: f64) -> [f64; n] {
        scan t in 0..n from s = 0.0 { a * s + (1.0 - a) * x[t] }
    }

    /// The last of the states; where there are no steps, the first.
    pub fn last<n>(x: [f64; n], a: f64, start: f64) -> f64 {
        fold t in 0..n from s = start { a * s + x[t] }
    }

    /// From the last to the first.
    pub fn horner<n>(c: [f64; n], x: f64) -> f64 {
        fold k in (0..n).rev() from y = 0.0 { y * x + c[k] }
    }
    pub fn horner_grad = grad(horner);

    pub fn solve_lower<n>(l: [f64; n, n], b: [f64; n]) -> [f64; n] {
        let x = rec i in 0..n { (b[i] - sum j in 0..i { l[i, j] * x[j] }) / l[i, i] };
        x
    }

    pub fn solve_upper<n>(l: [f64; n, n], b: [f64; n]) -> [f64; n] {
        let x = rec i in (0..n).rev() { (b[i] - sum j in i + 1..n { l[j, i] * x[j] }) / l[i, i] };
        x
    }

    /// The factor, zero above the diagonal.
    pub fn cholesky<n>(a: [f64; n, n]) -> [f64; n, n] {
        let l = rec i in 0..n, j in 0..n if j <= i {
            let s = a[i, j] - sum k in 0..j { l[i, k] * l[j, k] };
            if i == j { s.sqrt() } else { s / l[j, j] }
        };
        l
    }

    /// Calls one recurrence after the other, one for each right-hand side.
    pub fn solve_all<n, m>(a: [f64; n, n], b: [f64; m, n]) -> [f64; m, n] {
        let l = cholesky(a);
        for k { solve_upper(l, solve_lower(l, b[k])) }
    }

    fn field(y: [f64; 2], p: [f64; 4]) -> [f64; 2] {
        [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
    }

    /// Predators and prey, by the method of Runge and Kutta.
    pub fn orbit(start: [f64; 2], p: [f64; 4], dt: f64, steps: usize) -> [f64; 2] {
        fold k in 0..steps from y = start {
            let k1 = field(y, p);
            let k2 = field(y + 0.5 * dt * k1, p);
            let k3 = field(y + 0.5 * dt * k2, p);
            let k4 = field(y + dt * k3, p);
            y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        }
    }

    /// A layer with memory, over a batch.
    pub fn network<n, b, m, k>(x: [f64; n, b, m], w: [f64; k, m], r: [f64; k, k]) -> [f64; n, b, k] {
        let h = rec t in 0..n {
            for i in 0..b, u in 0..k {
                ((sum j { w[u, j] * x[t, i, j] }) + if t >= 1 { sum j { r[u, j] * h[t - 1, i, j] } } else { 0.0 }).tanh()
            }
        };
        h
    }

    /// Until one step changes little: then the others leave the state as it is.
    pub fn root(a: f64, steps: usize) -> f64 {
        fold k in 0..steps from x = a if (x * x - a).abs() > 1e-9 { 0.5 * (x + a / x) }
    }

    /// Sums of squares of partial sums, as numbers of 32 bits, on threads.
    #[threads]
    pub fn energy<n, m>(x: [f32; m, n]) -> [f32; m] {
        for k in 0..m {
            let s = scan t in 0..n from s = 0.0 { s + x[k, t] };
            sum t { s[t] * s[t] }
        }
    }
}

fn close(a: &[f64], b: &[f64]) {
    by_hand::close(a, b, 1e-12);
}

#[test]
fn filters() {
    for n in [0, 1, 2, 7, 100] {
        let x = noise(n, 0.1);
        let mut wanted = vec![];
        let mut s = 0.0;
        for v in &x {
            s = 0.75 * s + 0.25 * v;
            wanted.push(s);
        }
        close(&smooth(&x, 0.75).unwrap().to_vec(), &wanted);
        let folded = x.iter().fold(3.0, |s, v| 0.5 * s + v);
        close(&[last(&x, 0.5, 3.0).unwrap()], &[folded]);
        let polynomial = x.iter().rev().fold(0.0, |y, c| y * 0.9 + c);
        close(&[horner(&x, 0.9).unwrap()], &[polynomial]);
        let (by_c, by_x) = horner_grad(&x, 0.9).unwrap();
        by_hand::close(&by_c.to_vec(), &differences(&x, |c| horner(c, 0.9).unwrap()), 1e-8);
        by_hand::close(&[by_x], &differences(&[0.9], |at| horner(&x, at[0]).unwrap()), 1e-8);
    }
}

#[test]
fn into_what_was_used_before() {
    let x = noise(5, 0.3);
    let mut out = vec![f64::NAN; 5];
    let mut work = tensor_rt::Workspace::new();
    for _ in 0..2 {
        smooth_into(&x, 0.5, &mut out, &mut work).unwrap();
        close(&out, &smooth(&x, 0.5).unwrap().to_vec());
    }
}

#[test]
fn linear_systems() {
    for n in [0, 1, 2, 5, 12] {
        let g = noise(n * n, 0.2);
        let a: Vec<f64> = (0..n * n)
            .map(|at| {
                let (i, j) = (at / n, at % n);
                let product: f64 = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
                product + if i == j { 1.0 } else { 0.0 }
            })
            .collect();
        let matrix = Array2::from_shape_vec((n, n), a.clone()).unwrap();
        let l = cholesky(&matrix).unwrap().into_raw_vec_and_offset().0;
        for (at, wanted) in a.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            let product: f64 = (0..n).map(|k| l[i * n + k] * l[j * n + k]).sum();
            close(&[product], &[*wanted]);
        }
        let b = noise(3 * n, 0.4);
        let sides = Array2::from_shape_vec((3, n), b.clone()).unwrap();
        let x = solve_all(&matrix, &sides).unwrap().into_raw_vec_and_offset().0;
        for k in 0..3 {
            let back: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[k * n + j]).sum()).collect();
            for (found, wanted) in back.iter().zip(&b[k * n..]) {
                assert!((found - wanted).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn integrators() {
    let p = [0.6, 0.4, 0.3, 0.5];
    let field = |y: [f64; 2]| [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]];
    let step = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for steps in [0, 1, 50] {
        let (mut y, dt) = ([1.0, 2.0], 0.05);
        for _ in 0..steps {
            let k1 = field(y);
            let k2 = field(step(y, k1, 0.5 * dt));
            let k3 = field(step(y, k2, 0.5 * dt));
            let k4 = field(step(y, k3, dt));
            for d in 0..2 {
                y[d] += dt / 6.0 * (k1[d] + 2.0 * k2[d] + 2.0 * k3[d] + k4[d]);
            }
        }
        close(&orbit(&[1.0, 2.0], &p, dt, steps).unwrap(), &y);
    }
}

#[test]
fn networks() {
    let (n, b, m, k) = (4, 3, 2, 5);
    let (x, w, r) = (noise(n * b * m, 0.1), noise(k * m, 0.6), noise(k * k, 0.9));
    let mut h = vec![0.0; n * b * k];
    for t in 0..n {
        for i in 0..b {
            for u in 0..k {
                let mut s: f64 = (0..m).map(|j| w[u * m + j] * x[(t * b + i) * m + j]).sum();
                if t >= 1 {
                    s += (0..k).map(|j| r[u * k + j] * h[((t - 1) * b + i) * k + j]).sum::<f64>();
                }
                h[(t * b + i) * k + u] = s.tanh();
            }
        }
    }
    let x = Array3::from_shape_vec((n, b, m), x).unwrap();
    let matrix = |rows, columns, all: Vec<f64>| Array2::from_shape_vec((rows, columns), all).unwrap();
    let found = network(&x, &matrix(k, m, w), &matrix(k, k, r)).unwrap();
    close(&found.into_raw_vec_and_offset().0, &h);
}

#[test]
fn conditions() {
    assert!((root(2.0, 20).unwrap() - 2.0_f64.sqrt()).abs() < 1e-9);
    assert_eq!(root(2.0, 0).unwrap().to_bits(), 2.0_f64.to_bits());
}

#[test]
fn numbers_of_32_bits() {
    let x: Vec<f32> = (0..12).map(|k| k as f32 * 0.25).collect();
    let found = energy(&Array2::from_shape_vec((3, 4), x.clone()).unwrap()).unwrap();
    for (k, found) in found.iter().enumerate() {
        let mut s = 0.0;
        let wanted: f32 = x[4 * k..4 * k + 4]
            .iter()
            .map(|v| {
                s += v;
                s * s
            })
            .sum();
        assert!((found - wanted).abs() < 1e-4 * wanted.max(1.0));
    }
}

#[test]
fn within_expressions() {
    let (x, a) = (noise(6, 0.7), 0.5_f64);
    let found: f64 = tensor!(|x: [f64; n], a: f64| fold t in 0..n from s = 1.0 { a * s + x[t] }).unwrap();
    close(&[found], &[x.iter().fold(1.0, |s, v| a * s + v)]);
}
