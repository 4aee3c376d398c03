//! Fused and tiled loops at sizes of several blocks, against the same by hand; what is between them takes the same memory at any size.

use approx::assert_relative_eq;
use tensor_rt::ndarray::{Array1, Array2, s};
use tensor_rt::{Workspace, tensor};

tensor! {
    fn springs<n>(x: [f64; n, 2], width: f64) -> f64 {
        sum i in 0..n if i + 1 < n { ((sum a in 0..2 { (x[i, a] - x[i + 1, a]).powi(2) }).sqrt() - width).powi(2) }
    }
    fn springs_grad = value_and_grad(springs, x);

    /// Three stages, each of which reads the one before on both sides.
    fn chain<n>(x: [f64; n]) -> [f64; n] {
        let a = for i in 0..n { x[i].sin() * x[i].cos() };
        let b = for i in 0..n { ([i >= 3] * a[i - 3] + a[i]).tanh() };
        for i in 0..n { ([i + 2 < n] * b[i + 2] - b[i]).tanh() }
    }
    fn chain_vjp = vjp(chain);

    /// The same between rows, each element by itself.
    fn rows<n, m>(x: [f64; n, m]) -> [f64; n, m] {
        let a = for i in 0..n, j in 0..m { x[i, j].sin() * x[i, j].cos() };
        let b = for i in 0..n, j in 0..m { ([i >= 3] * a[i - 3, j] + a[i, j]).tanh() };
        for i in 0..n, j in 0..m { ([i + 2 < n] * b[i + 2, j] - b[i, j]).tanh() }
    }
    fn rows_vjp = vjp(rows);

    fn spring(a: [f64; 3], b: [f64; 3], stiffness: f64, length: f64) -> f64 {
        0.5 * stiffness * ((sum c in 0..3 { (a[c] - b[c]).powi(2) }).sqrt() - length).powi(2)
    }
    /// Springs along the sides and one diagonal of a grid: the ends of the loops are functions of their own, which add to the value.
    fn cloth<h, w>(x: [f64; h, w, 3], stretch: f64, shear: f64) -> f64 {
        (sum i in 0..h, j in 0..w if i + 1 < h { spring(x[i + 1, j], x[i, j], stretch, 0.1) })
            + (sum i in 0..h, j in 0..w if j + 1 < w { spring(x[i, j + 1], x[i, j], stretch, 0.1) })
            + (sum i in 0..h, j in 0..w if i + 1 < h && j + 1 < w { spring(x[i + 1, j + 1], x[i, j], shear, 0.14) })
    }
    fn cloth_grad = value_and_grad(cloth, x);

    /// Two layers: matmuls with loops between them.
    fn network<n, p, h>(x: [f64; n, p], y: [f64; n], w: [f64; p, h], b: [f64; h], v: [f64; h, h]) -> f64 {
        let z = for i, a { (sum k { x[i, k] * w[k, a] } + b[a]).tanh() };
        let s = for i, a { sum k { z[i, k] * v[a, k] } };
        sum i { logsumexp a { s[i, a] } + y[i] * sum a { s[i, a].powi(2) } }
    }
    fn network_grad = value_and_grad(network, x, w, b, v);
}

fn points(n: usize) -> Vec<[f64; 2]> {
    (0..n).map(|i| [i as f64 * 0.7 + (i as f64).sin(), (i as f64 * 1.3).cos()]).collect()
}

