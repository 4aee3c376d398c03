//! Programs as users write them.

use super::{agree, shape};
use crate::error::Errors;
use crate::parse::{Input, parse};

/// The last function of each block: its statements.
fn check(source: &str, expected: &str) {
    let mut errors = Errors::default();
    let Some(Input::Block(parsed)) = parse(source.parse().expect("tokens"), &mut errors) else {
        panic!("{source}")
    };
    let block = crate::check::check(&parsed, &mut errors);
    assert!(errors.is_empty(), "{source}: {:?}", errors.0);
    let (f, ..) = agree(&block);
    assert_eq!(shape(&f), expected, "{source} gave {:#?}", f.stmts);
}

#[test]
fn programs() {
    let all = [
        (
            "fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 {
                let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
                sum i { (y[i] - z[i]).powi(2) }
            }",
            "y[i], t[i], result[]",
        ),
        (
            "fn energy<n>(x: [f64; n, 2], stiffness: f64, width: f64) -> f64 {
                sum i in 0..n if i + 1 < n {
                    let d = for a in 0..2 { x[i, a] - x[i + 1, a] };
                    stiffness * (max(1e-6, sum a { d[a].powi(2) }).sqrt() - width).powi(2)
                }
            }",
            "d[i a], t[], t[i], max_t[i], sqrt_max[i], t[i], t[i], result[]",
        ),
        // Of three factors the two first whose product has fewer elements.
        (
            "fn f<n, m, h>(u: [f64; m, h], z: [f64; n, h], s: [f64; n, h]) -> [f64; n, m] {
                for i in 0..n, j in 0..m { sum k { u[j, k] * z[i, k] * s[i, k] } }
            }",
            "t[i k], result[i j]",
        ),
        (
            "fn f<n>(x: [f64; n], a: f64, b: f64) -> [f64; n] { for i in 0..n { a * x[i] * 2.0 * b } }",
            "t[], result[i]",
        ),
        (
            "fn f<n>(x: [f64; n], y: [f64; n], a: f64) -> [f64; n] { for i in 0..n { a * x[i] * y[i] } }",
            "t[i], result[i]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { let l = logsumexp i { x[i] }; for i { exp(x[i] - l) } }",
            "max_x[], shift[], t[i], exp_t[i], sum_exp[], ln_sum[], l[], t[i], exp_t[i]",
        ),
        (
            "fn f<n, m>(x: [f64; n, m]) -> [f64; n] where m >= 1 {
                for i in 0..n { let k = argmin j { x[i, j] }; if k == 0 { 0.0 } else { x[i, k - 1] } }
            }",
            "arg[i], result[i]",
        ),
        // The comparison is made where the edge is not.
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] {
                for i in 0..n { if i > 0 && x[i - 1] > 0.0 { ln(x[i - 1]) } else { x[i] } }
            }",
            "left[], ln_x[i], result[i]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { let q = x[i].ln(); [x[i] > 0.0] * q } }",
            "q[i], left[], result[i]",
        ),
        (
            "fn norm<n>(x: [f64; n]) -> f64 { sqrt(sum i { x[i] * x[i] }) }
          fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] { for i in 0..n { a[i] / norm(a[i]) } }",
            "t[i], s[i], row[i k]",
        ),
        (
            "fn f<n>(x: [f64; n]) -> ([f64; n], f64) { let s = sum i { x[i] }; (for i { x[i] / s }, s) }",
            "s[], ratio[i]",
        ),
        ("fn f<n>(x: [f64; n], k: usize) -> f64 { sum i { x[i].powi(k) } }", "power_x[i], result[]"),
        (
            "fn f<n>(x: [f64; 2 * n]) -> [f64; n] { for i in 0..n { (x[2 * i] + x[2 * i + 1]) / 2 } }",
            "t[i], result[i]",
        ),
        ("fn f<n>(x: [(f64, [f64; 2]); n]) -> [f64; 2] { sum i { x[i].0 * x[i].1 } }", "row[i k], result[k]"),
        (
            "fn f<n>(x: [f64; n]) -> f64 { sum i, j in 0..n if j < i { exp(x[j]) * x[i] } }",
            "exp_x[j], result[]",
        ),
    ];
    for (source, expected) in all {
        check(source, expected);
    }
}
