//! Vectorized loops with long bodies at all sizes about those of vectors, with every instruction set that the machine has: against Rust by hand.

use tensor_rt::tensor;
use tensor_tests::by_hand::noise;

/// Of each row what is written anew, what is read of that again, and what all rows add to.
macro_rules! rows {
    ($name:ident, $real:ident) => {
        tensor! {
            fn $name<n>(x: [$real; n, 3], y: [$real; n]) -> ([$real; n, 3], [$real; n], $real) {
                let a = for i in 0..n { x[i, 0] * y[i] + x[i, 1] * x[i, 2] };
                let b = for i in 0..n { a[i] * a[i] - y[i] * x[i, 2] + 0.5 * x[i, 0] };
                let c = for i in 0..n { b[i] * x[i, 1] - a[i] * y[i] + x[i, 0] * x[i, 2] };
                let z = for i in 0..n { [a[i] * b[i] + c[i], b[i] * c[i] - a[i], c[i] * a[i] + b[i]] };
                let w = for i in 0..n { z[i, 0] * z[i, 1] - z[i, 2] * a[i] + b[i] };
                (z, w, sum i in 0..n { w[i] * c[i] + z[i, 1] })
            }
        }
    };
}
rows! { rows, f64 }
rows! { rows_single, f32 }

tensor! {
    /// Points that repel each other: the gradient adds to both points of a pair, in lanes and beside them.
    fn energy<n>(x: [f64; n, 3]) -> f64 {
        sum i in 0..n, j in 0..i {
            let r2 = sum c in 0..3 { (x[i, c] - x[j, c]).powi(2) };
            1.0 / (0.1 + r2) + 0.01 * r2 * r2
        }
    }
    fn energy_grad = value_and_grad(energy);

    /// Systems that are coupled by the sum of what they are in: steps around the loop over them, of which the first is another one.
    fn coupled<n>(x: [f64; n, 3], p: [f64; 2], steps: usize) -> f64 {
        let y = fold k in 0..steps from y = x {
            let s = (sum i in 0..n { y[i, 0] }) / (n + 1) as f64;
            for i in 0..n {
                let a = y[i, 1] - p[0] * s;
                let b = a * a + y[i, 2] * p[1] - 0.1 * y[i, 0];
                let c = b * y[i, 0] - a * y[i, 1] + 0.2 * y[i, 2];
                let d = c * y[i, 1] - a * y[i, 2] * b;
                [y[i, 0] + 0.01 * (c * d - a * y[i, 0]), y[i, 1] - 0.02 * (d * a - b), y[i, 2] + 0.01 * (c * b - d * a)]
            }
        };
        sum i in 0..n, c in 0..3 { y[i, c] * y[i, c] }
    }
    fn coupled_grad = value_and_grad(coupled, x, p);
}

/// Sizes with a remainder and without one, of less than a vector and of more than all that run at once.
const SIZES: [usize; 18] = [0, 1, 2, 3, 5, 7, 8, 9, 11, 15, 16, 17, 20, 31, 33, 64, 70, 100];

fn points(n: usize, seed: f64) -> Vec<[f64; 3]> {
    noise(3 * n, seed).chunks(3).map(|x| [x[0], x[1], x[2]]).collect()
}

fn near(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-11 * (1.0 + a.abs().max(b.abs())), "{what}: {a} and {b}");
}

/// `rows`, of one row: what is written, and added.
fn row([x, y, z]: [f64; 3], v: f64) -> ([f64; 3], f64, f64) {
    let a = x * v + y * z;
    let b = a * a - v * z + 0.5 * x;
    let c = b * y - a * v + x * z;
    let all = [a * b + c, b * c - a, c * a + b];
    let w = all[0] * all[1] - all[2] * a + b;
    (all, w, w * c + all[1])
}

fn each_row_is_written_once_and_in_totals_once() {
    for n in SIZES {
        let (x, y) = (points(n, 0.3), noise(n, 0.7));
        let (z, w, total) = rows(&x, &y).unwrap();
        let by_hand: Vec<_> = x.iter().zip(&y).map(|(x, y)| row(*x, *y)).collect();
        for (i, (all, one, _)) in by_hand.iter().enumerate() {
            (0..3).for_each(|c| near(z[[i, c]], all[c], &format!("z[{i}, {c}] of {n}")));
            near(w[i], *one, &format!("w[{i}] of {n}"));
        }
        near(total, by_hand.iter().map(|r| r.2).sum(), &format!("the total of {n}"));
    }
}

