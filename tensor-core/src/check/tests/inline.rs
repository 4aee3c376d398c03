//! Inline blocks: what is captured, with which types.

use super::{compare, messages, print};
use crate::error::Errors;
use crate::parse::{Input, parse};
use crate::typed::Block;

/// The function of an inline block and its arguments, or the mistakes.
fn show(source: &str) -> String {
    let mut errors = Errors::default();
    let Some(Input::Inline(inline)) = parse(source.parse().expect("tokens"), &mut errors) else {
        return messages(&errors);
    };
    match super::super::check_inline(&inline, &mut errors) {
        Some(inline) => {
            let text = print::function(&Block::default(), &inline.function);
            let arguments: Vec<_> = inline.arguments.iter().map(|a| a.to_string().replace(' ', "")).collect();
            format!("{text}\n({})", arguments.join(", "))
        }
        None => messages(&errors),
    }
}

const CASES: &[(&str, &str)] = &[
    (
        "for i { sum j { a[i, j] * x[j] } }",
        "fn inline<a_rows, a_cols>(a: [f64; a_rows, a_cols], x: [f64; a_cols]) -> [f64; a_rows] { for i in 0..a_rows { sum j in 0..a_cols { (a[i, j] * x[j]) } } }\n(&a, &x)",
    ),
    (
        "|w: [f32; n] = &self.w, y: [f32; n + 1]| for i in 0..n { y[i + 1] - y[i] - w[i] }",
        "fn inline<n>(w: [f32; n], y: [f32; n + 1]) -> [f32; n] { for i in 0..n { ((y[i + 1] - y[i]) - w[i]) } }\n(&self.w, &y)",
    ),
    (
        "let y = rec t in 0..n { x[t] + [t >= 1] * y[t - 1] * a }; y[0] + fold t in 0..n from (p, q) = (a, z) if p < c { (q, p * w[t]) }.1 * z",
        "fn inline(n: usize, x: [f64; n], a: f64, z: f64, c: f64, w: [f64; n]) -> f64 { let y6 = rec y5 by t0 in 0..n { (x[t0] + [t0 >= 1] (y5[t0 - 1] * a)) }; (y6[0] + (let start = (a, z); if n >= 1 { let states12 = rec states11 by t1 in 0..n { let state = if t1 == 0 { start } else { states11[t1 - 1] }; let p = state.0; let q = state.1; if p < c { (q, (p * w[t1])) } else { state } }; states12[n - 1] } else { start }.1 * z)) }\n(n, &x, a, z, c, &w)",
    ),
    (
        "let (i, j) = rec i { (x[i], v[i]) }; reduce k in 0..3 with |p, q| { p * q + r } from u if g < k { p[k] }",
        "fn inline<x_len>(x: [f64; x_len], v: [f64; x_len], u: f64, r: f64, g: usize, p: [f64; 3]) -> f64 { let t = rec i5, j6 by i in 0..x_len { (x[i], v[i]) }; let i8 = t.0; let j9 = t.1; let states13 = rec states12 by k in 0..3 { let p10 = if k == 0 { u } else { states12[k - 1] }; if g < k { let q = p4[k]; ((p10 * q) + r) } else { p10 } }; states13[2] }\n(&x, &v, u, r, g, &p)",
    ),
    (
        "let y = for i { x[i] * s }; sum k in 0..n { y[k] * z[k].powi(p) }",
        "fn inline(x: [f64; n], s: f64, n: usize, z: [f64; n], p: usize) -> f64 { let y = for i in 0..n { (x[i] * s) }; sum k in 0..n { (y[k] * powi[p](z[k])) } }\n(&x, s, n, &z, p)",
    ),
    (
        "for i in 0..n if 2 * i < m { x[i] + x[i + 1] * [i > m] + n as f64 }",
        "fn inline(n: usize, m: usize, x: [f64; n]) -> [f64; n] { for i in 0..n if 2*i < m { ((x[i] + [m < i] x[i + 1]) + (n as real)) } }\n(n, m, &x)",
    ),
    (
        "sum i { x[i] * x[i, 0] }",
        "1:16: `x` is used with 2 indices here and with 1 index before: give its type, `tensor!(|x: [f64; n]| …)`",
    ),
    (
        "sum i in 0..3 { x[i] * y[2 * i] + n } * x",
        "1:41: `x` is used as a scalar here and with 1 index before: give its type, `tensor!(|x: [f64; n]| …)`",
    ),
    (
        "for i { x[i] } + for i { y[i] }",
        "fn inline<x_len>(x: [f64; x_len], y: [f64; x_len]) -> [f64; x_len] { let a = for i0 in 0..x_len { x[i0] }; let b = for i1 in 0..x_len { y[i1] }; for k in 0..x_len { (a[k] + b[k]) } }\n(&x, &y)",
    ),
    (
        "|x: [f64; n], y: [f64; k + 1]| [k < 2] * sum i { x[i] * u[i] }",
        "fn inline<n, k>(x: [f64; n], y: [f64; k + 1], u: [f64; n]) -> f64 { [k <= 1] sum i in 0..n { (x[i] * u[i]) } }\n(&x, &y, &u)",
    ),
    (
        "for i in 0..D { x[i] * x.len() }",
        "1:24: `x` is used as a scalar here and with 1 index before: give its type, `tensor!(|x: [f64; n]| …)`",
    ),
    (
        "if s > t { s } else { for i { x[i] } [0] }",
        "fn inline<x_len>(s: f64, t: f64, x: [f64; x_len]) -> f64 { if t < s { s } else { for i in 0..x_len { x[i] }[0] } }\n(s, t, &x)",
    ),
    ("|x: [f64; n], x: [f64; n]| x + x", "1:15: there are two captures `x`"),
    ("sum i in 0..n { x[i] } + n * t", "1:26: `n` is a size: as a real value it is `n as f64`"),
    (
        "|t: (f64, [f64; n]) = (a, &b)| for i { t.1[i] * t.0 }",
        "fn inline<n>(t: (f64, [f64; n])) -> [f64; n] { for i in 0..n { (t.1[i] * t.0) } }\n((a,&b))",
    ),
    (
        "for i in 0..3, j { a[i, j, i] }",
        "fn inline<a_dim1>(a: [f64; 3, a_dim1, 3]) -> [f64; 3, a_dim1] { for i in 0..3, j in 0..a_dim1 { a[i, j, i] } }\n(&a)",
    ),
];

#[test]
fn captures() {
    compare(CASES, show);
}
