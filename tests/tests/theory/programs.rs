//! Images, springs and quadratic forms.

use super::{Line, Out};

#[rustfmt::skip]
pub const TABLE: &[Line] = &[
    Line {
        about: "a blur by ¼ [1 2 1] both ways is its own transpose",
        source: r#"
fn blur<h, w>(x: [f64; h, w]) -> [f64; h, w] { let y = for j in 0..h, i in 0..w { 0.5 * x[j, i] + [0 < i] * 0.25 * x[j, i - 1] + [i + 1 < w] * 0.25 * x[j, i + 1] }; for j in 0..h, i in 0..w { 0.5 * y[j, i] + [0 < j] * 0.25 * y[j - 1, i] + [j + 1 < h] * 0.25 * y[j + 1, i] } }
fn blur_vjp = vjp(blur);
"#,
        out: &[
            Out {
                function: "blur",
                most: |n, m, _| 10 * n * m,
                rank: 2,
                prints: r#"
fn blur<h, w>(x: [f64; h, w]) -> [f64; h, w] {
    let y = for j in 0..h, i in 0..w { 0.5 * x[j, i] + [0 < i] * 0.25 * x[j, i - 1] + [i + 1 < w] * 0.25 * x[j, i + 1] };
    for j in 0..h, i in 0..w { 0.5 * y[j, i] + [0 < j] * 0.25 * y[j - 1, i] + [j + 1 < h] * 0.25 * y[j + 1, i] }
}
"#,
            },
            Out {
                function: "blur_vjp",
                most: |n, m, _| 20 * n * m,
                rank: 2,
                prints: r#"
fn blur_vjp<h, w>(x: [f64; h, w], y_bar: [f64; h, w]) -> ([f64; h, w], [f64; h, w]) {
    let y = for j in 0..h, i in 0..w { 0.5 * x[j, i] + [0 < i] * 0.25 * x[j, i - 1] + [i + 1 < w] * 0.25 * x[j, i + 1] };
    let result = for j in 0..h, i in 0..w { 0.5 * y[j, i] + [0 < j] * 0.25 * y[j - 1, i] + [j + 1 < h] * 0.25 * y[j + 1, i] };
    let y_bar2 = for j in 0..h, i in 0..w { 0.5 * y_bar[j, i] + [j + 1 < h] * 0.25 * y_bar[j + 1, i] + [0 < j] * 0.25 * y_bar[j - 1, i] };
    let x_bar = for j in 0..h, i in 0..w { 0.5 * y_bar2[j, i] + [i + 1 < w] * 0.25 * y_bar2[j, i + 1] + [0 < i] * 0.25 * y_bar2[j, i - 1] };
    (result, x_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "the roughness of an image, without and with a mask",
        source: r#"
fn smooth<h, w>(x: [f64; h, w]) -> f64 { sum j in 0..h, i in 0..w { let dx = [i + 1 < w] * (x[j, i + 1] - x[j, i]); let dy = [j + 1 < h] * (x[j + 1, i] - x[j, i]); dx * dx + dy * dy } }
fn smooth_grad = grad(smooth);
fn masked<h, w>(x: [f64; h, w], mask: [f64; h, w]) -> f64 { sum j in 0..h, i in 0..w { let dx = [i + 1 < w && mask[j, i] > 0.5] * (x[j, i + 1] - x[j, i]); let dy = [j + 1 < h && mask[j, i] > 0.5] * (x[j + 1, i] - x[j, i]); dx * dx + dy * dy } }
fn masked_grad = grad(masked, x);
"#,
        out: &[
            Out {
                function: "smooth_grad",
                most: |n, m, _| 3 * 6 * n * m,
                rank: 2,
                prints: r#"
fn smooth_grad<h, w>(x: [f64; h, w]) -> [f64; h, w] {
    let dx = for j in 0..h, i in 0..w if i + 1 < w { x[j, i + 1] - x[j, i] };
    let dy = for j in 0..h, i in 0..w if j + 1 < h { x[j + 1, i] - x[j, i] };
    let dy_bar = for j in 0..h, i in 0..w if j + 1 < h { 2.0 * dy[j, i] };
    let dx_bar = for j in 0..h, i in 0..w if i + 1 < w { 2.0 * dx[j, i] };
    for j in 0..h, i in 0..w { [0 < j] * dy_bar[j - 1, i] - [j + 1 < h] * dy_bar[j, i] + [0 < i] * dx_bar[j, i - 1] - [i + 1 < w] * dx_bar[j, i] }
}
"#,
            },
            Out {
                function: "masked_grad",
                most: |n, m, _| 3 * 6 * n * m,
                rank: 2,
                prints: r#"
fn masked_grad<h, w>(x: [f64; h, w], mask: [f64; h, w]) -> [f64; h, w] {
    let dx = for j in 0..h, i in 0..w if i + 1 < w && mask[j, i] > 0.5 { x[j, i + 1] - x[j, i] };
    let dy = for j in 0..h, i in 0..w if j + 1 < h && mask[j, i] > 0.5 { x[j + 1, i] - x[j, i] };
    let dy_bar = for j in 0..h, i in 0..w if j + 1 < h { 2.0 * dy[j, i] };
    let dx_bar = for j in 0..h, i in 0..w if i + 1 < w { 2.0 * dx[j, i] };
    for j in 0..h, i in 0..w { [0 < j && mask[j - 1, i] > 0.5] * dy_bar[j - 1, i] - [j + 1 < h && mask[j, i] > 0.5] * dy_bar[j, i] + [0 < i && mask[j, i - 1] > 0.5] * dx_bar[j, i - 1] - [i + 1 < w && mask[j, i] > 0.5] * dx_bar[j, i] }
}
"#,
            },
        ],
    },
    Line {
        about: "springs between points, and their Hessian times a vector",
        source: r#"
fn springs<n>(x: [f64; n, 2], k: f64, w: f64) -> f64 { sum i in 0..n if i + 1 < n { let d = sum c in 0..2 { (x[i, c] - x[i + 1, c]) * (x[i, c] - x[i + 1, c]) }; let s = d.max(1e-12).sqrt() - w; k * s * s } }
fn springs_grad = grad(springs, x);
fn springs_hvp = jvp(springs_grad, x);
"#,
        out: &[
            Out {
                function: "springs_grad",
                most: |n, _, _| 24 * n,
                rank: 2,
                prints: r#"
fn springs_grad<n>(x: [f64; n, 2], k: f64, w: f64) -> [f64; n, 2] {
    let t = for i in 0..n, c in 0..2 if i + 1 < n { x[i, c] - x[i + 1, c] };
    let d = for i in 0..n if i + 1 < n { sum c in 0..2 { t[i, c] * t[i, c] } };
    let max_d = for i in 0..n if i + 1 < n { d[i].max(1e-12) };
    let sqrt_max = for i in 0..n if i + 1 < n { max_d[i].sqrt() };
    let s = for i in 0..n if i + 1 < n { sqrt_max[i] - w };
    let s_bar = for i in 0..n if i + 1 < n { 2.0 * k * s[i] };
    let sqrt_max_partial = for i in 0..n if i + 1 < n { 0.5 * sqrt_max[i].recip() };
    let max_d_bar = for i in 0..n if i + 1 < n { s_bar[i] * sqrt_max_partial[i] };
    let t_bar = for i in 0..n, c in 0..2 if i + 1 < n && d[i] >= 1e-12 { 2.0 * t[i, c] * max_d_bar[i] };
    for i in 0..n, c in 0..2 { [i + 1 < n && d[i] >= 1e-12] * t_bar[i, c] - [0 < i && d[i - 1] >= 1e-12] * t_bar[i - 1, c] }
}
"#,
            },
            Out {
                function: "springs_hvp",
                most: |n, _, _| 60 * n,
                rank: 2,
                prints: r#"
fn springs_hvp<n>(x: [f64; n, 2], k: f64, w: f64, x_dot: [f64; n, 2]) -> ([f64; n, 2], [f64; n, 2]) {
    let t = for i in 0..n, c in 0..2 if i + 1 < n { x[i, c] - x[i + 1, c] };
    let d = for i in 0..n if i + 1 < n { sum c in 0..2 { t[i, c] * t[i, c] } };
    let max_d = for i in 0..n if i + 1 < n { d[i].max(1e-12) };
    let sqrt_max = for i in 0..n if i + 1 < n { max_d[i].sqrt() };
    let s = for i in 0..n if i + 1 < n { sqrt_max[i] - w };
    let s_bar = for i in 0..n if i + 1 < n { 2.0 * k * s[i] };
    let sqrt_max_partial = for i in 0..n if i + 1 < n { 0.5 * sqrt_max[i].recip() };
    let max_d_bar = for i in 0..n if i + 1 < n { s_bar[i] * sqrt_max_partial[i] };
    let t_bar = for i in 0..n, c in 0..2 if i + 1 < n && d[i] >= 1e-12 { 2.0 * t[i, c] * max_d_bar[i] };
    let x_bar = for i in 0..n, c in 0..2 { [i + 1 < n && d[i] >= 1e-12] * t_bar[i, c] - [0 < i && d[i - 1] >= 1e-12] * t_bar[i - 1, c] };
    let t_dot = for i in 0..n, c in 0..2 if i + 1 < n { x_dot[i, c] - x_dot[i + 1, c] };
    let d_dot = for i in 0..n if i + 1 < n { 2.0 * sum c in 0..2 { t[i, c] * t_dot[i, c] } };
    let sqrt_max_dot = for i in 0..n if i + 1 < n && d[i] >= 1e-12 { sqrt_max_partial[i] * d_dot[i] };
    let s_bar_dot = for i in 0..n if i + 1 < n { 2.0 * k * sqrt_max_dot[i] };
    let sqrt_max_partial_partial = for i in 0..n if i + 1 < n { 0.5 * (sqrt_max[i].recip() * sqrt_max[i].recip()) };
    let sqrt_max_partial_dot = for i in 0..n if i + 1 < n { -sqrt_max_dot[i] * sqrt_max_partial_partial[i] };
    let max_d_bar_dot = for i in 0..n if i + 1 < n { s_bar[i] * sqrt_max_partial_dot[i] + sqrt_max_partial[i] * s_bar_dot[i] };
    let t_bar_dot = for i in 0..n, c in 0..2 if i + 1 < n && d[i] >= 1e-12 { 2.0 * max_d_bar[i] * t_dot[i, c] + 2.0 * t[i, c] * max_d_bar_dot[i] };
    let x_bar_dot = for i in 0..n, c in 0..2 { [i + 1 < n && d[i] >= 1e-12] * t_bar_dot[i, c] - [0 < i && d[i - 1] >= 1e-12] * t_bar_dot[i - 1, c] };
    (x_bar, x_bar_dot)
}
"#,
            },
        ],
    },
    Line {
        about: "a quadratic form: (A + Aᵀ) x in 2n² multiplications",
        source: r#"
fn quadratic<n>(x: [f64; n], a: [f64; n, n]) -> f64 { let y = for i { sum j { a[i, j] * x[j] } }; sum i { y[i] * x[i] } }
fn quadratic_grad = grad(quadratic, x);
fn quadratic_hvp = jvp(quadratic_grad, x);
"#,
        out: &[
            Out {
                function: "quadratic_grad",
                most: |n, _, _| 4 * n * n,
                rank: 1,
                prints: r#"
fn quadratic_grad<n>(x: [f64; n], a: [f64; n, n]) -> [f64; n] {
    for k in 0..n { sum j in 0..n { x[j] * a[k, j] } + sum i in 0..n { a[i, k] * x[i] } }
}
"#,
            },
            Out {
                function: "quadratic_hvp",
                most: |n, _, _| 8 * n * n,
                rank: 1,
                prints: r#"
fn quadratic_hvp<n>(x: [f64; n], a: [f64; n, n], x_dot: [f64; n]) -> ([f64; n], [f64; n]) {
    let x_bar = for k in 0..n { sum j in 0..n { x[j] * a[k, j] } + sum i in 0..n { a[i, k] * x[i] } };
    let x_bar_dot = for k in 0..n { sum j in 0..n { a[k, j] * x_dot[j] } + sum i in 0..n { a[i, k] * x_dot[i] } };
    (x_bar, x_bar_dot)
}
"#,
            },
        ],
    },
    Line {
        about: "matrices are never multiplied together",
        source: r#"
fn chain<n>(x: [f64; n], a: [f64; n, n], b: [f64; n, n], c: [f64; n, n]) -> f64 { let y = for i { sum j { a[i, j] * x[j] } }; let z = for i { sum j { b[i, j] * y[j] } }; let w = for i { sum j { c[i, j] * z[j] } }; sum i { x[i] * w[i] } }
fn chain_jvp = jvp(chain);
fn chain_vjp = vjp(chain);
"#,
        out: &[
            Out {
                function: "chain_jvp",
                most: |n, _, _| 18 * n * n + 8 * n,
                rank: 1,
                prints: r#"
fn chain_jvp<n>(x: [f64; n], a: [f64; n, n], b: [f64; n, n], c: [f64; n, n], x_dot: [f64; n], a_dot: [f64; n, n], b_dot: [f64; n, n], c_dot: [f64; n, n]) -> (f64, f64) {
    let y = for i in 0..n { sum j in 0..n { x[j] * a[i, j] } };
    let z = for i in 0..n { sum j in 0..n { b[i, j] * y[j] } };
    let w = for i in 0..n { sum j in 0..n { c[i, j] * z[j] } };
    let result = sum i in 0..n { x[i] * w[i] };
    let y_dot = for i in 0..n { sum j in 0..n { a[i, j] * x_dot[j] } + sum j in 0..n { x[j] * a_dot[i, j] } };
    let z_dot = for i in 0..n { sum j in 0..n { b_dot[i, j] * y[j] } + sum j in 0..n { b[i, j] * y_dot[j] } };
    let w_dot = for i in 0..n { sum j in 0..n { c_dot[i, j] * z[j] } + sum j in 0..n { c[i, j] * z_dot[j] } };
    let result_dot = sum i in 0..n { x_dot[i] * w[i] } + sum i in 0..n { x[i] * w_dot[i] };
    (result, result_dot)
}
"#,
            },
            Out {
                function: "chain_vjp",
                most: |n, _, _| 15 * n * n + 8 * n,
                rank: 1,
                prints: r#"
fn chain_vjp<n>(x: [f64; n], a: [f64; n, n], b: [f64; n, n], c: [f64; n, n], y_bar: f64) -> (f64, [f64; n], [f64; n, n], [f64; n, n], [f64; n, n]) {
    let y = for i in 0..n { sum j in 0..n { x[j] * a[i, j] } };
    let z = for i in 0..n { sum j in 0..n { b[i, j] * y[j] } };
    let w = for i in 0..n { sum j in 0..n { c[i, j] * z[j] } };
    let result = sum i in 0..n { x[i] * w[i] };
    let w_bar = for i in 0..n { x[i] * y_bar };
    let z_bar = for k in 0..n { sum i in 0..n { c[i, k] * w_bar[i] } };
    let y_bar2 = for k in 0..n { sum i in 0..n { b[i, k] * z_bar[i] } };
    let x_bar = for j in 0..n { y_bar * w[j] + sum i in 0..n { a[i, j] * y_bar2[i] } };
    let a_bar = for i in 0..n, j in 0..n { x[j] * y_bar2[i] };
    let b_bar = for i in 0..n, j in 0..n { y[j] * z_bar[i] };
    let c_bar = for i in 0..n, j in 0..n { z[j] * w_bar[i] };
    (result, x_bar, a_bar, b_bar, c_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "a repeated factor in a product of several",
        source: r#"
fn squares<n>(a: [f64; n, n], b: [f64; n, n]) -> f64 { sum i, j { a[i, j] * a[i, j] * b[i, j] * b[i, j] } }
fn squares_grad = grad(squares);
"#,
        out: &[
            Out {
                function: "squares_grad",
                most: |n, _, _| 6 * n * n,
                rank: 2,
                prints: r#"
fn squares_grad<n>(a: [f64; n, n], b: [f64; n, n]) -> ([f64; n, n], [f64; n, n]) {
    let t = for i in 0..n, j in 0..n { a[i, j] * a[i, j] };
    let t_bar = for i in 0..n, j in 0..n { b[i, j] * b[i, j] };
    let a_bar = for i in 0..n, j in 0..n { 2.0 * a[i, j] * t_bar[i, j] };
    let b_bar = for i in 0..n, j in 0..n { 2.0 * b[i, j] * t[i, j] };
    (a_bar, b_bar)
}
"#,
            },
        ],
    },
];
