//! Systems that evolve: filters, networks, mechanics; values and derivatives against Rust by hand, closed forms, and differences.

use tensor_rt::ndarray::Array2;
use tensor_rt::tensor;
use tensor_tests::by_hand::{close, cube, differences, matrix, noise};

tensor! {
    /// The log-likelihood of a local level by its Kalman filter, but for a constant.
    pub fn log_likelihood<n>(y: [f64; n], a0: f64, p0: f64, q: f64, h: f64) -> f64 {
        let (_, _, l) = fold t in 0..n from (a, p, l) = (a0, p0, 0.0) {
            let v = y[t] - a;
            let f = p + h;
            let k = p / f;
            (a + k * v, p * (1.0 - k) + q, l - 0.5 * (f.ln() + v * v / f))
        };
        l
    }
    pub fn log_likelihood_grad = value_and_grad(log_likelihood);

    /// A filter of second order, of each channel.
    pub fn biquad<n, c>(x: [f64; n, c], b: [f64; 3], a: [f64; 2]) -> [f64; n, c] {
        let y = rec t in 0..n {
            for k in 0..c {
                b[0] * x[t, k] + [t >= 1] * (b[1] * x[t - 1, k] - a[0] * y[t - 1, k]) + [t >= 2] * (b[2] * x[t - 2, k] - a[1] * y[t - 2, k])
            }
        };
        y
    }
    pub fn biquad_vjp = vjp(biquad);

    fn gru<n, m, k>(x: [f64; n, m], u: [f64; 3, k, m], w: [f64; 3, k, k], h0: [f64; k]) -> [f64; k] {
        fold t in 0..n from h = h0 {
            let gate = for g in 0..2, i in 0..k { (sum j { u[g, i, j] * x[t, j] } + sum j { w[g, i, j] * h[j] }).sigmoid() };
            let new = for i { (sum j { u[2, i, j] * x[t, j] } + gate[1, i] * sum j { w[2, i, j] * h[j] }).tanh() };
            for i { (1.0 - gate[0, i]) * new[i] + gate[0, i] * h[i] }
        }
    }
    /// Gated recurrent units over a batch of sequences.
    pub fn gru_loss<b, n, m, k>(x: [f64; b, n, m], y: [f64; b, k], u: [f64; 3, k, m], w: [f64; 3, k, k], h0: [f64; k]) -> f64 {
        sum s { let h = gru(x[s], u, w, h0); sum i { (h[i] - y[s, i]).powi(2) } }
    }
    pub fn gru_grad = value_and_grad(gru_loss, u, w, h0);

    /// Where bodies are, and how fast, after so many steps of leapfrog.
    pub fn bodies<n>(x0: [f64; n, 3], v0: [f64; n, 3], mass: [f64; n], dt: f64, steps: usize) -> ([f64; n, 3], [f64; n, 3]) {
        fold t in 0..steps from (x, v) = (x0, v0) {
            let x = x + dt * v;
            let a = for i in 0..n, c in 0..3 {
                sum j in 0..n if j != i {
                    let r2 = 0.01 + sum e in 0..3 { (x[j, e] - x[i, e]).powi(2) };
                    mass[j] * (x[j, c] - x[i, c]) / (r2 * r2.sqrt())
                }
            };
            (x, v + dt * a)
        }
    }
    pub fn spread<n>(x0: [f64; n, 3], v0: [f64; n, 3], mass: [f64; n], dt: f64, steps: usize) -> f64 {
        let (x, _) = bodies(x0, v0, mass, dt, steps);
        sum i, c { x[i, c] * x[i, c] }
    }
    pub fn spread_grad = grad(spread, x0, v0, mass);

    /// Where the hand of an arm in the plane is, of links of these lengths and the angles between them.
    pub fn hand<n>(angle: [f64; n], length: [f64; n]) -> (f64, f64) {
        let (x, y, _) = fold k in 0..n from (x, y, phi) = (0.0, 0.0, 0.0) {
            let phi = phi + angle[k];
            (x + length[k] * phi.cos(), y + length[k] * phi.sin(), phi)
        };
        (x, y)
    }
    pub fn hand_jacobian = jacobian(hand, angle);

    /// Exponential moving mean and variance.
    pub fn moving<n>(x: [f64; n], rate: f64) -> [(f64, f64); n] {
        scan t in 0..n from (mean, variance) = (0.0, 1.0) {
            let d = x[t] - mean;
            (mean + rate * d, (1.0 - rate) * (variance + rate * d * d))
        }
    }
    pub fn last_variance<n>(x: [f64; n], rate: f64) -> f64 where n >= 1 { let m = moving(x, rate); m[n - 1].1 }
    pub fn last_variance_grad = grad(last_variance);

    /// The logistic map.
    pub fn logistic(x0: f64, r: f64, steps: usize) -> f64 { fold k in 0..steps from x = x0 { r * x * (1.0 - x) } }
    pub fn logistic_1 = grad(logistic, x0);
    pub fn logistic_2 = grad(logistic_1, x0);
    pub fn logistic_3 = grad(logistic_2, x0);

    /// Affine maps, one after the other: `a x + b`.
    pub fn composed<n>(a: [f64; n], b: [f64; n]) -> (f64, f64) {
        reduce i in 0..n with |p, q| { (p.0 * q.0, q.0 * p.1 + q.1) } from (1.0, 0.0) { (a[i], b[i]) }
    }
    pub fn composed_vjp = vjp(composed);

    /// Euler's implicit method for `y' = f(t) - y³`: an iteration by Newton inside each step, which ends where it has converged.
    pub fn implicit<n>(y0: f64, force: [f64; n], dt: f64) -> f64 {
        fold t in 0..n from y = y0 {
            fold k in 0..20 from z = y if (z - y - dt * (force[t] - z.powi(3))).abs() > 1e-13 {
                z - (z - y - dt * (force[t] - z.powi(3))) / (1.0 + 3.0 * dt * z * z)
            }
        }
    }
    pub fn implicit_grad = grad(implicit);
}

