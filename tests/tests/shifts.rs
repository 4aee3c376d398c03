//! Convolutions and their adjoints at sizes about those of vectors, with every instruction set that the machine has.

use tensor_rt::tensor;

tensor! {
    fn conv<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; n] { for i in 0..n { sum k in 0..m { x[i + k] * w[k] } } }
    fn conv_adjoints = vjp(conv, x, w);
    fn mirrored<n, m>(x: [f32; n + m - 1], w: [f32; 2 * m]) -> [f32; n] {
        for i in 0..n { sum k in 0..m { w[2 * k + 1] * x[i - k + m - 1] } }
    }
    fn image<h, w, a, b>(x: [f64; h + a - 1, w + b - 1], f: [f64; a, b]) -> [f64; h, w] {
        for i in 0..h, j in 0..w { sum k in 0..a, l in 0..b { x[i + k, j + l] * f[k, l] } }
    }
    fn image_adjoints = vjp(image, x, f);
}

/// Whole numbers: every order of the terms has the same sum.
fn whole(len: usize, by: usize) -> Vec<f64> {
    (0..len).map(|k| (k * by % 17) as f64 - 7.0).collect()
}

fn line(n: usize, m: usize) {
    let (x, w, y_bar) = (whole(n + m - 1, 5), whole(m, 3), whole(n, 7));
    let y: Vec<f64> = (0..n).map(|i| (0..m).map(|k| x[i + k] * w[k]).sum()).collect();
    let (mut x_bar, mut w_bar) = (vec![0.0; x.len()], vec![0.0; m]);
    for (i, y_bar) in y_bar.iter().enumerate() {
        for k in 0..m {
            x_bar[i + k] += w[k] * y_bar;
            w_bar[k] += x[i + k] * y_bar;
        }
    }
    assert_eq!(conv(&x, &w).unwrap().to_vec(), y, "{n}, {m}");
    let (value, (by_x, by_w)) = conv_adjoints(&x, &w, &y_bar).unwrap();
    assert_eq!((value.to_vec(), by_x.to_vec(), by_w.to_vec()), (y, x_bar, w_bar), "{n}, {m}");
    let single = |from: &[f64]| -> Vec<f32> { from.iter().map(|&x| x as f32).collect() };
    let (x, w) = (single(&x), single(&whole(2 * m, 3)));
    let y: Vec<f32> = (0..n).map(|i| (0..m).map(|k| w[2 * k + 1] * x[i + m - 1 - k]).sum()).collect();
    assert_eq!(mirrored(&x, &w).unwrap().to_vec(), y, "{n}, {m}");
}

fn plane([h, w]: [usize; 2], [a, b]: [usize; 2]) {
    let (rows, cols) = (h + a - 1, w + b - 1);
    let (x, f, y_bar) = (whole(rows * cols, 5), whole(a * b, 3), whole(h * w, 7));
    let (mut y, mut x_bar, mut f_bar) = (vec![0.0; h * w], vec![0.0; x.len()], vec![0.0; f.len()]);
    for (i, j) in (0..h).flat_map(|i| (0..w).map(move |j| (i, j))) {
        for (k, l) in (0..a).flat_map(|k| (0..b).map(move |l| (k, l))) {
            let (of_x, of_f, of_y) = ((i + k) * cols + j + l, k * b + l, i * w + j);
            y[of_y] += x[of_x] * f[of_f];
            x_bar[of_x] += y_bar[of_y] * f[of_f];
            f_bar[of_f] += y_bar[of_y] * x[of_x];
        }
    }
    let (x, f, y_bar) = ((&x[..], [rows, cols]), (&f[..], [a, b]), (&y_bar[..], [h, w]));
    let (value, (by_x, by_f)) = image_adjoints(&x, &f, &y_bar).unwrap();
    let flat = |of: tensor_rt::ndarray::Array2<f64>| of.into_raw_vec_and_offset().0;
    assert_eq!((flat(value), flat(by_x), flat(by_f)), (y, x_bar, f_bar), "{h} × {w}, {a} × {b}");
}

#[test]
fn at_all_sizes() {
    for _level in tensor_tests::levels() {
        for n in [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 130, 1030] {
            for m in [1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 64, 100, 1030] {
                line(n, m);
            }
        }
        for size in [[1, 1], [3, 5], [9, 8], [5, 17], [4, 70]] {
            for filter in [[1, 1], [3, 3], [2, 9], [5, 16], [3, 33]] {
                plane(size, filter);
            }
        }
    }
}
