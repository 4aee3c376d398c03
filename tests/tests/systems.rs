//! Many systems side by side, whose steps are long: in blocks of systems, against one at a time.

use tensor_rt::tensor;
use tensor_tests::by_hand::noise;

/// A system of Lorenz, which a force drives: steps of Runge and Kutta's method, of lengths that all systems share.
macro_rules! systems {
    ($name:ident, $real:ident) => {
        mod $name {
            use tensor_rt::tensor;
            tensor! {
                fn slope(x: [$real; 3], p: [$real; 3], u: $real) -> [$real; 3] {
                    [p[0] * (x[1] - x[0]) + u, x[0] * (p[1] - x[2]) - x[1], x[0] * x[1] - p[2] * x[2]]
                }
                fn along(x: [$real; 3], h: $real, k: [$real; 3]) -> [$real; 3] { for c in 0..3 { x[c] + h * k[c] } }
                fn step(x: [$real; 3], p: [$real; 3], h: $real, u: $real) -> [$real; 3] {
                    let k1 = slope(x, p, u);
                    let k2 = slope(along(x, 0.5 * h, k1), p, u);
                    let k3 = slope(along(x, 0.5 * h, k2), p, u);
                    let k4 = slope(along(x, h, k3), p, u);
                    for c in 0..3 { x[c] + h / 6.0 * (k1[c] + 2.0 * k2[c] + 2.0 * k3[c] + k4[c]) }
                }
                /// What all times cost, of all systems.
                fn all<n, m>(x: [$real; n, 3], p: [$real; 3], h: [$real; m], u: [$real; m, n]) -> $real {
                    sum i in 0..n {
                        let (y, e) = fold t in 0..m from (y, e) = (x[i], 0.0) {
                            let z = step(y, p, h[t], u[t, i]);
                            (z, e + h[t] * z[0] * y[1])
                        };
                        e + y[0] * y[2]
                    }
                }
                pub fn all_grad = value_and_grad(all);
                pub fn all_jvp = jvp(all);
                /// One system.
                fn one<m>(x: [$real; 3], p: [$real; 3], h: [$real; m], u: [$real; m]) -> $real {
                    let (y, e) = fold t in 0..m from (y, e) = (x, 0.0) {
                        let z = step(y, p, h[t], u[t]);
                        (z, e + h[t] * z[0] * y[1])
                    };
                    e + y[0] * y[2]
                }
                pub fn one_grad = value_and_grad(one);
            }
        }
    };
}
systems! { double, f64 }
systems! { single, f32 }

tensor! {
    /// All states are kept, and each reads those of the last two times: a network of three cells for each series.
    fn cells<n, m>(x: [f64; m, n], w: [f64; 3, 3], v: [f64; 3, 3]) -> [f64; m, n, 3] {
        let h = rec t in 0..m {
            for i in 0..n, c in 0..3 {
                let before = if t >= 1 { sum d in 0..3 { w[c, d] * h[t - 1, i, d] } } else { 0.1 };
                let then = if t >= 2 { sum d in 0..3 { v[c, d] * h[t - 2, i, d] } } else { 0.2 };
                (before + then * before + x[t, i] * then).tanh() * (1.0 + before * before * then)
            }
        };
        h
    }
    fn cells_of<n, m>(x: [f64; m, n], w: [f64; 3, 3], v: [f64; 3, 3]) -> f64 {
        let y = cells(x, w, v);
        sum t, i, c { y[t, i, c] * y[t, i, c] }
    }
    fn cells_grad = value_and_grad(cells_of, x, w, v);
}

tensor! {
    /// The partials of a step read what the step before has stored: of the first there is none.
    fn rings<n, m>(x: [f64; m, n]) -> f64 {
        sum i in 0..n {
            let h = rec t in 0..m {
                for c in 0..8 {
                    let start = 0.1 * x[t, i] + 0.01 * c as f64;
                    start + if t >= 1 {
                        0.4 * h[t - 1, c] * h[t - 1, (c + 1) % 8]
                            + 0.3 * h[t - 1, c] * h[t - 1, (c + 3) % 8]
                            - 0.2 * h[t - 1, c] * h[t - 1, (c + 2) % 8]
                    } else {
                        0.0
                    }
                }
            };
            sum c in 0..8 { if m >= 1 { h[m - 1, c] } else { 0.0 } }
        }
    }
    fn rings_grad = value_and_grad(rings);
}