#[test]
fn ends_of_a_cloth() {
    for (h, w) in [(0, 3), (1, 1), (1, 5), (2, 2), (3, 2), (2, 9), (5, 17), (9, 1), (33, 40)] {
        let all: Vec<[f64; 3]> = (0..h * w)
            .map(|k| [(k as f64 * 0.7).sin(), (k as f64 * 1.3).cos(), (k as f64 * 0.9).sin()])
            .collect();
        let (mut value, mut gradient) = (0.0, vec![[0.0; 3]; h * w]);
        let mut spring = |a: usize, b: usize, stiffness: f64, length: f64| {
            let d: Vec<f64> = (0..3).map(|c| all[a][c] - all[b][c]).collect();
            let own = d.iter().map(|d| d * d).sum::<f64>().sqrt();
            value += 0.5 * stiffness * (own - length).powi(2);
            for c in 0..3 {
                let force = stiffness * (own - length) * d[c] / own;
                gradient[a][c] += force;
                gradient[b][c] -= force;
            }
        };
        for (i, j) in (0..h).flat_map(|i| (0..w).map(move |j| (i, j))) {
            let at = |i: usize, j: usize| i * w + j;
            if i + 1 < h {
                spring(at(i + 1, j), at(i, j), 1.5, 0.1);
            }
            if j + 1 < w {
                spring(at(i, j + 1), at(i, j), 1.5, 0.1);
            }
            if i + 1 < h && j + 1 < w {
                spring(at(i + 1, j + 1), at(i, j), 0.5, 0.14);
            }
        }
        let (found, found_gradient) = cloth_grad(&(all.as_flattened(), [h, w, 3]), 1.5, 0.5).unwrap();
        assert_relative_eq!(found, value, max_relative = 1e-12);
        assert_eq!(found_gradient.len(), 3 * h * w);
        for (a, b) in found_gradient.iter().zip(gradient.as_flattened()) {
            assert_relative_eq!(a, b, max_relative = 1e-10, epsilon = 1e-12);
        }
    }
}

#[test]
fn springs_of_many_blocks() {
    for n in [1, 2, 383, 384, 385, 386, 768, 769, 5000] {
        let x = points(n);
        let (mut value, mut gradient) = (0.0, vec![[0.0; 2]; n]);
        for i in 0..n - 1 {
            let d = [x[i][0] - x[i + 1][0], x[i][1] - x[i + 1][1]];
            let length = d[0].hypot(d[1]);
            value += (length - 0.4).powi(2);
            for a in 0..2 {
                let force = 2.0 * (length - 0.4) * d[a] / length;
                gradient[i][a] += force;
                gradient[i + 1][a] -= force;
            }
        }
        let (found, found_gradient) = springs_grad(&x, 0.4).unwrap();
        assert_relative_eq!(found, value, max_relative = 1e-12);
        assert_eq!(found_gradient.len(), 2 * n);
        for (a, b) in found_gradient.iter().zip(gradient.as_flattened()) {
            assert_relative_eq!(a, b, max_relative = 1e-10, epsilon = 1e-12);
        }
    }
}

/// The stages of `chain`, and their derivatives by what they read.
fn by_hand(x: &[f64], y_bar: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = x.len();
    let at = |v: &[f64], i: Option<usize>| i.and_then(|i| v.get(i)).copied().unwrap_or(0.0);
    let a: Vec<f64> = x.iter().map(|x| x.sin() * x.cos()).collect();
    let b: Vec<f64> = (0..n).map(|i| (at(&a, i.checked_sub(3)) + a[i]).tanh()).collect();
    let y: Vec<f64> = (0..n).map(|i| (at(&b, Some(i + 2)) - b[i]).tanh()).collect();
    let t: Vec<f64> = (0..n).map(|i| y_bar[i] * (1.0 - y[i] * y[i])).collect();
    let s: Vec<f64> = (0..n).map(|i| (at(&t, i.checked_sub(2)) - t[i]) * (1.0 - b[i] * b[i])).collect();
    let x_bar = (0..n).map(|i| (s[i] + at(&s, Some(i + 3))) * (2.0 * x[i]).cos()).collect();
    (y, x_bar)
}

#[test]
fn chains_of_many_blocks() {
    for n in [1, 2, 3, 5, 343, 344, 345, 767, 768, 769, 1536, 6001] {
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin()).collect();
        let y_bar: Vec<f64> = (0..n).map(|i| (i as f64 * 0.11).cos()).collect();
        let (y, x_bar) = by_hand(&x, &y_bar);
        let (found, cotangent) = chain_vjp(&x, &y_bar).unwrap();
        assert_eq!([found.len(), cotangent.len()], [n, n]);
        for (a, b) in found.iter().zip(&y).chain(cotangent.iter().zip(&x_bar)) {
            assert_relative_eq!(a, b, max_relative = 1e-10, epsilon = 1e-12);
        }
    }
}

