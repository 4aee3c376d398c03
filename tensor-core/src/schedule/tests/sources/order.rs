//! What reads is asked only where what guards it holds.

use super::sound;

/// Comparisons of reals, and elements of index arrays, behind conditions that keep them in range.
const GUARDED: &[&str] = &[
    "fn f<n>(x: [f64; n], y: [f64; n]) -> [f64; n] {
        let v = for i in 0..n if y[i] > 0.5 { (if i == 0 { 2.0 } else { 1.0 }) * x[i] };
        for i in 0..n { if 2*i < n { v[n - 1 - 2*i] } else { 0.0 } }
    }",
    "fn f<n>(x: [f64; n]) -> f64 { max i in 0..n { max j in 0..n if x[i] > 0.5 { x[j] } } }",
    "fn f<n>(x: [f64; n]) -> f64 { let v = for i in 0..n { max j in 0..n if j != i { x[j] } }; [1 < n] * v[0] }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 {
        let v = for i in 0..n, k in 0..n + m { let u = logsumexp j in 0..n { x[i / 2] }; if u > 50.0 { u } else { 1.0 } };
        [0 < n] * v[n - 1, m] + [n - m >= 0 && 3*n/2 - m + (-m)/2 + 2 <= n] * v[3*n/2 - m + (-m)/2 + 1, m]
    }",
    "fn tup(a: f64, b: f64) -> (f64, f64) { (b, a.sin()) }
    fn f<n, m>(x: [f64; n], y: [f64; m], b: [f64; 3]) -> f64 {
        let u = for i in 0..3 { [0 <= -2*i] - 1.0 };
        let v = for i in 0..3 { [b[i] > 1.0] * { let (p, q) = tup(b[i], u[i]); p * q } };
        ([m < 3] * v[m]) * b[2]
    }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 {
        [[0 < m && m <= n] * x[m - 1] > 0.615] * (logsumexp j in 0..m { [m + (3*n)/4 <= n + j && 2*j + j/4 + j % 3 < n] * x[0] })
    }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 {
        [[0 < m && m <= n] * x[m - 1] > 0.615] * (sum j in 0..m { [m + n/2 <= n + j && 2*j + j/4 < n] * x[0].sin() * y[j] })
    }",
    "fn f<n>(x: [f64; n], y: [f64; n]) -> [f64; n] {
        for i in 0..n { let k = argmax j in 0..n if j != i { x[j] }; [0 <= k && k < n && x[k] > 0.8] * (y[k] * y[i]) }
    }",
    // What keeps the comparison in range is the range of a loop around it.
    "fn f<n>(x: [f64; n]) -> [f64; n, n] { for i in 0..n, j in 0..n { if x[n - 1] > 0.8 { x[i] * x[j] } else { x[i].sin() } } }",
    "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n, j in 0..n if x[n - 1] > 0.8 { x[i].sin() * x[j] } }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; m] { for i in 0..m { sum j in 0..n if x[n - 1] > 0.8 { x[j] * y[i] } } }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; m] { for i in 0..m { max j in 0..n if x[n - 1] > 0.8 { x[j] * y[i] } } }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; m] { for i in 0..m { [0 < n && x[n - 1] > 0.8] * (sum j in 0..n { x[j] * y[i] }) } }",
    // Negated, and in unions.
    "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n if !(i >= 1 && x[i - 1] > 0.8) { x[i].sin() } }",
    "fn f<n>(x: [f64; n]) -> [f64; n] {
        for i in 0..n { if (i + 1 < n && x[i + 1] > 0.8) || (i >= 1 && x[i - 1] > 0.8) { x[i].exp() } else { x[i] * x[i] } }
    }",
    "fn f<n>(x: [f64; n], y: [f64; n]) -> [f64; n] {
        let v = for i in 0..n { if i != 1 && y[i] > 0.8 { x[i] * y[i] } else { x[i] } };
        for i in 0..n { [3*i < n] * v[n - 1 - 3*i] + [i >= 2] * v[i - 2].sin() }
    }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; m] {
        let v = for i in 0..n { if x[i] > 0.8 { x[i].sin() } else { 1.0 } };
        for i in 0..m { if n - 2*i >= 1 { if v[n - 1 - 2*i] > 0.5 { v[n - 1 - 2*i] * y[i] } else { y[i].exp() } } else { 0.0 } }
    }",
    // The bound of a loop is an element.
    "fn f<n>(x: [f64; n], y: [f64; n]) -> [f64; n] {
        let v = for i in 0..n { let k = argmax j in 0..n { x[j] * y[i] }; sum l in 0..k { x[l] * y[i] } };
        for i in 0..n { if i + 1 < n { v[i + 1] } else { 0.0 } }
    }",
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 {
        let v = for i in 0..n { let k = argmin j in 0..n { x[j] * x[i] }; sum l in k..n { x[l].sin() } };
        [m < n] * (v[m] * sum i { y[i] })
    }",
];