/// Sizes about those of blocks, and of vectors.
const SIZES: [usize; 13] = [0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 70];

fn near(a: f64, b: f64, within: f64, what: &str) {
    assert!((a - b).abs() <= within * (1.0 + a.abs().max(b.abs())), "{what}: {a} and {b}");
}

fn points(n: usize) -> Vec<[f64; 3]> {
    noise(3 * n, 0.3).chunks(3).map(|x| [x[0], x[1], x[2]]).collect()
}

fn all_are_as_one_at_a_time() {
    for n in SIZES {
        for m in [0, 1, 2, 6] {
            let (x, p) = (points(n), [0.9, 1.2, 0.4]);
            let h: Vec<f64> = (0..m).map(|t| 0.05 + 0.01 * t as f64).collect();
            let u = noise(m * n, 0.8);
            let (mut value, mut by_p, mut by_h) = (0.0, [0.0; 3], vec![0.0; m]);
            let (found, (dx, dp, dh, du)) = double::all_grad(&x, &p, &h, &(&u[..], [m, n])).unwrap();
            for (i, x) in x.iter().enumerate() {
                let own: Vec<f64> = (0..m).map(|t| u[t * n + i]).collect();
                let (v, (gx, gp, gh, gu)) = double::one_grad(x, &p, &h, &own).unwrap();
                value += v;
                (0..3).for_each(|c| by_p[c] += gp[c]);
                (0..m).for_each(|t| by_h[t] += gh[t]);
                let what = format!("system {i} of {n}, {m} steps");
                (0..3).for_each(|c| near(dx[[i, c]], gx[c], 1e-12, &what));
                (0..m).for_each(|t| near(du[[t, i]], gu[t], 1e-12, &what));
            }
            let what = format!("{n} systems, {m} steps");
            near(found, value, 1e-12, &what);
            (0..3).for_each(|c| near(dp[c], by_p[c], 1e-12, &what));
            (0..m).for_each(|t| near(dh[t], by_h[t], 1e-12, &what));
            let (_, along) =
                double::all_jvp(&x, &p, &h, &(&u[..], [m, n]), &x, &p, &h, &(&u[..], [m, n])).unwrap();
            let by_x: f64 =
                x.iter().enumerate().map(|(i, x)| (0..3).map(|c| dx[[i, c]] * x[c]).sum::<f64>()).sum();
            let by_rest: f64 =
                (0..3).map(|c| dp[c] * p[c]).sum::<f64>() + (0..m).map(|t| dh[t] * h[t]).sum::<f64>();
            let by_u: f64 = du.iter().zip(&u).map(|(g, u)| g * u).sum();
            near(along, by_x + by_rest + by_u, 1e-11, &what);
        }
    }
}

fn so_they_are_in_single_precision() {
    for n in SIZES {
        let m = 5;
        let x: Vec<[f32; 3]> = points(n).iter().map(|x| x.map(|x| x as f32)).collect();
        let (p, h) = ([0.9, 1.2, 0.4], [0.05, 0.06, 0.07, 0.08, 0.09]);
        let u: Vec<f32> = noise(m * n, 0.8).iter().map(|u| *u as f32).collect();
        let given = (&u[..], [m, n]);
        let (value, (dx, dp, dh, du)) = single::all_grad(&x, &p, &h, &given).unwrap();
        let (again, along) = single::all_jvp(&x, &p, &h, &given, &x, &p, &h, &given).unwrap();
        let sum = |g: &mut dyn Iterator<Item = f32>| g.map(f64::from).sum::<f64>();
        let by_x = sum(&mut x
            .iter()
            .enumerate()
            .flat_map(|(i, x)| (0..3).map(move |c| (i, c, x[c])))
            .map(|(i, c, x)| dx[[i, c]] * x));
        let by_p = sum(&mut (0..3).map(|c| dp[c] * p[c])) + sum(&mut (0..m).map(|t| dh[t] * h[t]));
        let by_u = sum(&mut du.iter().zip(&u).map(|(g, u)| g * u));
        near(again.into(), value.into(), 1e-5, "the value");
        near(along.into(), by_x + by_p + by_u, 1e-4, &format!("{n} systems along"));
        for (i, x) in x.iter().enumerate() {
            let own: Vec<f32> = (0..m).map(|t| u[t * n + i]).collect();
            let (_, (gx, _, _, gu)) = single::one_grad(x, &p, &h, &own).unwrap();
            let what = format!("system {i} of {n}");
            (0..3).for_each(|c| near(dx[[i, c]].into(), gx[c].into(), 1e-5, &what));
            (0..m).for_each(|t| near(du[[t, i]].into(), gu[t].into(), 1e-5, &what));
        }
    }
}

