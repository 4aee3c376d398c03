//! Arrays of points, whose rows of 2 to 4 numbers lie next to each other, at sizes about those of vectors, with every instruction set that the machine has.

use approx::assert_abs_diff_eq;
use tensor_rt::ndarray::{Array1, Array2};
use tensor_rt::tensor;

tensor! {
    fn turned<n>(r: [f64; 3, 3], x: [f64; n, 3]) -> [f64; n, 3] { for i, a { sum b { r[a, b] * x[i, b] } } }
    fn turned_vjp = vjp(turned);
    fn crossed<n>(x: [f32; n, 3], y: [f32; n, 3]) -> [f32; n, 3] {
        for i, a in 0..3 { x[i, (a + 1) % 3] * y[i, (a + 2) % 3] - x[i, (a + 2) % 3] * y[i, (a + 1) % 3] }
    }
    fn times<n>(x: [f32; n, 2], y: [f32; n, 2]) -> [f32; n, 2] {
        for i { [x[i, 0] * y[i, 0] - x[i, 1] * y[i, 1], x[i, 0] * y[i, 1] + x[i, 1] * y[i, 0]] }
    }
    fn chain<n>(x: [f64; n, 4]) -> f64 {
        sum i in 0..n if i + 1 < n { (sum a { (x[i + 1, a] - x[i, a]).powi(2) }).powi(2) }
    }
    fn chain_grad = value_and_grad(chain);
    fn pairs<n>(x: [f64; n, 3]) -> f64 {
        sum i in 0..n, j in 0..n if j < i { (0.5 + sum a { (x[i, a] - x[j, a]).powi(2) }).sqrt() }
    }
    fn pairs_grad = value_and_grad(pairs);
}

/// Whole numbers: every order of the terms has the same sum.
fn whole<const D: usize>(n: usize, by: usize) -> Vec<[f64; D]> {
    (0..n).map(|i| std::array::from_fn(|a| ((D * i + a) * by % 17) as f64 - 7.0)).collect()
}

fn single<const D: usize>(x: &[[f64; D]]) -> Vec<[f32; D]> {
    x.iter().map(|p| p.map(|x| x as f32)).collect()
}

fn rotations(n: usize) {
    let (r, x, y_bar) = (whole::<3>(3, 5), whole::<3>(n, 3), whole::<3>(n, 7));
    let r: [[f64; 3]; 3] = std::array::from_fn(|a| r[a]);
    let (mut y, mut r_bar, mut x_bar) = (vec![[0.0; 3]; n], [[0.0; 3]; 3], vec![[0.0; 3]; n]);
    for (i, a) in (0..n).flat_map(|i| (0..3).map(move |a| (i, a))) {
        for b in 0..3 {
            y[i][a] += r[a][b] * x[i][b];
            r_bar[a][b] += y_bar[i][a] * x[i][b];
            x_bar[i][b] += y_bar[i][a] * r[a][b];
        }
    }
    let (value, (by_r, by_x)) = turned_vjp(&r, &x, &y_bar).unwrap();
    assert_eq!(value, tensor_rt::ndarray::arr2(&y), "{n}");
    assert_eq!(turned(&r, &x).unwrap(), value, "{n}");
    assert_eq!(by_r, r_bar, "{n}");
    assert_eq!(by_x, tensor_rt::ndarray::arr2(&x_bar), "{n}");
}

fn products(n: usize) {
    let (x, y) = (single(&whole::<3>(n, 3)), single(&whole::<3>(n, 5)));
    let of = |(x, y): (&[f32; 3], &[f32; 3])| {
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    };
    let expected: Vec<[f32; 3]> = x.iter().zip(&y).map(of).collect();
    assert_eq!(crossed(&x, &y).unwrap(), tensor_rt::ndarray::arr2(&expected), "{n}");
    let (x, y) = (single(&whole::<2>(n, 3)), single(&whole::<2>(n, 5)));
    let of = |(x, y): (&[f32; 2], &[f32; 2])| [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]];
    let expected: Vec<[f32; 2]> = x.iter().zip(&y).map(of).collect();
    assert_eq!(times(&x, &y).unwrap(), tensor_rt::ndarray::arr2(&expected), "{n}");
}