#[test]
fn rows_are_chains_beside_each_other() {
    // Either dimension may be as long as memory lets it be.
    for (n, m) in [(1, 1), (5, 2), (513, 3), (200_000, 2), (4, 200_000)] {
        let [x, y_bar] = [0.37, 0.11].map(|k| (0..n * m).map(|i| (i as f64 * k).sin()).collect::<Vec<f64>>());
        let (found, cotangent) = rows_vjp(&(&x[..], [n, m]), &(&y_bar[..], [n, m])).unwrap();
        for j in [0, m / 2, m - 1] {
            let column = |a: &[f64]| (0..n).map(|i| a[i * m + j]).collect::<Vec<f64>>();
            let (y, x_bar) = by_hand(&column(&x), &column(&y_bar));
            for i in 0..n {
                assert_relative_eq!(found[[i, j]], y[i], max_relative = 1e-10, epsilon = 1e-12);
                assert_relative_eq!(cotangent[[i, j]], x_bar[i], max_relative = 1e-10, epsilon = 1e-12);
            }
        }
    }
}

#[test]
fn a_window_is_all_that_is_kept() {
    let allocated = |n: usize| {
        let x = points(n);
        let mut gradient = vec![[0.0; 2]; n];
        let mut work = Workspace::new();
        allocation_counter::measure(|| {
            springs_grad_into(&x, 0.4, &mut gradient, &mut work).unwrap();
        })
        .bytes_total
    };
    assert_eq!(allocated(5000), allocated(50_000));
}

/// Numbers without a pattern.
fn numbers(rows: usize, cols: usize, step: f64) -> Array2<f64> {
    Array2::from_shape_fn((rows, cols), |(i, j)| ((i * cols + j) as f64 * step).sin() * 0.6)
}

fn same(found: Option<&[f64]>, expected: Option<&[f64]>) {
    assert_relative_eq!(found.unwrap(), expected.unwrap(), max_relative = 1e-10, epsilon = 1e-11);
}

/// A batch of many blocks is the sum of its rows, each of which is one block.
#[test]
fn rows_of_a_batch_go_through_all_layers() {
    let (p, h) = (5, 7);
    let (w, b, v) = (numbers(p, h, 0.7), numbers(1, h, 1.1).into_flat(), numbers(h, h, 0.31));
    for n in [1, 127, 128, 129, 256, 900] {
        let (x, y) = (numbers(n, p, 0.37), numbers(1, n, 0.53).into_flat());
        let (found, (found_x, found_w, found_b, found_v)) = network_grad(&x, &y, &w, &b, &v).unwrap();
        let mut value = 0.0;
        let (mut by_w, mut by_b, mut by_v) = (Array2::zeros((p, h)), Array1::zeros(h), Array2::zeros((h, h)));
        for i in 0..n {
            let row = x.slice(s![i..=i, ..]);
            let (one, (x, w, b, v)) = network_grad(&row, &y.slice(s![i..=i]), &w, &b, &v).unwrap();
            same(found_x.slice(s![i, ..]).as_slice(), x.as_slice());
            (value, by_w, by_b, by_v) = (value + one, by_w + w, by_b + b, by_v + v);
        }
        assert_relative_eq!(found, value, max_relative = 1e-12);
        same(found_w.as_slice(), by_w.as_slice());
        same(found_b.as_slice(), by_b.as_slice());
        same(found_v.as_slice(), by_v.as_slice());
    }
}

#[test]
fn a_network_keeps_a_block_of_its_layers() {
    let (p, h) = (5, 7);
    let (w, b, v) = (numbers(p, h, 0.7), numbers(1, h, 1.1).into_flat(), numbers(h, h, 0.31));
    let (mut by_w, mut by_b, mut by_v) = (w.clone(), b.clone(), v.clone());
    let mut allocated = |n: usize| {
        let (x, y) = (numbers(n, p, 0.37), numbers(1, n, 0.53).into_flat());
        let mut by_x = x.clone();
        let mut work = Workspace::new();
        allocation_counter::measure(|| {
            network_grad_into(&x, &y, &w, &b, &v, &mut by_x, &mut by_w, &mut by_b, &mut by_v, &mut work)
                .unwrap();
        })
        .bytes_total
    };
    assert_eq!(allocated(500), allocated(5000));
}