/// The filter decomposes the density of a Gaussian whose covariance is `p0 + q min(s, t) + [s = t] h`.
#[test]
fn kalman_filter() {
    for n in [0, 1, 2, 6] {
        let (y, a0, p0, q, h) = (noise(n, 0.3), 0.7, 0.5, 0.2, 0.4);
        // Cholesky: of the log-determinant and the square of what is whitened.
        let mut l = Array2::<f64>::zeros((n, n));
        let (mut log_det, mut square, mut white) = (0.0, 0.0, vec![0.0; n]);
        for i in 0..n {
            for j in 0..=i {
                let c = p0 + q * j as f64 + if i == j { h } else { 0.0 };
                let s = c - (0..j).map(|k| l[[i, k]] * l[[j, k]]).sum::<f64>();
                l[[i, j]] = if i == j { s.sqrt() } else { s / l[[j, j]] };
            }
            white[i] = (y[i] - a0 - (0..i).map(|k| l[[i, k]] * white[k]).sum::<f64>()) / l[[i, i]];
            log_det += 2.0 * l[[i, i]].ln();
            square += white[i] * white[i];
        }
        let (value, (by_y, by_a0, by_p0, by_q, by_h)) =
            log_likelihood_grad(&y, a0, p0, q, h).expect("any length");
        close(&[value], &[-0.5 * (log_det + square)], 1e-12);
        close(
            &by_y.to_vec(),
            &differences(&y, |y| log_likelihood(y, a0, p0, q, h).expect("any length")),
            1e-8,
        );
        let others = [a0, p0, q, h];
        let wanted =
            differences(&others, |o| log_likelihood(&y, o[0], o[1], o[2], o[3]).expect("any length"));
        close(&[by_a0, by_p0, by_q, by_h], &wanted, 1e-7);
    }
}

