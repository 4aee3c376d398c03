//! Hessians: how they print, and that what is symmetric in them is computed once.

use super::{Line, Out, arguments, function, run};

#[rustfmt::skip]
pub const TABLE: &[Line] = &[
    Line {
        about: "the Hessian of a chain of springs is a band, of which one half is computed",
        source: r#"
fn chain<n>(x: [f64; n], k: f64) -> f64 { sum i in 0..n if i + 1 < n { k * ((x[i + 1] - x[i]).powi(2) + 1.0).sqrt() } }
fn chain_hessian = hessian(chain, x);
"#,
        out: &[Out {
            function: "chain_hessian",
            most: |n, _, _| 18 * n,
            rank: 1,
            prints: r#"
fn chain_hessian<n>(x: [f64; n], k: f64) -> [f64; n, n] {
    let t = for i in 0..n if i + 1 < n { x[i + 1] - x[i] };
    let t2 = for i in 0..n if i + 1 < n { t[i] * t[i] + 1.0 };
    let sqrt_t = for i in 0..n if i + 1 < n { t2[i].sqrt() };
    let sqrt_t_partial = for i in 0..n if i + 1 < n { 0.5 * sqrt_t[i].recip() };
    let sqrt_t_dot = for i in 0..n if i + 1 < n { 2.0 * t[i] * sqrt_t_partial[i] };
    let sqrt_t_partial_partial = for i in 0..n if i + 1 < n { 0.5 * (sqrt_t[i].recip() * sqrt_t[i].recip()) };
    let sqrt_t_partial_dot = for i in 0..n if i + 1 < n { -sqrt_t_dot[i] * sqrt_t_partial_partial[i] };
    let t2_bar_dot = for i in 0..n if i + 1 < n { k * sqrt_t_partial_dot[i] };
    let t_bar_dot = for i in 0..n if i + 1 < n { 2.0 * k * sqrt_t_partial[i] + 2.0 * t[i] * t2_bar_dot[i] };
    let x_bar_dot = for i in 0..n { [0 < i] * t_bar_dot[i - 1] + [i + 1 < n] * t_bar_dot[i] };
    for i in 0..n, i2 in 0..n { [i == i2 && 1 < n] * x_bar_dot[i] - [i == i2 + 1] * t_bar_dot[i - 1] - [i + 1 == i2] * t_bar_dot[i] }
}
"#,
        }],
    },
    Line {
        about: "the Hessian of a sum over pairs has one second derivative for each pair",
        source: r#"
fn pairs<n>(x: [f64; n]) -> f64 { sum i in 0..n, j in 0..n if j < i { (1.0 + (x[i] - x[j]).powi(2)).ln() } }
fn pairs_hessian = hessian(pairs);
"#,
        out: &[Out {
            function: "pairs_hessian",
            most: |n, _, _| 7 * n * n,
            rank: 2,
            prints: r#"
fn pairs_hessian<n>(x: [f64; n]) -> [f64; n, n] {
    let t = for i in 0..n, j in 0..n if j < i { x[i] - x[j] };
    let t2 = for i in 0..n, j in 0..n if j < i { 1.0 + t[i, j] * t[i, j] };
    let recip_t2 = for i in 0..n, j in 0..n if j < i { t2[i, j].recip() };
    let recip_t2_partial = for i in 0..n, j in 0..n if j < i { recip_t2[i, j] * recip_t2[i, j] };
    let recip_t2_dot = for i in 0..n, i2 in 0..n if i2 < i { -2.0 * t[i, i2] * recip_t2_partial[i, i2] };
    let t_bar_dot = for i in 0..n, i2 in 0..n if i2 < i { 2.0 * recip_t2[i, i2] + 2.0 * t[i, i2] * recip_t2_dot[i, i2] };
    let x_bar_dot = for k in 0..n { sum j in 0..k { t_bar_dot[k, j] } + sum i in k + 1..n { t_bar_dot[i, k] } };
    let x_bar_dot2 = for i in 0..n, i2 in 0..n { [i == i2 && 1 < n] * x_bar_dot[i] - [i2 < i] * t_bar_dot[i, i2] };
    for i in 0..n, i2 in 0..n { [i2 <= i] * x_bar_dot2[i, i2] + [i < i2] * x_bar_dot2[i2, i] }
}
"#,
        }],
    },
    Line {
        about: "of the Hessian of a convolution by its kernel the triangle is computed",
        source: r#"
fn blurred<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> f64 { sum i in 0..n { (sum j in 0..m { x[i + j] * w[j] }).cos() } }
fn blurred_hessian = hessian(blurred, w);
"#,
        out: &[Out {
            function: "blurred_hessian",
            most: |n, m, _| n * m * (m + 1) + 4 * n * m + 3 * n,
            rank: 2,
            prints: r#"
fn blurred_hessian<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> [f64; m, m] {
    let t = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
    let cos_t = for i in 0..n { t[i].cos() };
    let sin_t_dot = for i in 0..n, i2 in 0..m { x[i + i2] * cos_t[i] };
    let w_bar_dot = for k in 0..m, l in 0..m if k <= l { -sum i in 0..n { x[k + i] * sin_t_dot[i, l] } };
    for i in 0..m, i2 in 0..m { [i <= i2] * w_bar_dot[i, i2] + [i2 < i] * w_bar_dot[i2, i] }
}
"#,
        }],
    },
    Line {
        about: "of the Hessian of a logistic regression, which is a matmul, the triangle is computed",
        source: r#"
fn logistic<n, d>(x: [f64; n, d], y: [f64; n], w: [f64; d]) -> f64 { sum i in 0..n { let s = sum j { x[i, j] * w[j] }; s.softplus() - y[i] * s } }
fn logistic_hessian = hessian(logistic, w);
"#,
        out: &[Out {
            function: "logistic_hessian",
            most: |n, m, _| n * m * (m + 1) + 3 * n * m + 4 * n,
            rank: 2,
            prints: r#"
fn logistic_hessian<n, d>(x: [f64; n, d], y: [f64; n], w: [f64; d]) -> [f64; d, d] {
    let s = for i in 0..n { sum j in 0..d { x[i, j] * w[j] } };
    let sigmoid_s = for i in 0..n { s[i].sigmoid() };
    let sigmoid_s_partial = for i in 0..n { sigmoid_s[i] * (1.0 - sigmoid_s[i]) };
    let sigmoid_s_dot = for i in 0..n, i2 in 0..d { x[i, i2] * sigmoid_s_partial[i] };
    let w_bar_dot = for k in 0..d, l in 0..d if k <= l { sum i in 0..n { x[i, k] * sigmoid_s_dot[i, l] } };
    for i in 0..d, i2 in 0..d { [i <= i2] * w_bar_dot[i, i2] + [i2 < i] * w_bar_dot[i2, i] }
}
"#,
        }],
    },
];