/// A guard that holds in one place where an array is read, of an array that is computed elsewhere too.
const NEEDED: &[&str] = &[
    "fn f<n, m>(y: [f64; m], a: f64, c: [f64; n]) -> [f64; m] where n >= 2, 2 * m <= n + 3 {
        let s = for i in 0..n if i < m { c[n - 1 - i].max(1.37) };
        let v = for i in 0..2*m if i % 2 != 0 && [2*i < n] * s[2*i] <= 0.567 { y[0] * a };
        for k in 0..m { v[0] }
    }",
    "fn f<n, m>(y: [f64; m], a: f64, c: [f64; n]) -> [f64; m] where m >= 1, n >= m + 2 {
        let s = for i in 0..n if i < m { c[i].exp() };
        let v = for i in 0..n if [i + 1 < n] * s[i + 1] <= 2.0 { y[0] * a };
        for k in 0..m { v[k] * y[k] }
    }",
    "fn f<n, m>(y: [f64; m], a: f64, c: [f64; n]) -> f64 where n >= 2, 2 * m <= n + 1 {
        let s = for i in 0..n if i + 1 <= m { c[i].sin() };
        sum i in 0..m { let v = [2*i + 1 < n] * s[2*i + 1]; if v <= 0.8 { y[i] * a } else { y[i] } }
    }",
];

/// Of an array little is read.
const NARROWED: &[&str] = &[
    "fn f<n>(x: [f64; n], c: f64) -> f64 where n >= 1 { let g = for i in 0..n { x[i] * c }; c * g[0] }",
    "fn f<n>(x: [f64; n], c: f64) -> [f64; n] { let g = for i in 0..n, j in 0..n { x[i] * x[j] }; for i in 0..n { c * g[i, i] } }",
    "fn f<n>(x: [f64; n], c: f64) -> f64 { let u = for i in 0..n { x[i] * c }; c * ([1 < n] * u[1]) }",
    "fn f<n, m>(x: [f64; n], y: [f64; m], c: f64) -> f64 { let v = for i in 0..n { x[i] * c }; c * ([m < n] * v[m]) }",
    "fn f<n>(x: [f64; n], c: f64) -> f64 where n >= 1 { let g = for i in 0..n { (x[i] * c).sin() }; c * g[0] }",
    "fn f<n>(x: [f64; n], c: f64) -> f64 where n >= 1 { let g = for i in 0..n { x[i] * c }; c * (g[0] * g[n - 1]) }",
    "fn f<n>(x: [f64; n], c: f64) -> [f64; n] { let g = for i in 0..n { x[i] * c }; for i in 0..n { [3*i < n] * (c * g[3*i]) } }",
    "fn f<n, m>(x: [f64; n], y: [f64; m], c: f64) -> [f64; m] {
        let g = for i in 0..n { x[i] * c };
        for i in 0..m { [i < n] * (y[i] * g[n - 1 - i]) }
    }",
    "fn f<n>(x: [f64; n], c: f64) -> [f64; n] { let g = for i in 0..n, j in 0..n { x[i] * x[j] }; for j in 0..n { c * g[0, j] } }",
    "fn f<n>(x: [f64; n], c: f64) -> [f64; n] { let g = for i in 0..n, j in 0..n { x[i] * x[j] }; for j in 0..n { c * g[n - 1 - j, j] } }",
    "fn f<n>(a: [f64; n, n], b: [f64; n, n], c: f64) -> [f64; n] {
        let g = for i in 0..n, j in 0..n { sum k in 0..n { a[i, k] * b[k, j] } };
        for i in 0..n { c * g[i, i] }
    }",
    "fn f<n>(a: [f64; n, n], b: [f64; n, n], c: f64) -> f64 {
        let g = for i in 0..n, j in 0..n { sum k in 0..n { a[i, k] * b[k, j] } };
        [1 < n] * (c * g[1, 0])
    }",
    "fn f<n>(x: [f64; n], y: [f64; n], c: f64) -> [f64; n] {
        let g = for i in 0..n { x[i] * c };
        for i in 0..n if y[i] > 0.8 { c * g[n - 1 - i] }
    }",
    "fn f<n>(x: [f64; n], y: [f64; n], c: f64) -> [f64; n] {
        let g = for i in 0..n { x[i] * c };
        let h = for i in 0..n { g[i] * y[i] };
        for i in 0..n { if i + 1 == n { h[i] * c } else { 0.0 } }
    }",
];

#[test]
fn guarded() {
    sound(GUARDED);
}

#[test]
fn needed() {
    sound(NEEDED);
}

#[test]
fn narrowed() {
    sound(NARROWED);
}