/// The gradient of a filter by its input is the filter that runs the other way.
#[test]
fn filters() {
    let (b, a) = ([0.3, 0.2, 0.1], [-0.4, 0.25]);
    for (n, c) in [(0, 2), (1, 1), (2, 3), (9, 3)] {
        let run = |x: &[f64], b: &[f64], a: &[f64]| -> Vec<f64> {
            let mut y = vec![0.0; n * c];
            for t in 0..n {
                for k in 0..c {
                    let at = |of: &[f64], d: usize| if t >= d { of[(t - d) * c + k] } else { 0.0 };
                    let past = a[0] * at(&y, 1) + a[1] * at(&y, 2);
                    y[t * c + k] = b[0] * at(x, 0) + b[1] * at(x, 1) + b[2] * at(x, 2) - past;
                }
            }
            y
        };
        let (x, y_bar) = (noise(n * c, 0.1), noise(n * c, 0.8));
        let (y, (by_x, by_b, by_a)) =
            biquad_vjp(&matrix(n, c, &x), &b, &a, &matrix(n, c, &y_bar)).expect("one shape");
        close(&y.into_raw_vec_and_offset().0, &run(&x, &b, &a), 1e-13);
        let turned = |v: &[f64]| -> Vec<f64> { v.chunks(c).rev().flatten().copied().collect() };
        close(&by_x.into_raw_vec_and_offset().0, &turned(&run(&turned(&y_bar), &b, &a)), 1e-12);
        let product = |y: Vec<f64>| y.iter().zip(&y_bar).map(|(a, b)| a * b).sum::<f64>();
        close(&by_b, &differences(&b, |b| product(run(&x, b, &a))), 1e-8);
        close(&by_a, &differences(&a, |a| product(run(&x, &b, a))), 1e-8);
    }
}

#[test]
fn gated_units() {
    let sigmoid = |v: f64| 1.0 / (1.0 + (-v).exp());
    for (b, n, m, k) in [(2, 0, 1, 2), (1, 1, 1, 1), (3, 4, 2, 3)] {
        let (x, y) = (noise(b * n * m, 0.2), noise(b * k, 0.5));
        let (u, w, h0) = (noise(3 * k * m, 0.9), noise(3 * k * k, 0.4), noise(k, 0.6));
        let loss = |u: &[f64], w: &[f64], h0: &[f64]| -> f64 {
            let mut total = 0.0;
            for s in 0..b {
                let mut h = h0.to_vec();
                for t in 0..n {
                    let times = |of: &[f64], g: usize, i: usize, v: &[f64]| -> f64 {
                        v.iter().enumerate().map(|(j, x)| of[(g * k + i) * v.len() + j] * x).sum()
                    };
                    let input = &x[(s * n + t) * m..][..m];
                    let both = |g: usize, i: usize| times(u, g, i, input) + times(w, g, i, &h);
                    let next = (0..k).map(|i| {
                        let (keep, reset) = (sigmoid(both(0, i)), sigmoid(both(1, i)));
                        let new = (times(u, 2, i, input) + reset * times(w, 2, i, &h)).tanh();
                        (1.0 - keep) * new + keep * h[i]
                    });
                    h = next.collect();
                }
                total += h.iter().zip(&y[s * k..]).map(|(h, y)| (h - y).powi(2)).sum::<f64>();
            }
            total
        };
        let (x, y) = (cube((b, n, m), &x), matrix(b, k, &y));
        let (value, (by_u, by_w, by_h0)) =
            gru_grad(&x, &y, &cube((3, k, m), &u), &cube((3, k, k), &w), &h0).expect("one shape");
        close(&[value], &[loss(&u, &w, &h0)], 1e-12);
        close(&by_u.into_raw_vec_and_offset().0, &differences(&u, |u| loss(u, &w, &h0)), 1e-7);
        close(&by_w.into_raw_vec_and_offset().0, &differences(&w, |w| loss(&u, w, &h0)), 1e-7);
        close(&by_h0.to_vec(), &differences(&h0, |h0| loss(&u, &w, h0)), 1e-7);
    }
}

