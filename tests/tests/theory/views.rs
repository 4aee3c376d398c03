//! Views, diagonals and convolutions.

use super::{Line, Out};

#[rustfmt::skip]
pub const TABLE: &[Line] = &[
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
    let a_bar = for i in 0..n, k in 0..n if i == k { y_bar };
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
    for i in 0..n { 3.0 }
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
    let c_bar = for j in 0..m { sum i in 0..n { x[j + i] * y_bar[i] } };
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
    let r_bar = for i in 0..n { 2.0 * r[i] };
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
    let r_bar = for i in 0..n { 2.0 * r[i] };
    for j in 0..m { sum i in 0..n { x[j + i] * r_bar[i] } }
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
    let r_bar = for k in 0..b, i in 0..n { 2.0 * r[k, i] };
    for j in 0..m { sum k in 0..b, i in 0..n { x[k, j + i] * r_bar[k, i] } }
}
"#,
            },
        ],
    },
];