fn distances(n: usize) {
    let x = whole::<4>(n, 3);
    let (mut value, mut gradient) = (0.0, vec![[0.0; 4]; n]);
    for i in 1..n {
        let d: [f64; 4] = std::array::from_fn(|a| x[i][a] - x[i - 1][a]);
        let square: f64 = d.iter().map(|d| d * d).sum();
        value += square * square;
        for a in 0..4 {
            gradient[i][a] += 4.0 * square * d[a];
            gradient[i - 1][a] -= 4.0 * square * d[a];
        }
    }
    let (found, by_x) = chain_grad(&x).unwrap();
    assert_eq!((found, by_x), (value, tensor_rt::ndarray::arr2(&gradient)), "{n}");
}

/// A pair adds to the gradients of both its points.
fn distances_of_pairs(n: usize) {
    let x = whole::<3>(n, 3);
    let (mut value, mut gradient) = (0.0, vec![[0.0; 3]; n]);
    for i in 0..n {
        for j in 0..i {
            let d: [f64; 3] = std::array::from_fn(|a| x[i][a] - x[j][a]);
            let length = (0.5 + d.iter().map(|d| d * d).sum::<f64>()).sqrt();
            value += length;
            for a in 0..3 {
                gradient[i][a] += d[a] / length;
                gradient[j][a] -= d[a] / length;
            }
        }
    }
    let (found, by_x) = pairs_grad(&x).unwrap();
    assert_abs_diff_eq!(found, value, epsilon = 1e-12 * value.max(1.0));
    assert_abs_diff_eq!(by_x.as_slice().unwrap(), gradient.as_flattened(), epsilon = 1e-11);
}

#[test]
fn at_all_sizes() {
    for _level in tensor_tests::levels() {
        for n in (1..70).chain([127, 128, 129, 200, 777]) {
            rotations(n);
            products(n);
            distances(n);
        }
        (0..40).chain([65]).for_each(distances_of_pairs);
    }
}

tensor! {
    fn mixture<n, k>(x: [f64; n], alpha: [f64; k], mu: [f64; k]) -> f64 {
        sum i in 0..n { -logsumexp c { alpha[c] - 0.5 * (x[i] - mu[c]).powi(2) } }
    }
    fn mixture_hessian = hessian(mixture, alpha, mu);
}

/// `H[c, e] = sum i { ±p[c] p[e] … }` of the probabilities of each point: by weights, by means, and by both.
#[test]
fn the_hessian_of_a_mixture() {
    for (n, k) in [(0, 3), (1, 1), (5, 0), (7, 2), (40, 9), (350, 17)] {
        let x = Array1::from_shape_fn(n, |i| (0.7 * i as f64).sin() * 3.0);
        let alpha = Array1::from_shape_fn(k, |c| 0.1 * c as f64);
        let mu = Array1::from_shape_fn(k, |c| (1.3 * c as f64).cos() * 2.0);
        let mut expected = [(); 4].map(|()| Array2::<f64>::zeros((k, k)));
        for x in &x {
            let t: Vec<f64> = mu.iter().map(|m| x - m).collect();
            let w: Vec<f64> = alpha.iter().zip(&t).map(|(a, t)| (a - 0.5 * t * t).exp()).collect();
            let all: f64 = w.iter().sum();
            let p: Vec<f64> = w.iter().map(|w| w / all).collect();
            for c in 0..k {
                for e in 0..k {
                    let same = if c == e { p[c] } else { 0.0 };
                    let all = p[c] * p[e] - same;
                    expected[0][[c, e]] += all;
                    expected[1][[c, e]] += all * t[e];
                    expected[2][[c, e]] += all * t[c];
                    expected[3][[c, e]] += all * t[c] * t[e] + same;
                }
            }
        }
        let ((aa, am), (ma, mm)) = mixture_hessian(&x, &alpha, &mu).unwrap();
        for (found, expected) in [aa, am, ma, mm].iter().zip(&expected) {
            assert_abs_diff_eq!(found.as_slice().unwrap(), expected.as_slice().unwrap(), epsilon = 1e-11);
        }
    }
}