#[test]
fn gravitation() {
    let (n, dt, steps) = (4, 0.1, 6);
    let (x0, v0, mass) = (noise(3 * n, 0.2), noise(3 * n, 0.7), noise(n, 0.4));
    let (mut x, mut v) = (x0.clone(), v0.clone());
    for _ in 0..steps {
        x.iter_mut().zip(&v).for_each(|(x, v)| *x += dt * v);
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                let d: Vec<f64> = (0..3).map(|c| x[3 * j + c] - x[3 * i + c]).collect();
                let r2 = 0.01 + d.iter().map(|d| d * d).sum::<f64>();
                (0..3).for_each(|c| v[3 * i + c] += dt * mass[j] * d[c] / r2.powf(1.5));
            }
        }
    }
    let found = bodies(&matrix(n, 3, &x0), &matrix(n, 3, &v0), &mass, dt, steps).expect("one shape");
    close(&found.0.into_raw_vec_and_offset().0, &x, 1e-12);
    close(&found.1.into_raw_vec_and_offset().0, &v, 1e-12);
    let of = |x: &[f64], v: &[f64], mass: &[f64]| {
        spread(&matrix(n, 3, x), &matrix(n, 3, v), mass, dt, steps).expect("one shape")
    };
    let (by_x, by_v, by_mass) =
        spread_grad(&matrix(n, 3, &x0), &matrix(n, 3, &v0), &mass, dt, steps).expect("one shape");
    close(&by_x.into_raw_vec_and_offset().0, &differences(&x0, |x| of(x, &v0, &mass)), 1e-6);
    close(&by_v.into_raw_vec_and_offset().0, &differences(&v0, |v| of(&x0, v, &mass)), 1e-6);
    close(&by_mass.to_vec(), &differences(&mass, |mass| of(&x0, &v0, mass)), 1e-6);
    let still = bodies(&matrix(n, 3, &x0), &matrix(n, 3, &v0), &mass, dt, 0).expect("one shape");
    assert_eq!(still.0, matrix(n, 3, &x0));
}

/// A joint turns the hand about itself: its column is the vector from it to the hand, turned by a right angle.
#[test]
fn kinematic_chain() {
    for n in [0, 1, 2, 5] {
        let (angle, length) = (noise(n, 0.1), noise(n, 0.6));
        let mut joints = vec![(0.0, 0.0)];
        let mut phi = 0.0;
        for k in 0..n {
            phi += angle[k];
            let (x, y) = joints[k];
            joints.push((x + length[k] * phi.cos(), y + length[k] * phi.sin()));
        }
        let (x, y) = hand(&angle, &length).expect("one shape");
        close(&[x, y], &[joints[n].0, joints[n].1], 1e-13);
        let (by_x, by_y) = hand_jacobian(&angle, &length).expect("one shape");
        close(&by_x.to_vec(), &joints[..n].iter().map(|j| j.1 - y).collect::<Vec<_>>(), 1e-13);
        close(&by_y.to_vec(), &joints[..n].iter().map(|j| x - j.0).collect::<Vec<_>>(), 1e-13);
        let at = |a: &[f64]| hand(a, &length).expect("one shape");
        close(&by_x.to_vec(), &differences(&angle, |a| at(a).0), 1e-8);
        close(&by_y.to_vec(), &differences(&angle, |a| at(a).1), 1e-8);
    }
}

