//! Statements of tensors, one after the other.

use super::Family;
use super::text::{TRANSFORMS, derived, join, lets};

/// Each reads the one before it.
const CHAINS: [(&str, &str); 7] = [
    ("layers", "let x$j = for i in 0..n { (sum j in 0..n { w[i, j] * x$i[j] }).tanh() };"),
    ("maps", "let x$j = for i in 0..n { x$i[i].sin() * w[i, i] };"),
    (
        "stencils",
        "let x$j = for i in 0..n if 1 <= i && i + 1 < n { x$i[i - 1] - 2.0 * x$i[i] + x$i[i + 1] };",
    ),
    (
        "nonlinear",
        "let x$j = for i in 0..n if 1 <= i && i + 1 < n { (x$i[i - 1] - 2.0 * x$i[i] + x$i[i + 1]).sin() };",
    ),
    ("residual", "let x$j = for i in 0..n { x$i[i] + (sum j in 0..n { w[i, j] * x$i[j] }).tanh() };"),
    ("factors", "let x$j = for i in 0..n { sum j, l { w[i, j] * w[j, l] * x$i[l] * x0[i] * x0[j] } };"),
    ("normalized", "let s$i = sum i { x$i[i] * x$i[i] }; let x$j = for i in 0..n { x$i[i] / (1.0 + s$i) };"),
];

pub(super) fn all() -> Vec<Family> {
    let mut out = vec![];
    for t in TRANSFORMS {
        for (name, each) in CHAINS {
            out.push(Family::new(format!("tensor/{name}/{t}"), 4, 1024, move |k| {
                let body = lets(k, each, "sum i { x$k[i] }");
                format!("fn f<n>(x0: [f64; n], w: [f64; n, n]) -> f64 {{ {body} }} {}", derived(t, ", x0"))
            }));
        }
        out.push(Family::new(format!("tensor/weights/{t}"), 4, 512, move |k| {
            let weights = join(k, ", ", |i| format!("w{i}: [f64; n, n]"));
            let layer = "let x$j = for i in 0..n { (sum j in 0..n { w$i[i, j] * x$i[j] }).tanh() };";
            let body = lets(k, layer, "sum i { x$k[i] }");
            let by = if t == "hessian" { ", x0" } else { "" };
            format!("fn f<n>(x0: [f64; n], {weights}) -> f64 {{ {body} }} {}", derived(t, by))
        }));
    }
    out.extend(TRANSFORMS.map(|t| {
        Family::new(format!("tensor/threads/{t}"), 4, 512, move |k| {
            let each =
                "let s$i = sum j { x$i[j] * x$i[j] }; let x$j = for i in 0..n { (x$i[i] * s$i).sin() };";
            let body = lets(k, each, "sum i { x$k[i] }");
            format!("#[threads] fn f<n>(x0: [f64; n]) -> f64 {{ {body} }} {}", derived(t, ", x0"))
        })
    }));
    out.extend(TRANSFORMS.map(|t| {
        Family::new(format!("tensor/products/{t}"), 4, 256, move |k| {
            let each =
                "let d$j = for i in 0..n, l in 0..n, m in 0..n { x$i[i, l] * w[i, m] + w[i, l] * x$i[i, m] };
                let x$j = for l in 0..n, m in 0..n { sum i in 0..n { w[i, l] * d$j[i, l, m] } };";
            let body = lets(k, each, "sum i, j { x$k[i, j] }");
            format!("fn f<n>(x0: [f64; n, n], w: [f64; n, n]) -> f64 {{ {body} }} {}", derived(t, ", x0"))
        })
    }));
    out.extend(TRANSFORMS.map(|t| {
        Family::new(format!("tensor/images/{t}"), 4, 512, move |k| {
            let each = "let x$j = for i in 0..n, j in 0..n if 1 <= i && i + 1 < n && 1 <= j && j + 1 < n {
                (x$i[i - 1, j] + x$i[i + 1, j] + x$i[i, j - 1] + x$i[i, j + 1] - 4.0 * x$i[i, j]).sin() };";
            let body = lets(k, each, "sum i, j { x$k[i, j] }");
            format!("fn f<n>(x0: [f64; n, n]) -> f64 {{ {body} }} {}", derived(t, ", x0"))
        })
    }));
    out
}