fn so_it_is_in_single_precision() {
    for n in SIZES {
        let (x, y) = (points(n, 0.3), noise(n, 0.7));
        let single: Vec<[f32; 3]> = x.iter().map(|x| x.map(|x| x as f32)).collect();
        let (z, w, total) = rows_single(&single, &y.iter().map(|y| *y as f32).collect::<Vec<_>>()).unwrap();
        let by_hand: Vec<_> = x.iter().zip(&y).map(|(x, y)| row(*x, *y)).collect();
        for (i, (all, one, _)) in by_hand.iter().enumerate() {
            (0..3).for_each(|c| assert!((f64::from(z[[i, c]]) - all[c]).abs() < 1e-4, "z[{i}, {c}] of {n}"));
            assert!((f64::from(w[i]) - one).abs() < 1e-4, "w[{i}] of {n}");
        }
        let sum: f64 = by_hand.iter().map(|r| r.2).sum();
        assert!((f64::from(total) - sum).abs() < 1e-4 * (1.0 + n as f64), "the total of {n}");
    }
}

fn what_is_updated_in_place_is_updated_once() {
    for n in SIZES {
        let x = points(n, 0.9);
        let (mut value, mut grad) = (0.0, vec![[0.0; 3]; n]);
        for i in 0..n {
            for j in 0..i {
                let d = [0, 1, 2].map(|c| x[i][c] - x[j][c]);
                let r2: f64 = d.iter().map(|d| d * d).sum();
                value += 1.0 / (0.1 + r2) + 0.01 * r2 * r2;
                let by = 0.02 * r2 - 1.0 / ((0.1 + r2) * (0.1 + r2));
                for c in 0..3 {
                    grad[i][c] += 2.0 * by * d[c];
                    grad[j][c] -= 2.0 * by * d[c];
                }
            }
        }
        let (v, g) = energy_grad(&x).unwrap();
        near(v, value, &format!("the energy of {n}"));
        (0..n).for_each(|i| {
            (0..3).for_each(|c| near(g[[i, c]], grad[i][c], &format!("x_bar[{i}, {c}] of {n}")));
        });
    }
}

/// `coupled`, by hand.
fn evolved(mut y: Vec<[f64; 3]>, p: [f64; 2], steps: usize) -> f64 {
    for _ in 0..steps {
        let s = y.iter().map(|y| y[0]).sum::<f64>() / (y.len() + 1) as f64;
        for y in &mut y {
            let a = y[1] - p[0] * s;
            let b = a * a + y[2] * p[1] - 0.1 * y[0];
            let c = b * y[0] - a * y[1] + 0.2 * y[2];
            let d = c * y[1] - a * y[2] * b;
            *y = [y[0] + 0.01 * (c * d - a * y[0]), y[1] - 0.02 * (d * a - b), y[2] + 0.01 * (c * b - d * a)];
        }
    }
    y.iter().flatten().map(|y| y * y).sum()
}

fn the_first_step_and_the_last_are_others() {
    for n in SIZES {
        for steps in [0, 1, 2, 5] {
            let (x, p) = (points(n, 0.5), [0.3, 0.7]);
            let what = format!("{steps} steps of {n}");
            near(coupled(&x, &p, steps).unwrap(), evolved(x.clone(), p, steps), &what);
            let (value, (by_x, by_p)) = coupled_grad(&x, &p, steps).unwrap();
            near(value, evolved(x.clone(), p, steps), &what);
            // Along a direction, by differences of fourth order.
            let along = |h: f64| {
                let x =
                    x.iter().enumerate().map(|(i, x)| x.map(|x| x + h * (0.5 - (i % 3) as f64))).collect();
                evolved(x, [p[0] + h, p[1] - h], steps)
            };
            let h = 1e-3;
            let difference = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
            let slope: f64 =
                by_x.outer_iter().enumerate().map(|(i, g)| g.sum() * (0.5 - (i % 3) as f64)).sum();
            let slope = slope + by_p[0] - by_p[1];
            assert!(
                (slope - difference).abs() <= 1e-8 * (1.0 + difference.abs()),
                "{what}: {slope}, {difference}"
            );
        }
    }
}

#[test]
fn at_all_sizes() {
    for _level in tensor_tests::levels() {
        each_row_is_written_once_and_in_totals_once();
        so_it_is_in_single_precision();
        what_is_updated_in_place_is_updated_once();
        the_first_step_and_the_last_are_others();
    }
}