#[test]
fn moving_statistics() {
    for n in [1, 2, 7] {
        let (x, rate) = (noise(n, 0.3), 0.2);
        // Closed forms: a weighted mean, and the squares of what each adds.
        let weight = |t: usize, s: usize| rate * (1.0_f64 - rate).powi((t - s) as i32);
        let mean = |t: usize| (0..t).map(|s| weight(t - 1, s) * x[s]).sum::<f64>();
        let variance = |t: usize| {
            let of = |s: usize| weight(t, s) * (1.0 - rate) * (x[s] - mean(s)).powi(2);
            (1.0_f64 - rate).powi(t as i32 + 1) + (0..=t).map(of).sum::<f64>()
        };
        let (means, variances) = moving(&x, rate).expect("any length");
        close(&means.to_vec(), &(1..=n).map(mean).collect::<Vec<_>>(), 1e-13);
        close(&variances.to_vec(), &(0..n).map(variance).collect::<Vec<_>>(), 1e-13);
        let (by_x, by_rate) = last_variance_grad(&x, rate).expect("any length");
        close(&by_x.to_vec(), &differences(&x, |x| last_variance(x, rate).expect("any length")), 1e-8);
        close(&[by_rate], &differences(&[rate], |r| last_variance(&x, r[0]).expect("any length")), 1e-8);
    }
}

/// Value and three derivatives, by the rules of Taylor series.
#[test]
fn logistic_map() {
    let (x0, r) = (0.3, 3.2);
    for steps in [0, 1, 2, 9] {
        // Coefficients of the powers of a small change of the start.
        let mut x = [x0, 1.0, 0.0, 0.0];
        for _ in 0..steps {
            let y = [1.0 - x[0], -x[1], -x[2], -x[3]];
            x = std::array::from_fn(|k| r * (0..=k).map(|j| x[j] * y[k - j]).sum::<f64>());
        }
        let found = [
            logistic(x0, r, steps),
            logistic_1(x0, r, steps),
            logistic_2(x0, r, steps),
            logistic_3(x0, r, steps),
        ];
        let found = found.map(|v| v.expect("numbers"));
        close(&found, &[x[0], x[1], 2.0 * x[2], 6.0 * x[3]], 1e-11);
    }
}

#[test]
fn associative_reduction() {
    for n in [0, 1, 2, 6] {
        let (a, b) = (noise(n, 0.2), noise(n, 0.9));
        let ((slope, offset), (by_a, by_b)) = composed_vjp(&a, &b, (0.5, 2.0)).expect("one shape");
        let at = |x: f64| a.iter().zip(&b).fold(x, |x, (a, b)| a * x + b);
        close(&[offset, slope], &[at(0.0), at(1.0) - at(0.0)], 1e-12);
        let of = |a: &[f64], b: &[f64]| composed(a, b).map(|(p, q)| 0.5 * p + 2.0 * q).expect("one shape");
        close(&by_a.to_vec(), &differences(&a, |a| of(a, &b)), 1e-8);
        close(&by_b.to_vec(), &differences(&b, |b| of(&a, b)), 1e-8);
    }
}

/// What the steps solve has a derivative of its own: `z = y + dt (f - z³)`, so `dz = (dy + dt df + (f - z³) ddt) / (1 + 3 dt z²)`.
#[test]
fn implicit_steps() {
    for n in [0, 1, 5] {
        let (y0, dt, force) = (0.8, 0.3, noise(n, 0.5));
        let (mut y, mut by_force) = (y0, vec![0.0; n]);
        let (mut by_y0, mut by_dt) = (1.0, 0.0);
        for t in 0..n {
            let mut z: f64 = y;
            (0..50).for_each(|_| z -= (z - y - dt * (force[t] - z.powi(3))) / (1.0 + 3.0 * dt * z * z));
            let slope = 1.0 / (1.0 + 3.0 * dt * z * z);
            by_force.iter_mut().for_each(|d| *d *= slope);
            by_force[t] = dt * slope;
            by_y0 *= slope;
            by_dt = (by_dt + force[t] - z.powi(3)) * slope;
            y = z;
        }
        close(&[implicit(y0, &force, dt).expect("any length")], &[y], 1e-12);
        // Newton's last step forgets what the ones before it did not see: it is right to the order of the residual.
        let (found_y0, found_force, found_dt) = implicit_grad(y0, &force, dt).expect("any length");
        close(&[found_y0, found_dt], &[by_y0, by_dt], 1e-5);
        close(&found_force.to_vec(), &by_force, 1e-5);
    }
}