/// `cells`, by hand.
fn cells_by_hand(x: &[f64], (m, n): (usize, usize), w: &[[f64; 3]; 3], v: &[[f64; 3]; 3]) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut h: Vec<[f64; 3]> = vec![];
        for t in 0..m {
            h.push([0, 1, 2].map(|c| {
                let of = |w: &[[f64; 3]; 3], h: [f64; 3]| (0..3).map(|d| w[c][d] * h[d]).sum::<f64>();
                let before = if t >= 1 { of(w, h[t - 1]) } else { 0.1 };
                let then = if t >= 2 { of(v, h[t - 2]) } else { 0.2 };
                (before + then * before + x[t * n + i] * then).tanh() * (1.0 + before * before * then)
            }));
        }
        total += h.iter().flatten().map(|h| h * h).sum::<f64>();
    }
    total
}

fn what_earlier_steps_have_stored_is_read() {
    let (w, v) = (
        [[0.4, -0.3, 0.2], [0.1, 0.5, -0.2], [-0.3, 0.2, 0.3]],
        [[0.2, 0.1, 0.3], [-0.2, 0.4, 0.1], [0.3, -0.1, 0.2]],
    );
    for n in SIZES {
        for m in [0, 1, 2, 3, 7] {
            let x = noise(m * n, 0.6);
            let what = format!("{n} series, {m} steps");
            let (value, (dx, dw, dv)) = cells_grad(&(&x[..], [m, n]), &w, &v).unwrap();
            near(value, cells_by_hand(&x, (m, n), &w, &v), 1e-12, &what);
            // Along a direction, by differences of fourth order.
            let along = |h: f64| {
                let x: Vec<f64> = x.iter().enumerate().map(|(k, x)| x + h * (0.5 - (k % 3) as f64)).collect();
                let moved = |w: &[[f64; 3]; 3], by: f64| w.map(|row| row.map(|w| w + by * h));
                cells_by_hand(&x, (m, n), &moved(&w, 0.7), &moved(&v, -0.4))
            };
            let h = 1e-3;
            let difference = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
            let by_x: f64 = dx.iter().enumerate().map(|(k, g)| g * (0.5 - (k % 3) as f64)).sum();
            near(
                by_x + 0.7 * dw.iter().flatten().sum::<f64>() - 0.4 * dv.iter().flatten().sum::<f64>(),
                difference,
                1e-8,
                &what,
            );
        }
    }
}

/// `rings`, by hand.
fn rings_by_hand(x: &[f64], (m, n): (usize, usize)) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut h = [0.0; 8];
        for t in 0..m {
            let last = h;
            for (c, h) in h.iter_mut().enumerate() {
                let by = 0.4 * last[(c + 1) % 8] + 0.3 * last[(c + 3) % 8] - 0.2 * last[(c + 2) % 8];
                *h = 0.1 * x[t * n + i] + 0.01 * c as f64 + last[c] * by;
            }
        }
        total += h.iter().sum::<f64>();
    }
    total
}

fn of_the_first_step_nothing_is_stored_before() {
    for n in SIZES {
        for m in [0, 1, 2, 4] {
            let x: Vec<f64> = noise(m * n, 0.4).iter().map(|x| 3.0 * x).collect();
            let what = format!("{n} rings, {m} steps");
            let (value, dx) = rings_grad(&(&x[..], [m, n])).unwrap();
            near(value, rings_by_hand(&x, (m, n)), 1e-12, &what);
            let along = |h: f64| {
                let x: Vec<f64> = x.iter().enumerate().map(|(k, x)| x + h * (0.5 - (k % 3) as f64)).collect();
                rings_by_hand(&x, (m, n))
            };
            let h = 1e-3;
            let difference = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
            let slope: f64 = dx.iter().enumerate().map(|(k, g)| g * (0.5 - (k % 3) as f64)).sum();
            near(slope, difference, 1e-9, &what);
        }
    }
}

#[test]
fn side_by_side() {
    for _level in tensor_tests::levels() {
        all_are_as_one_at_a_time();
        so_they_are_in_single_precision();
        what_earlier_steps_have_stored_is_read();
        of_the_first_step_nothing_is_stored_before();
    }
}
