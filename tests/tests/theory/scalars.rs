//! Scalars, extremes and masks.

use super::{Line, Out};

#[rustfmt::skip]
pub const TABLE: &[Line] = &[
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
    for i in 0..n { 1.0 }
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
    for i in 0..n { exp_t[i] * recip_sum }
}
"#,
            },
        ],
    },
    Line {
        about: "softmax cross-entropy: the gradient is softmax times the sum of p, less p",
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
    let recip_sum = sum_exp.recip();
    let sum_exp_bar = l_bar * recip_sum;
    for i in 0..n { exp_t[i] * sum_exp_bar - p[i] }
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
    for i in 0..n if x[i] > 0.0 { sqrt_x_partial[i] }
}
"#,
            },
        ],
    },
];
