//! What sugar becomes.

use super::{compare, show};

pub(super) const CASES: &[(&str, &str)] = &[
    (
        "fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 { let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } }; sum i { (y[i] - z[i]).powi(2) } } fn misfit_grad = value_and_grad(misfit, x, w);",
        "fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 where 0 < n + m { let y = for i0 in 0..n { sum j in 0..m { (x[i0 + j] * w[j]) } }; sum i2 in 0..n { powi[2]((y[i2] - z[i2])) } }\nfn misfit_grad<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> (f64, ([f64; n + m - 1], [f64; m])) where 0 < n + m = ValueAndGrad(misfit, [[0], [1]])",
    ),
    (
        "fn f<n>(a: [f64; n], b: [f64; n]) -> [f64; n] { 2 * a + b / 3 - -a }",
        "fn f<n>(a: [f64; n], b: [f64; n]) -> [f64; n] { let a4 = let a2 = for k0 in 0..n { (2 * a0[k0]) }; let b3 = for k1 in 0..n { div(b1[k1], 3) }; for k2 in 0..n { (a2[k2] + b3[k2]) }; let b5 = for k3 in 0..n { -a0[k3] }; for k4 in 0..n { (a4[k4] - b5[k4]) } }",
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m] { a[0] + a[.., 1][0] * a[1] }",
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m] { let a3 = for k0 in 0..m { a0[0, k0] }; let b = let s = a0[0, 1]; let a2 = for k1 in 0..m { a0[1, k1] }; for k2 in 0..m { (s * a2[k2]) }; for k3 in 0..m { (a3[k3] + b[k3]) } }",
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> f64 { sum i, j { a[i][j] } }",
        "fn f<n, m>(a: [f64; n, m]) -> f64 { sum i in 0..n, j in 0..m { a[i, j] } }",
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m, n] { for j { for i { a[i, j] } } }",
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m, n] { for j in 0..m, i in 0..n { a[i, j] } }",
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] { for i { let r = a[i]; r } }",
        "fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] { for i in 0..n, k2 in 0..m { let row = let r = for k1 in 0..m { a[i, k1] }; r; row[k2] } }",
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m] { sum i { a[i] } }",
        "fn f<n, m>(a: [f64; n, m]) -> [f64; m] { for k in 0..m { sum i in 0..n { a[i, k] } } }",
    ),
    (
        "fn f(a: f64, b: f64) -> [f64; 2, 2] { [[a, b], [b, a.sin()]] }",
        "fn f(a: f64, b: f64) -> [f64; 2, 2] { let item3 = for k0 in 0..2 { ([k0 == 0] a + [k0 == 1] b) }; let item4 = let item2 = sin(a); for k1 in 0..2 { ([k1 == 0] b + [k1 == 1] item2) }; for k2 in 0..2, k3 in 0..2 { ([k2 == 0] item3[k3] + [k2 == 1] item4[k3]) } }",
    ),
    (
        "fn f<n>(x: [f64; n], a: f64) -> [f64; n] { for i { a * [i > 0] * x[i] } }",
        "fn f<n>(x: [f64; n], a: f64) -> [f64; n] { for i in 0..n { [i >= 1] (a * x[i]) } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { -([i % 2 == 0 && x[i] > 0.0] * x[i]) / 2 } }",
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [i % 2 == 0 && 0 < x[i]] div(-x[i], 2) } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { if i == 0 || x[i - 1] >= 0.0 { 1 } else if i < 3 { 2.5 } else { [i + 1 < n] } } }",
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { if (i == 0 || i != 0 && 0 <= x[i - 1]) { 1 } else { if i <= 2 { 2.5 } else { [i + 1 < n] 1 } } } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let k = argmax i { x[i] }; x[k] + argmin i { x[i] } as f64 }",
        "fn f<n>(x: [f64; n]) -> f64 { let arg0 = argmax i0 in 0..n { x[i0] }; (x[arg0] + let arg1 = argmin i1 in 0..n { x[i1] }; (arg1 as real)) }",
    ),
    (
        "fn f<n>(t: [(f64, f64); n], s: (f64, [f64; n])) -> f64 { let (a, b) = s; sum i { t[i].0 * b[i] } + t.1[0] + a }",
        "fn f<n>(t: [(f64, f64); n], s: (f64, [f64; n])) -> f64 { let a = s.0; let b = s.1; ((sum i in 0..n { (t[i].0 * b[i]) } + for k in 0..n { t[k].1 }[0]) + a) }",
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m], k: usize) -> f64 where 2 * m <= n < 10 { let h = 2 * k + 1; let c = 2; x[h] * c + y[c] + n as f64 }",
        "fn f<n, m>(x: [f64; n], y: [f64; m], k: usize) -> f64 where 2*m <= n, n < 10 { let c = 2; (((x[2*k + 1] * c) + y[2]) + (n as real)) }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { [exists j in 0..n { i == 2 * j }] * x[i] } }",
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [0 <= i && i + 1 < 2*n && i % 2 == 0] x[i] } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { [exists j { x[j] > x[i] }] * x[i] } }",
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [0.5 < max j in 0..n if x[i] < x[j] { 1 }] x[i] } }",
    ),
    (
        "fn f<n>(x: [f64; n * (n - 1) / 2], n0: [f64; n]) -> f64 { sum i in 0..n, j in 0..i { x[i * (i - 1) / 2 + j] * PI * crate::G } }",
        "fn f<n>(x: [f64; (n*n - n) / 2], n0: [f64; n]) -> f64 { sum i in 0..n, j in 0..i { ((x[(i*i - i) / 2 + j] * PI) * crate::G) } }",
    ),
    (
        "fn g<n>(x: [f64; n + 1], s: f64) -> [f64; n] { for i in 0..n { x[i + 1] * s } } fn f<m>(y: [f64; m]) -> f64 { sum i { g(y, 2)[i] } }",
        "fn g<n>(x: [f64; n + 1], s: f64) -> [f64; n] { for i in 0..n { (x[i + 1] * s) } }\nfn f<m>(y: [f64; m]) -> f64 { sum i in 0..m - 1 { g::<m - 1>(y, 2)[i] } }",
    ),
    (
        "fn f(x: [f32; D, 3], y: [f32; D]) -> f32 { sum i { x[i, 0] * y[i] } / D as f32 + hypot(y[0], MU).clamp(0, 1) }",
        "fn f(x: [f32; D, 3], y: [f32; D]) -> f32 { (div(sum i in 0..D { (x[i, 0] * y[i]) }, (D as real)) + clamp(hypot(y[0], MU), 0, 1)) }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n, 2] { let z = [1.0; n, 2]; let _ = stop(x); z }",
        "fn f<n>(x: [f64; n]) -> [f64; n, 2] { let z = for k0 in 0..n, l in 0..2 { 1 }; let _ = for k2 in 0..n { stop(x[k2]) }; z }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { max i if 0 < i <= n - 2 { x[i].powi(i) } + logsumexp i { x[i] } }",
        "fn f<n>(x: [f64; n]) -> f64 { (max i0 in 0..n if i0 >= 1 && i0 + 1 < n { powi[i0](x[i0]) } + logsumexp i1 in 0..n { x[i1] }) }",
    ),
    (
        "fn f<n>(t: (f64, [f64; n]), u: usize) -> f64 { t.0 } fn g = grad(f); fn h = jvp(f, t.1); fn k = vjp(h, t); fn l = jvp(g);",
        "fn f<n>(t: (f64, [f64; n]), u: usize) -> f64 { t.0 }\nfn g<n>(t: (f64, [f64; n]), u: usize) -> (f64, [f64; n]) = Grad(f, [[0, 1]])\nfn h<n>(t: (f64, [f64; n]), u: usize, t_1_dot: [f64; n]) -> (f64, f64) = Jvp(f, [[1]])\nfn k<n>(t: (f64, [f64; n]), u: usize, t_1_dot: [f64; n], y_bar: (f64, f64)) -> ((f64, f64), (f64, [f64; n])) = Vjp(h, [[0, 1]])\nfn l<n>(t: (f64, [f64; n]), u: usize, t_dot: (f64, [f64; n])) -> ((f64, [f64; n]), (f64, [f64; n])) = Jvp(g, [[0, 1]])",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { [i < 1 || i > 3 && i < 5 || x[i - 1] > 0] * x[i] } }",
        "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { [(i <= 0 || i >= 4 && i <= 4 || i >= 1 && (i <= 3 || i >= 4 && i >= 5) && 0 < x[i - 1])] x[i] } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i if i == argmax j { x[j] } { x[i] } }",
        "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n { let arg0 = argmax j in 0..n { x[j] }; [i == arg0] x[i] } }",
    ),
    (
        "fn f<n>(x: [f64; n, n]) -> f64 { sum i, j in i..=n - 1 { [!(i < j < n)] * x[i, j] } }",
        "fn f<n>(x: [f64; n, n]) -> f64 { sum i in 0..n, j in i..n { [(j <= i || i < j && n <= j)] x[i, j] } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [(f64, f64); n] { let t = for i { (x[i], [i % 3 != 1 && i % 2 == 5]) }; -t }",
        "fn f<n>(x: [f64; n]) -> [(f64, f64); n] { let t = for i in 0..n { (x[i], [i % 3 != 1 && 0 < 0] 1) }; for k in 0..n { (-t[k].0, -t[k].1) } }",
    ),
];

#[test]
fn sugar() {
    compare(CASES, show);
}