/// Programs, sizes, and the most that their Hessian costs of the Jacobian of their gradient, which is not known to be symmetric.
const HALVED: &[(&str, [i64; 3], f64)] = &[
    ("fn f<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> f64 { sum i in 0..n { (sum j in 0..m { x[i + j] * w[j] }).cos() } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [60, 20, 0], 0.62),
    ("fn f<n, d, h>(x: [f64; n, d], w: [f64; h, d]) -> f64 { sum i in 0..n { (sum k in 0..h { (sum j { x[i, j] * w[k, j] }).sin() }).powi(2) } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [9, 4, 8], 0.65),
    ("fn f<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> f64 { sum i in 0..n { (sum j in 0..m { x[i + j] * w[j] }).cos() } }
      fn h = hessian(f); fn j = jacobian(grad(f));", [20, 20, 0], 0.62),
    ("fn f<n, d>(x: [f64; n, d], w: [f64; d]) -> f64 { sum i in 0..n { (sum j { x[i, j] * w[j] }).softplus() } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [20, 12, 0], 0.65),
    ("fn f<n, d, k>(x: [f64; n, k, d], w: [f64; k, d]) -> f64 { sum i in 0..n, c in 0..k { (sum j { x[i, c, j] * w[c, j] }).powi(2) } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [20, 12, 3], 0.75),
    ("fn f<n>(x: [f64; n, 3], w: [f64; 3]) -> f64 { sum i in 0..n { (sum j { x[i, j] * w[j] }).softplus() } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [40, 0, 0], 0.81),
    ("fn f<d>(x: [f64; 2, d], w: [f64; d]) -> f64 { sum i in 0..2 { (sum j { x[i, j] * w[j] }).softplus() } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [60, 0, 0], 0.56),
    // One multiplication, or addition, for each element.
    ("fn f<n>(x: [f64; n]) -> f64 { (sum i { x[i].exp() }).ln() }
      fn h = hessian(f); fn j = jacobian(grad(f));", [90, 0, 0], 0.58),
    ("fn f<n>(x: [f64; n], a: [f64; n, n]) -> f64 { sum i, j { x[i] * a[i, j] * x[j] } }
      fn h = hessian(f, x); fn j = jacobian(grad(f, x), x);", [90, 0, 0], 0.55),
    ("fn f<n>(x: [f64; n], w: [f64; n]) -> f64 { (sum i { x[i] * w[i] }).exp() }
      fn h = hessian(f, x, w); fn j = jacobian(grad(f, x, w), x, w);", [90, 0, 0], 0.56),
    // Numbers, and a number with a vector.
    ("fn f(x: f64, y: f64) -> f64 { (x * y).sin() * x.exp() + y / x }
      fn h = hessian(f, x, y); fn j = jacobian(grad(f, x, y), x, y);", [0, 0, 0], 0.84),
    ("fn f<n>(x: f64, w: [f64; n]) -> f64 { sum i { (x * w[i]).sin() * w[i] } }
      fn h = hessian(f, x, w); fn j = jacobian(grad(f, x, w), x, w);", [40, 0, 0], 0.85),
    // Literal, with an expression for each element.
    ("fn f(x: [f64; 3]) -> f64 { (x[0] * x[1]).sin() * x[2].exp() + x[0] * x[1] * x[2] }
      fn h = hessian(f); fn j = jacobian(grad(f));", [0, 0, 0], 0.81),
    // Blocks on the diagonal: of a few rows they are much of the whole.
    ("fn f<n, d, c>(x: [f64; n, d], w: [f64; c, d]) -> f64 { sum i in 0..n { (sum k in 0..c { (sum j { w[k, j] * x[i, j] }).exp() }).ln() } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [9, 20, 2], 0.56),
    ("fn f<n, d, c>(x: [f64; n, d], w: [f64; c, d]) -> f64 { sum i in 0..n { (sum k in 0..c { (sum j { x[i, j] * w[k, j] }).sin() }).powi(2) } }
      fn h = hessian(f, w); fn j = jacobian(grad(f, w), w);", [9, 20, 2], 0.56),
    ("fn f<n, m>(x: [f64; n, m]) -> f64 { (sum i, j { x[i, j].exp() }).ln() }
      fn h = hessian(f); fn j = jacobian(grad(f));", [2, 40, 0], 0.55),
    ("fn f<n, m>(x: [f64; n, 2, m]) -> f64 { (sum i, a, j { x[i, a, j].exp() }).ln() }
      fn h = hessian(f); fn j = jacobian(grad(f));", [2, 20, 0], 0.55),
    ("fn f<n, m>(x: [f64; 2, n], a: [f64; m, 2, n]) -> f64 { sum k { (sum c, i { a[k, c, i] * x[c, i] }).softplus() } }
      fn h = hessian(f, x); fn j = jacobian(grad(f, x), x);", [20, 9, 0], 0.54),
    ("fn f(x: [f64; 2, 3], y: [f64; 2, 3]) -> f64 { (sum a, b { x[a, b] * y[a, b] }).exp() }
      fn h = hessian(f, x); fn j = jacobian(grad(f, x), x);", [0, 0, 0], 0.73),
    ("fn f<n, m>(x: [f64; n, m]) -> f64 { sum i in 0..n, j in 0..i { (sum d { (x[i, d] - x[j, d]).powi(2) }).sqrt() } }
      fn h = hessian(f); fn j = jacobian(grad(f));", [3, 20, 0], 0.53),
    // On lines beside the diagonal.
    ("fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n - 1 { x[i].powi(3) * x[i + 1].powi(4) } }
      fn h = hessian(f); fn j = jacobian(grad(f));", [40, 0, 0], 0.92),
    ("fn f<n, m>(x: [f64; n], a: [f64; m, n]) -> f64 { sum i in 0..n - 2, k { (a[k, i] * x[i]).sin() * (a[k, i] * x[i + 2]).cos() } }
      fn h = hessian(f, x); fn j = jacobian(grad(f, x), x);", [30, 20, 0], 0.85),
    ("fn f<n, m>(x: [f64; n, m]) -> f64 { sum i in 0..n - 1 { (sum d { x[i, d] * x[i + 1, d] }).sin() } }
      fn h = hessian(f); fn j = jacobian(grad(f));", [3, 20, 0], 0.55),
    ("fn f<n, m>(x: [f64; n, m]) -> f64 { (sum i in 0..n - 1, j in 0..m { (x[i + 1, j] * x[i, j]).cos() }) + (sum i in 0..n, j in 0..m - 1 { (x[i, j + 1] * x[i, j]).sin() }) }
      fn h = hessian(f); fn j = jacobian(grad(f));", [9, 9, 0], 0.85),
];

#[test]
fn symmetric_hessians_are_computed_once() {
    let mut wrong = vec![];
    for (source, sizes, most) in HALVED {
        let (h, j) = (function(source, "h"), function(source, "j"));
        let sizes = &sizes[..h.sizes.len()];
        let args = arguments(&h, sizes);
        let ((blocks, [_, once]), (expected, [_, twice])) = (run(&h, sizes, &args), run(&j, sizes, &args));
        assert_eq!(blocks.len(), expected.len(), "{source}");
        for (found, expected) in blocks.iter().zip(&expected) {
            assert_eq!(found.shape, expected.shape, "{source}");
            for (a, b) in found.data.iter().zip(&expected.data) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{source}: {a} for {b}");
            }
        }
        let ratio = once as f64 / twice as f64;
        if ratio > *most {
            wrong.push(format!("{source}: {once} of {twice} operations, {ratio:.3}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A derivative that is declared need not be that of a function: nothing is taken from the other half.
#[test]
fn declared_derivatives_are_not_taken_to_be_symmetric() {
    let source = "
        fn twist<m>(w: [f64; m]) -> f64 where m >= 1 { w[0] * w[m - 1] }
        fn twisted<m>(w: [f64; m], w_dot: [f64; m]) -> f64 where m >= 1 { w[0] * w_dot[m - 1] + 3.0 * w[m - 1] * w_dot[0] }
        impl jvp(twist) = twisted;
        fn f<n, m>(x: [f64; n + m - 1], w: [f64; m]) -> f64 where m >= 1 {
            twist(w) + sum i in 0..n { (sum j in 0..m { x[i + j] * w[j] }).cos() }
        }
        fn h = hessian(f, w);";
    let h = function(source, "h");
    let (out, _) = run(&h, &[0, 3], &arguments(&h, &[0, 3]));
    assert_eq!(out[0].data, [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}
