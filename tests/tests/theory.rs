//! What *Differentiating a Tensor Language* and its kin say must come out: programs, their simplified derivatives, and what those cost.

use proc_macro2::TokenStream;
use tensor_core::eval::{self, Tensor};
use tensor_core::index::Atom;
use tensor_core::ssa::{self, Function};
use tensor_core::{analyze, loops, normal_forms, schedule, simplify};

/// A block, and what comes out of its functions.
struct Line {
    about: &'static str,
    source: &'static str,
    out: &'static [Out],
}

/// A function in normal form.
struct Out {
    function: &'static str,
    /// The most additions, multiplications and calls, by the sizes in order of appearance, in Tensor SSA and on the loops.
    most: fn(u64, u64, u64) -> u64,
    /// The most dimensions of what is stored beside the results.
    rank: usize,
    /// How it prints.
    prints: &'static str,
}

/// Where costs are counted.
const SIZES: [[i64; 3]; 3] = [[5, 2, 2], [6, 4, 3], [9, 3, 2]];

#[rustfmt::skip]
const TABLE: &[Line] = &[
    Line {
        about: "the trace and the identity transpose to each other",
        source: r#"
fn trace<n>(a: [f64; n, n]) -> f64 { sum i { a[i, i] } }
fn trace_vjp = vjp(trace);
fn eye(x: f64, n: usize) -> [f64; n, n] { for i in 0..n, j in 0..n { [i == j] * x } }
fn eye_vjp = vjp(eye);
fn trace_eye(x: f64, n: usize) -> f64 { trace(eye(x, n)) }
fn trace_eye_grad = grad(trace_eye);
"#,
        out: &[
            Out {
                function: "trace_eye_grad",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn trace_eye_grad(x: f64, n: usize) -> f64 {
    n as f64
}
"#,
            },
            Out {
                function: "trace_vjp",
                most: |n, _, _| n,
                rank: 1,
                prints: r#"
fn trace_vjp<n>(a: [f64; n, n], y_bar: f64) -> (f64, [f64; n, n]) {
    let result = sum i in 0..n { a[i, i] };
    let a_bar = for k in 0..n, k2 in 0..n if k == k2 { y_bar };
    (result, a_bar)
}
"#,
            },
            Out {
                function: "eye_vjp",
                most: |n, _, _| n,
                rank: 0,
                prints: r#"
fn eye_vjp<n>(x: f64, y_bar: [f64; n, n]) -> ([f64; n, n], f64) {
    let result = for i in 0..n, j in 0..n if i == j { x };
    let x_bar = sum j in 0..n { y_bar[j, j] };
    (result, x_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "traces of one diagonal matrix: no matrix, however many they are",
        source: r#"
fn diag<n>(x: [f64; n]) -> [f64; n, n] { for i in 0..n, j in 0..n { [i == j] * x[i] } }
fn trace<n>(a: [f64; n, n]) -> f64 { sum i { a[i, i] } }
fn traces<n>(x: [f64; n]) -> f64 { let a = diag(x); trace(a) + trace(a) + trace(a) }
fn traces_grad = grad(traces);
"#,
        out: &[
            Out {
                function: "traces",
                most: |n, _, _| n,
                rank: 1,
                prints: r#"
fn traces<n>(x: [f64; n]) -> f64 {
    3.0 * sum i in 0..n { x[i] }
}
"#,
            },
            Out {
                function: "traces_grad",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn traces_grad<n>(x: [f64; n]) -> [f64; n] {
    for k in 0..n { 3.0 }
}
"#,
            },
        ],
    },
    Line {
        about: "a row times a column of a diagonal matrix",
        source: r#"
fn diag<n>(x: [f64; n]) -> [f64; n, n] { for i in 0..n, j in 0..n { [i == j] * x[i] } }
fn corner<n>(x: [f64; n]) -> f64 where n >= 1 { let a = diag(x); sum i { a[i, 0] * a[0, i] } }
fn corner_grad = grad(corner);
"#,
        out: &[
            Out {
                function: "corner",
                most: |_, _, _| 1,
                rank: 0,
                prints: r#"
fn corner<n>(x: [f64; n]) -> f64 where 0 < n {
    x[0] * x[0]
}
"#,
            },
            Out {
                function: "corner_grad",
                most: |_, _, _| 3,
                rank: 0,
                prints: r#"
fn corner_grad<n>(x: [f64; n]) -> [f64; n] where 0 < n {
    let x_bar = 2.0 * x[0];
    for k in 0..n if k == 0 { x_bar }
}
"#,
            },
        ],
    },
    Line {
        about: "a convolution probed by a one-hot tangent is a read; its adjoints are correlations",
        source: r#"
fn conv<n, m>(x: [f64; n + m - 1], c: [f64; m]) -> [f64; n] { for i in 0..n { sum j in 0..m { x[i + j] * c[j] } } }
fn probe<n, m>(x: [f64; n + m - 1], c: [f64; m]) -> [f64; n] { conv(for k in 0..n + m - 1 { [k == 2] * 1.0 }, c) }
fn conv_x = vjp(conv, x);
fn conv_c = vjp(conv, c);
"#,
        out: &[
            Out {
                function: "probe",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn probe<n, m>(x: [f64; n + m - 1], c: [f64; m]) -> [f64; n] {
    for i in 0..n if i <= 2 && 2 < m + i { c[2 - i] }
}
"#,
            },
            Out {
                function: "conv_x",
                most: |n, m, _| 2 * n * m + 2 * (n + m) * m,
                rank: 1,
                prints: r#"
fn conv_x<n, m>(x: [f64; n + m - 1], c: [f64; m], y_bar: [f64; n]) -> ([f64; n], [f64; n + m - 1]) {
    let result = for i in 0..n { sum j in 0..m { x[i + j] * c[j] } };
    let x_bar = for k in 0..n + m - 1 { sum j in 0..m if 0 <= k - j < n { c[j] * y_bar[k - j] } };
    (result, x_bar)
}
"#,
            },
            Out {
                function: "conv_c",
                most: |n, m, _| 4 * n * m,
                rank: 1,
                prints: r#"
fn conv_c<n, m>(x: [f64; n + m - 1], c: [f64; m], y_bar: [f64; n]) -> ([f64; n], [f64; m]) {
    let result = for i in 0..n { sum j in 0..m { x[i + j] * c[j] } };
    let c_bar = for k in 0..m { sum i in 0..n { x[k + i] * y_bar[i] } };
    (result, c_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "least squares on it: the residual is stored once",
        source: r#"
fn conv<n, m>(x: [f64; n + m - 1], c: [f64; m]) -> [f64; n] { for i in 0..n { sum j in 0..m { x[i + j] * c[j] } } }
fn fit<n, m>(x: [f64; n + m - 1], c: [f64; m], y: [f64; n]) -> f64 { let z = conv(x, c); sum i { let r = z[i] - y[i]; r * r } }
fn fit_x = grad(fit, x);
fn fit_c = grad(fit, c);
"#,
        out: &[
            Out {
                function: "fit_x",
                most: |n, m, _| 2 * n * m + n + n + 2 * (n + m) * m,
                rank: 1,
                prints: r#"
fn fit_x<n, m>(x: [f64; n + m - 1], c: [f64; m], y: [f64; n]) -> [f64; n + m - 1] {
    let r = for i in 0..n { sum j in 0..m { x[i + j] * c[j] } - y[i] };
    let r_bar = for k in 0..n { 2.0 * r[k] };
    for k in 0..n + m - 1 { sum j in 0..m if 0 <= k - j < n { c[j] * r_bar[k - j] } }
}
"#,
            },
            Out {
                function: "fit_c",
                most: |n, m, _| 4 * n * m + 2 * n,
                rank: 1,
                prints: r#"
fn fit_c<n, m>(x: [f64; n + m - 1], c: [f64; m], y: [f64; n]) -> [f64; m] {
    let r = for i in 0..n { sum j in 0..m { x[i + j] * c[j] } - y[i] };
    let r_bar = for k in 0..n { 2.0 * r[k] };
    for k in 0..m { sum i in 0..n { x[k + i] * r_bar[i] } }
}
"#,
            },
        ],
    },
    Line {
        about: "the same batched: nothing over batch × n × m",
        source: r#"
fn batched<b, n, m>(x: [f64; b, n + m - 1], c: [f64; m], y: [f64; b, n]) -> f64 { sum k in 0..b, i in 0..n { let r = (sum j in 0..m { x[k, i + j] * c[j] }) - y[k, i]; r * r } }
fn batched_c = grad(batched, c);
"#,
        out: &[
            Out {
                function: "batched_c",
                most: |n, m, k| n * (4 * m * k + 2 * m),
                rank: 2,
                prints: r#"
fn batched_c<b, n, m>(x: [f64; b, n + m - 1], c: [f64; m], y: [f64; b, n]) -> [f64; m] {
    let r = for k in 0..b, i in 0..n { sum j in 0..m { x[k, i + j] * c[j] } - y[k, i] };
    let r_bar = for k in 0..b, k2 in 0..n { 2.0 * r[k, k2] };
    for k in 0..m { sum k2 in 0..b, i in 0..n { x[k2, k + i] * r_bar[k2, i] } }
}
"#,
            },
        ],
    },
    Line {
        about: "names cost nothing",
        source: r#"
fn lets(x: f64) -> f64 { let z0 = x; let z1 = z0; let z2 = z1; 2.0 * z2 }
fn lets_vjp = vjp(lets);
"#,
        out: &[
            Out {
                function: "lets_vjp",
                most: |_, _, _| 2,
                rank: 0,
                prints: r#"
fn lets_vjp(x: f64, y_bar: f64) -> (f64, f64) {
    let result = 2.0 * x;
    let x_bar = 2.0 * y_bar;
    (result, x_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "the adjoint of a linear function has no more operations",
        source: r#"
fn linear(x: f64, y: f64) -> (f64, f64) { let a = 2.0 * x + 3.0 * y; let b = 4.0 * x + a; let z = 8.0 * x; let w = 5.0 * a + 6.0 * b; (z, w) }
fn linear_vjp = vjp(linear);
"#,
        out: &[
            Out {
                function: "linear_vjp",
                most: |_, _, _| 8,
                rank: 0,
                prints: r#"
fn linear_vjp(x: f64, y: f64, y_bar0: f64, y_bar1: f64) -> (f64, f64, f64, f64) {
    let z = 8.0 * x;
    let w = 46.0 * x + 33.0 * y;
    let x_bar = 46.0 * y_bar1 + 8.0 * y_bar0;
    let y_bar = 33.0 * y_bar1;
    (z, w, x_bar, y_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "elements that are read alone",
        source: r#"
fn picks<n>(x: [f64; n]) -> f64 where n >= 5 { x[0] + x[2] + x[3] + x[4] }
fn picks_vjp = vjp(picks);
"#,
        out: &[
            Out {
                function: "picks_vjp",
                most: |_, _, _| 3,
                rank: 0,
                prints: r#"
fn picks_vjp<n>(x: [f64; n], y_bar: f64) -> (f64, [f64; n]) where 4 < n {
    let result = x[0] + x[2] + x[3] + x[4];
    let x_bar = for k in 0..n if k != 1 && k <= 4 { y_bar };
    (result, x_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "a product of scalars",
        source: r#"
fn product(a: f64, b: f64, c: f64, d: f64, e: f64) -> f64 { a * b * c * d * e }
fn product_jvp = jvp(product);
fn product_vjp = vjp(product);
"#,
        out: &[
            Out {
                function: "product_jvp",
                most: |_, _, _| 16,
                rank: 0,
                prints: r#"
fn product_jvp(a: f64, b: f64, c: f64, d: f64, e: f64, a_dot: f64, b_dot: f64, c_dot: f64, d_dot: f64, e_dot: f64) -> (f64, f64) {
    let t = a * b;
    let t2 = c * t;
    let t3 = d * t2;
    let result = e * t3;
    let t_dot = b * a_dot + a * b_dot;
    let t2_dot = c_dot * t + c * t_dot;
    let t3_dot = d_dot * t2 + d * t2_dot;
    let result_dot = e_dot * t3 + e * t3_dot;
    (result, result_dot)
}
"#,
            },
            Out {
                function: "product_vjp",
                most: |_, _, _| 12,
                rank: 0,
                prints: r#"
fn product_vjp(a: f64, b: f64, c: f64, d: f64, e: f64, y_bar: f64) -> (f64, f64, f64, f64, f64, f64) {
    let t = a * b;
    let t2 = c * t;
    let t3 = d * t2;
    let result = e * t3;
    let t3_bar = e * y_bar;
    let t2_bar = d * t3_bar;
    let t_bar = c * t2_bar;
    let a_bar = b * t_bar;
    let b_bar = a * t_bar;
    let c_bar = t * t2_bar;
    let d_bar = t2 * t3_bar;
    let e_bar = y_bar * t3;
    (result, a_bar, b_bar, c_bar, d_bar, e_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "a sum, and a dot product",
        source: r#"
fn total<n>(x: [f64; n]) -> f64 { sum i { x[i] } }
fn total_grad = grad(total);
fn dot<n>(a: [f64; n], b: [f64; n]) -> f64 { sum i { a[i] * b[i] } }
fn dot_grad = grad(dot, a);
"#,
        out: &[
            Out {
                function: "total_grad",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn total_grad<n>(x: [f64; n]) -> [f64; n] {
    for k in 0..n { 1.0 }
}
"#,
            },
            Out {
                function: "dot_grad",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn dot_grad<n>(a: [f64; n], b: [f64; n]) -> [f64; n] {
    b
}
"#,
            },
        ],
    },
    Line {
        about: "the classic",
        source: r#"
fn scalar(x: f64, y: f64) -> f64 { x.ln() + x * y - y.sin() }
fn scalar_grad = grad(scalar);
"#,
        out: &[
            Out {
                function: "scalar_grad",
                most: |_, _, _| 4,
                rank: 0,
                prints: r#"
fn scalar_grad(x: f64, y: f64) -> (f64, f64) {
    let cos_y = y.cos();
    let recip_x = x.recip();
    let x_bar = y + recip_x;
    let y_bar = x - cos_y;
    (x_bar, y_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "the greatest element passes its cotangent to the first such; logsumexp has the softmax",
        source: r#"
fn largest<n>(x: [f64; n]) -> f64 { max i { x[i] } }
fn largest_vjp = vjp(largest);
fn lse<n>(x: [f64; n]) -> f64 { logsumexp i { x[i] } }
fn lse_grad = grad(lse);
"#,
        out: &[
            Out {
                function: "largest_vjp",
                most: |n, _, _| 2 * n,
                rank: 1,
                prints: r#"
fn largest_vjp<n>(x: [f64; n], y_bar: f64) -> (f64, [f64; n]) {
    let max_x = max i in 0..n { x[i] };
    let x_bar = for k in 0..n { let max_x_at = argmax i in 0..n { x[i] }; [k == max_x_at] * y_bar };
    (max_x, x_bar)
}
"#,
            },
            Out {
                function: "lse_grad",
                most: |n, _, _| 6 * n + 1,
                rank: 1,
                prints: r#"
fn lse_grad<n>(x: [f64; n]) -> [f64; n] {
    let max_x = max i in 0..n { x[i] };
    let shift = stop(if -INFINITY < max_x && max_x < INFINITY { max_x } else { 0.0 });
    let t = for i in 0..n { x[i] - shift };
    let exp_t = for i in 0..n { t[i].exp() };
    let sum_exp = sum i in 0..n { exp_t[i] };
    let recip_sum = sum_exp.recip();
    for k in 0..n { exp_t[k] * recip_sum }
}
"#,
            },
        ],
    },
    Line {
        about: "softmax cross-entropy",
        source: r#"
fn cross<n>(x: [f64; n], p: [f64; n]) -> f64 { let l = logsumexp i { x[i] }; sum i { p[i] * (l - x[i]) } }
fn cross_grad = grad(cross, x);
"#,
        out: &[
            Out {
                function: "cross_grad",
                most: |n, _, _| 8 * n + 2,
                rank: 1,
                prints: r#"
fn cross_grad<n>(x: [f64; n], p: [f64; n]) -> [f64; n] {
    let max_x = max i in 0..n { x[i] };
    let shift = stop(if -INFINITY < max_x && max_x < INFINITY { max_x } else { 0.0 });
    let t = for i in 0..n { x[i] - shift };
    let exp_t = for i in 0..n { t[i].exp() };
    let sum_exp = sum i in 0..n { exp_t[i] };
    let l_bar = sum i in 0..n { p[i] };
    let recip_sum = [0 < n] * sum_exp.recip();
    let sum_exp_bar = [0 < n] * l_bar * recip_sum;
    for k in 0..n { -p[k] + exp_t[k] * sum_exp_bar }
}
"#,
            },
        ],
    },
    Line {
        about: "what is masked is never evaluated",
        source: r#"
fn roots<n>(x: [f64; n]) -> f64 { sum i { [x[i] > 0.0] * x[i].sqrt() } }
fn roots_grad = grad(roots);
"#,
        out: &[
            Out {
                function: "roots_grad",
                most: |n, _, _| 3 * n,
                rank: 1,
                prints: r#"
fn roots_grad<n>(x: [f64; n]) -> [f64; n] {
    let sqrt_x = for i in 0..n if x[i] > 0.0 { x[i].sqrt() };
    let sqrt_x_partial = for i in 0..n if x[i] > 0.0 { 0.5 * sqrt_x[i].recip() };
    for k in 0..n if x[k] > 0.0 { sqrt_x_partial[k] }
}
"#,
            },
        ],
    },
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
    let y_bar2 = for k in 0..h, k2 in 0..w { 0.5 * y_bar[k, k2] + [k + 1 < h] * 0.25 * y_bar[k + 1, k2] + [0 < k] * 0.25 * y_bar[k - 1, k2] };
    let x_bar = for k in 0..h, k2 in 0..w { 0.5 * y_bar2[k, k2] + [k2 + 1 < w] * 0.25 * y_bar2[k, k2 + 1] + [0 < k2] * 0.25 * y_bar2[k, k2 - 1] };
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
    let dy_bar = for k in 0..h, k2 in 0..w if k + 1 < h { 2.0 * dy[k, k2] };
    let dx_bar = for k in 0..h, k2 in 0..w if k2 + 1 < w { 2.0 * dx[k, k2] };
    for k in 0..h, k2 in 0..w { [0 < k] * dy_bar[k - 1, k2] - [k + 1 < h] * dy_bar[k, k2] + [0 < k2] * dx_bar[k, k2 - 1] - [k2 + 1 < w] * dx_bar[k, k2] }
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
    let dy_bar = for k in 0..h, k2 in 0..w if k + 1 < h { 2.0 * dy[k, k2] };
    let dx_bar = for k in 0..h, k2 in 0..w if k2 + 1 < w { 2.0 * dx[k, k2] };
    for k in 0..h, k2 in 0..w { [0 < k && mask[k - 1, k2] > 0.5] * dy_bar[k - 1, k2] - [k + 1 < h && mask[k, k2] > 0.5] * dy_bar[k, k2] + [0 < k2 && mask[k, k2 - 1] > 0.5] * dx_bar[k, k2 - 1] - [k2 + 1 < w && mask[k, k2] > 0.5] * dx_bar[k, k2] }
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
    let s_bar = for k2 in 0..n if k2 + 1 < n { 2.0 * k * s[k2] };
    let sqrt_max_partial = for i in 0..n if i + 1 < n { 0.5 * sqrt_max[i].recip() };
    let max_d_bar = for k2 in 0..n if k2 + 1 < n { s_bar[k2] * sqrt_max_partial[k2] };
    let t_bar = for k2 in 0..n, k3 in 0..2 if k2 + 1 < n && d[k2] >= 1e-12 { 2.0 * t[k2, k3] * max_d_bar[k2] };
    for k2 in 0..n, k3 in 0..2 { [k2 + 1 < n && d[k2] >= 1e-12] * t_bar[k2, k3] - [0 < k2 && d[k2 - 1] >= 1e-12] * t_bar[k2 - 1, k3] }
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
    let s_bar = for k2 in 0..n if k2 + 1 < n { 2.0 * k * s[k2] };
    let sqrt_max_partial = for i in 0..n if i + 1 < n { 0.5 * sqrt_max[i].recip() };
    let max_d_bar = for k2 in 0..n if k2 + 1 < n { s_bar[k2] * sqrt_max_partial[k2] };
    let t_bar = for k2 in 0..n, k3 in 0..2 if k2 + 1 < n && d[k2] >= 1e-12 { 2.0 * t[k2, k3] * max_d_bar[k2] };
    let x_bar = for k2 in 0..n, k3 in 0..2 { [k2 + 1 < n && d[k2] >= 1e-12] * t_bar[k2, k3] - [0 < k2 && d[k2 - 1] >= 1e-12] * t_bar[k2 - 1, k3] };
    let t_dot = for i in 0..n, i2 in 0..2 if i + 1 < n { x_dot[i, i2] - x_dot[i + 1, i2] };
    let d_dot = for i in 0..n if i + 1 < n { 2.0 * sum c in 0..2 { t[i, c] * t_dot[i, c] } };
    let sqrt_max_dot = for i in 0..n if i + 1 < n && d[i] >= 1e-12 { sqrt_max_partial[i] * d_dot[i] };
    let s_bar_dot = for i in 0..n if i + 1 < n { 2.0 * k * sqrt_max_dot[i] };
    let sqrt_max_partial_partial = for i in 0..n if i + 1 < n { 0.5 * (sqrt_max[i].recip() * sqrt_max[i].recip()) };
    let sqrt_max_partial_dot = for i in 0..n if i + 1 < n { -sqrt_max_dot[i] * sqrt_max_partial_partial[i] };
    let max_d_bar_dot = for i in 0..n if i + 1 < n { s_bar[i] * sqrt_max_partial_dot[i] + sqrt_max_partial[i] * s_bar_dot[i] };
    let t_bar_dot = for i in 0..n, i2 in 0..2 if i + 1 < n && d[i] >= 1e-12 { 2.0 * max_d_bar[i] * t_dot[i, i2] + 2.0 * t[i, i2] * max_d_bar_dot[i] };
    let x_bar_dot = for i in 0..n, i2 in 0..2 { [i + 1 < n && d[i] >= 1e-12] * t_bar_dot[i, i2] - [0 < i && d[i - 1] >= 1e-12] * t_bar_dot[i - 1, i2] };
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
    let x_bar_dot = for i in 0..n { sum j in 0..n { a[i, j] * x_dot[j] } + sum i2 in 0..n { a[i2, i] * x_dot[i2] } };
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
    let w_bar = for k in 0..n { x[k] * y_bar };
    let z_bar = for k in 0..n { sum i in 0..n { c[i, k] * w_bar[i] } };
    let y_bar2 = for k in 0..n { sum i in 0..n { b[i, k] * z_bar[i] } };
    let x_bar = for k in 0..n { y_bar * w[k] + sum i in 0..n { a[i, k] * y_bar2[i] } };
    let a_bar = for k in 0..n, k2 in 0..n { x[k2] * y_bar2[k] };
    let b_bar = for k in 0..n, k2 in 0..n { y[k2] * z_bar[k] };
    let c_bar = for k in 0..n, k2 in 0..n { z[k2] * w_bar[k] };
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
    let t_bar = for k in 0..n, k2 in 0..n { b[k, k2] * b[k, k2] };
    let a_bar = for k in 0..n, k2 in 0..n { 2.0 * a[k, k2] * t_bar[k, k2] };
    let b_bar = for k in 0..n, k2 in 0..n { 2.0 * b[k, k2] * t[k, k2] };
    (a_bar, b_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "reads at halves have adjoints without floors",
        source: r#"
fn halves<n>(x: [f64; n]) -> [f64; 2 * n] { for i in 0..2 * n { x[i / 2] * [i % 2 == 0] + 0.5 } }
fn halves_vjp = vjp(halves);
"#,
        out: &[
            Out {
                function: "halves_vjp",
                most: |n, _, _| 2 * n,
                rank: 1,
                prints: r#"
fn halves_vjp<n>(x: [f64; n], y_bar: [f64; 2 * n]) -> ([f64; 2 * n], [f64; n]) {
    let result = for i in 0..2 * n { [i % 2 == 0] * x[i / 2] + 0.5 };
    let x_bar = for k in 0..n { y_bar[2 * k] };
    (result, x_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "strided reads have adjoints without fractions",
        source: r#"
fn even<n>(x: [f64; 2 * n]) -> [f64; n] { for i in 0..n { x[2 * i] } }
fn even_vjp = vjp(even);
fn pool<n, m>(x: [f64; 2 * n + m - 2], w: [f64; m]) -> [f64; n] where m >= 2 { for i in 0..n { sum j in 0..m { x[2 * i + j] * w[j] } } }
fn pool_x = vjp(pool, x);
fn pool_w = vjp(pool, w);
"#,
        out: &[
            Out {
                function: "even_vjp",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn even_vjp<n>(x: [f64; 2 * n], y_bar: [f64; n]) -> ([f64; n], [f64; 2 * n]) {
    let result = for i in 0..n { x[2 * i] };
    let x_bar = for k in 0..2 * n if k % 2 == 0 { y_bar[k / 2] };
    (result, x_bar)
}
"#,
            },
            Out {
                function: "pool_x",
                most: |n, m, _| 2 * n * m + 2 * n * m,
                rank: 1,
                prints: r#"
fn pool_x<n, m>(x: [f64; 2 * n + m - 2], w: [f64; m], y_bar: [f64; n]) -> ([f64; n], [f64; 2 * n + m - 2]) where 1 < m {
    let result = for i in 0..n { sum j in 0..m { x[2 * i + j] * w[j] } };
    let x_bar = for k in 0..2 * n + m - 2 { sum i in 0..n if 0 <= k - 2 * i < m { w[k - 2 * i] * y_bar[i] } };
    (result, x_bar)
}
"#,
            },
            Out {
                function: "pool_w",
                most: |n, m, _| 4 * n * m,
                rank: 1,
                prints: r#"
fn pool_w<n, m>(x: [f64; 2 * n + m - 2], w: [f64; m], y_bar: [f64; n]) -> ([f64; n], [f64; m]) where 1 < m {
    let result = for i in 0..n { sum j in 0..m { x[2 * i + j] * w[j] } };
    let w_bar = for k in 0..m { sum i in 0..n { x[k + 2 * i] * y_bar[i] } };
    (result, w_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "triangles packed by rows and by columns: their adjoints add where the function read",
        source: r#"
fn rows<n>(l: [f64; n * (n - 1) / 2], x: [f64; n]) -> [f64; n] { for i in 0..n { sum j in 0..i { l[i * (i - 1) / 2 + j] * x[j] } } }
fn rows_l = vjp(rows, l);
fn columns<n>(l: [f64; n * (n - 1) / 2], x: [f64; n]) -> [f64; n] { for i in 0..n { sum j in 0..i { l[j * (2 * n - j - 1) / 2 + i - j - 1] * x[j] } } }
fn columns_l = vjp(columns, l);
fn columns_again = vjp(columns_l, x, y_bar);
"#,
        out: &[
            Out {
                function: "rows_l",
                most: |n, _, _| n * (n - 1) * 3 / 2,
                rank: 0,
                prints: r#"
fn rows_l<n>(l: [f64; (n * n - n) / 2], x: [f64; n], y_bar: [f64; n]) -> ([f64; n], [f64; (n * n - n) / 2]) {
    let result = for i in 0..n { sum j in 0..i { l[(i * i - i) / 2 + j] * x[j] } };
    let l_bar = for k in 0..(n * n - n) / 2 { sum i in 0..n, j in 0..i if k + i == j + (i + i * i) / 2 { x[j] * y_bar[i] } };
    (result, l_bar)
}
"#,
            },
            Out {
                function: "columns_l",
                most: |n, _, _| n * (n - 1) * 3 / 2,
                rank: 0,
                prints: r#"
fn columns_l<n>(l: [f64; (n * n - n) / 2], x: [f64; n], y_bar: [f64; n]) -> ([f64; n], [f64; (n * n - n) / 2]) {
    let result = for i in 0..n { sum j in 0..i { l[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] * x[j] } };
    let l_bar = for k in 0..(n * n - n) / 2 { sum i in 0..n, j in 0..i if k + 2 * j + j * j + 1 == i + (j + j * j) / 2 + n * j { x[j] * y_bar[i] } };
    (result, l_bar)
}
"#,
            },
            Out {
                function: "columns_again",
                most: |n, _, _| n * (n - 1) * 9 / 2,
                rank: 0,
                prints: r#"
fn columns_again<n>(l: [f64; (n * n - n) / 2], x: [f64; n], y_bar: [f64; n], y_bar0: [f64; n], y_bar1: [f64; (n * n - n) / 2]) -> ([f64; n], [f64; (n * n - n) / 2], [f64; n], [f64; n]) {
    let result = for i in 0..n { sum j in 0..i { l[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] * x[j] } };
    let l_bar = for k in 0..(n * n - n) / 2 { sum i in 0..n, j in 0..i if k + 2 * j + j * j + 1 == i + (j + j * j) / 2 + n * j { x[j] * y_bar[i] } };
    let x_bar = for k in 0..n { sum i in k + 1..n { y_bar[i] * y_bar1[i + (k + k * k) / 2 + n * k - 2 * k - k * k - 1] } + sum i in k + 1..n { l[i + (k + k * k) / 2 + n * k - 2 * k - k * k - 1] * y_bar0[i] } };
    let y_bar_bar = for k in 0..n { sum j in 0..k { x[j] * y_bar1[k + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] } };
    (result, l_bar, x_bar, y_bar_bar)
}
"#,
            },
        ],
    },
];

/// The normal forms of a block, by name.
fn functions(source: &str) -> Vec<Function> {
    let tokens: TokenStream = source.parse().expect("tokens");
    let block = analyze(tokens)
        .unwrap_or_else(|e| panic!("{:?}\n{source}", e.0.iter().map(|e| &e.message).collect::<Vec<_>>()));
    normal_forms(&block).into_iter().flatten().collect()
}

fn function(source: &str, name: &str) -> Function {
    functions(source).into_iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no `{name}`"))
}

/// Arguments of the right shapes between 0.5 and 1.5.
fn arguments(f: &Function, sizes: &[i64]) -> Vec<Tensor> {
    let size = |t: &Atom| match t {
        Atom::Size(k) => sizes[*k as usize],
        Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
    };
    let mut rng = fastrand::Rng::with_seed(7);
    let shape = |p: &ssa::ArrayId| -> Vec<usize> {
        f.array(*p).extents.iter().map(|e| usize::try_from(e.eval(&size)).unwrap_or(0)).collect()
    };
    f.params.iter().map(|p| Tensor::from_fn(&shape(p), |_| 0.5 + rng.f64())).collect()
}

/// The results and costs in Tensor SSA and on the loops.
fn run(f: &Function, sizes: &[i64], args: &[Tensor]) -> (Vec<Tensor>, [u64; 2]) {
    let (results, cost) = eval::ssa::run(f, sizes, args).unwrap_or_else(|e| panic!("{}: {e}", f.name));
    let program = schedule::schedule(&simplify::erase_stops(f.clone()));
    let leaves: Vec<loops::eval::Leaf> = args.iter().map(|t| t.data.clone()).collect();
    let constant = |path: &str| eval::scalar::constant(path).unwrap_or(f64::NAN);
    let (found, counts) = loops::eval::run(&program, sizes, &leaves, &constant).expect("the loops run");
    for (found, expected) in found.iter().zip(&results) {
        for (a, b) in found.iter().zip(&expected.data) {
            assert!(a == b || (a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{}: {a} for {b}", f.name);
        }
    }
    (results, [cost, counts.cost()])
}

#[test]
fn prints() {
    let mut wrong = String::new();
    for line in TABLE {
        for out in line.out {
            let found = ssa::display::display(&function(line.source, out.function)).to_string();
            if found.trim() != out.prints.trim() {
                wrong += &format!("// {}\n{found}\n", line.about);
            }
        }
    }
    assert!(wrong.is_empty(), "printed otherwise:\n{wrong}");
}

#[test]
fn costs() {
    for line in TABLE {
        for out in line.out {
            let f = function(line.source, out.function);
            for sizes in SIZES {
                let at = &sizes[..f.sizes.len()];
                let [n, m, k] = sizes.map(i64::unsigned_abs);
                let most = (out.most)(n, m, k);
                let (_, costs) = run(&f, at, &arguments(&f, at));
                assert!(
                    costs.iter().all(|c| *c <= most),
                    "{}: {} costs {costs:?} of {most} at {at:?}",
                    line.about,
                    f.name
                );
            }
        }
    }
}

#[test]
fn storage() {
    for line in TABLE {
        for out in line.out {
            let f = function(line.source, out.function);
            let own = f.stmts.iter().filter(|s| !f.results.contains(&s.array)).map(|s| s.gens.len());
            let program = schedule::schedule(&simplify::erase_stops(f.clone()));
            let work = program.work.iter().map(|b| b.extents.len());
            let most = own.chain(work).max().unwrap_or(0);
            assert!(most <= out.rank, "{}: {} stores {most} dimensions\n{program}", line.about, f.name);
        }
    }
}

/// The value of a function of scalars and vectors at numbers.
fn at(source: &str, name: &str, sizes: &[i64], args: &[&[f64]]) -> Vec<Vec<f64>> {
    let f = function(source, name);
    let leaf = |(p, data): (&ssa::ArrayId, &&[f64])| Tensor {
        shape: if f.array(*p).extents.is_empty() { vec![] } else { vec![data.len()] },
        data: data.to_vec(),
    };
    let args: Vec<Tensor> = f.params.iter().zip(args).map(leaf).collect();
    run(&f, sizes, &args).0.into_iter().map(|t| t.data).collect()
}

fn source(about: &str) -> &'static str {
    TABLE.iter().find(|l| l.about.contains(about)).map(|l| l.source).expect("a line of the table")
}

#[test]
fn numbers() {
    let classic = source("classic");
    let close = |found: &[Vec<f64>], expected: &[f64]| {
        let found: Vec<f64> = found.concat();
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?} for {expected:?}");
    };
    close(&at(classic, "scalar", &[], &[&[2.0], &[5.0]]), &[11.652]);
    close(&at(classic, "scalar_grad", &[], &[&[2.0], &[5.0]]), &[5.5, 1.716]);
    assert_eq!(at(source("names"), "lets_vjp", &[], &[&[3.0], &[1.5]]), [[6.0], [3.0]]);
    assert_eq!(at(source("row times"), "corner_grad", &[3], &[&[1.5, 2.0, 3.0]]), [[3.0, 0.0, 0.0]]);
    let picks = at(source("read alone"), "picks_vjp", &[6], &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2.0]]);
    assert_eq!(picks, [vec![13.0], vec![2.0, 0.0, 2.0, 2.0, 2.0, 0.0]]);
}

#[test]
fn extremes() {
    let of = source("softmax");
    let ties = at(of, "largest_vjp", &[4], &[&[1.0, 7.0, 7.0, 0.0], &[2.0]]);
    assert_eq!(ties, [vec![7.0], vec![0.0, 2.0, 0.0, 0.0]]);
    for x in [1e300, -1e300] {
        assert_eq!(at(of, "lse_grad", &[2], &[&[x, x]]), [[0.5, 0.5]]);
        assert!(at(of, "lse", &[2], &[&[x, -x]])[0][0].is_finite());
    }
    assert_eq!(at(source("masked is never"), "roots_grad", &[3], &[&[0.0, -1.0, 4.0]]), [[0.0, 0.0, 0.25]]);
}
