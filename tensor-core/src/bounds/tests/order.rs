//! What an element of a recurrence may read of its tensor, and what is said otherwise.

use super::accepted;

const ACCEPTED: &[(&str, &[&str])] = &[
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + [t >= 1] * y[t - 1] }; y }", &[]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t in (0..n).rev() { x[t] + [t + 1 < n] * y[t + 1] }; y }", &[]),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + sum j in 0..t { y[j] } }; y }", &[]),
    // Divide and conquer.
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + if t >= 1 { y[t / 2] } else { 0 } }; y }", &[]),
    // Cholesky.
    (
        "fn f<n>(a: [f64; n, n]) -> [f64; n, n] {
            let l = rec i in 0..n, j in 0..n if j <= i {
                let s = a[i, j] - sum k in 0..j { l[i, k] * l[j, k] };
                if i == j { s.sqrt() } else { s / l[j, j] }
            };
            l }",
        &[],
    ),
    // Neighbours that are lexicographically before, and whole rows of them.
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] {
            let r = rec i in 0..n, j in 0..m {
                a[i, j] + [i >= 1] * (r[i - 1, j] + sum k { r[i - 1][k] }) + [i >= 1 && j >= 1] * r[i - 1, j - 1]
                    + [j >= 1] * r[i, j - 1] + [i >= 1 && j + 1 < m] * r[i - 1, j + 1]
            };
            r }",
        &[],
    ),
    (
        "fn f<n>(w: [f64; n]) -> [f64; n, n] {
            let e = rec i in (0..n).rev(), j in 0..n if i <= j {
                if i == j { w[i] } else { min k in i..j { e[i, k] + e[k + 1, j] } }
            };
            e }",
        &[],
    ),
    // What a condition asks of the tensor itself.
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t if t == 0 || y[t - 1] > 0 { x[t] }; y }", &[]),
    // The ends of a scan are those of a tensor; a fold asks for nothing.
    ("fn f(a: usize, b: usize) -> [f64; b - a] { scan t in a..b from s = 0 { s + 1 } }", &["a <= b"]),
    ("fn f(a: usize, b: usize) -> f64 { fold t in a..b from s = 0 { s + 1 } + fold t in (a..b).rev() from s = 0 { s + 1 } }", &[]),
    (
        "fn f<n, m>(x: [f64; n, m]) -> f64 where n >= 1, m >= 1 {
            fold i from s = for j { x[0, j] } { for j { s[j] + x[i, j] } }[0] * prod i in 2..n { x[i, 0] } }",
        &["n >= 1", "m >= 1"],
    ),
];

const REJECTED: &[(&str, &[&str])] = &[
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + y[t] }; y }",
        &[
    "`y[t]` is read before it is computed: with n = 1, t = 0 element 0 in the step of element 0\n  help: read an element before it, as `y[t - 1]`",
        ],
    ),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + [t + 1 < n] * y[t + 1] }; y }",
        &[
    "`y[t + 1]` is read before it is computed: with n = 2, t = 0 element 1 in the step of element 0\n  help: let `t` run the other way, `(0..n).rev()`",
        ],
    ),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t in (0..n).rev() { x[t] + [t >= 1] * y[t - 1] }; y }",
        &[
    "`y[t - 1]` is read before it is computed: with n = 2, t = 1 element 0 in the step of element 1\n  help: let `t` run upwards, `0..n`",
        ],
    ),
    ("fn f<n, m>(x: [f64; n], h: [f64; m]) -> [f64; n] { let y = rec t { x[t] + sum k if k <= t { h[k] * y[t - k] } }; y }",
        &[
    "`y[t - k]` is read before it is computed: with n = 1, m = 1, t = 0, k = 0 element 0 in the step of element 0\n  help: start the range of `k` at `1`, or guard it with `[k >= 1] *`",
        ],
    ),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + sum j { y[j] } }; y }",
        &[
    "`y[j]` is read before it is computed: with n = 1, t = 0, j = 0 element 0 in the step of element 0\n  help: end the range of `j` at `t`, or guard it with `[j < t] *`",
        ],
    ),
    ("fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] { let r = rec i in 0..n, j in 0..m { a[i, j] + [j + 1 < m] * r[i, j + 1] }; r }",
        &[
    "`r[i, j + 1]` is read before it is computed: with n = 1, m = 2, i = 0, j = 0 element 0, 1 in the step of element 0, 0\n  help: let `j` run the other way, `(0..m).rev()`",
        ],
    ),
    (
        "fn f<n>(w: [f64; n]) -> [f64; n, n] {
            let e = rec i in 0..n, j in 0..n if i <= j { if i == j { w[i] } else { min k in i..j { e[k + 1, j] } } }; e }",
        &[
    "`e[k + 1, j]` is read before it is computed: with n = 2, i = 0, j = 1, k = 0 element 1, 1 in the step of element 0, 1\n  help: let `i` run the other way, `(0..n).rev()`",
        ],
    ),
    ("fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] { let c = rec i in 0..n, j in 0..m { a[i, j] + [j >= 1 && i + 1 < n] * c[i + 1, j - 1] }; c }",
        &[
    "`c[i + 1, j - 1]` is read before it is computed: with n = 2, m = 2, i = 0, j = 1 element 1, 0 in the step of element 0, 1\n  help: let `i` run the other way, `(0..n).rev()`",
        ],
    ),
    // Out of range is said alone.
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + y[t - 1] }; y }",
        &[
    "`y[t - 1]` reaches `-1` at `t = 0`; with n = 1, t = 0 the index is -1\n  help: start the range of `t` at `1`, or guard it with `[t >= 1] *`",
        ],
    ),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + sum i, j if i + j <= t + 1 && i + j < n { y[i + j] * x[i] * x[j] } }; y }",
        &[
    "`y[i + j]` is read before it is computed: with n = 1, t = 0, i = 0, j = 0 element 0 in the step of element 0\n  help: guard it with `[i + j < t] *`",
        ],
    ),
    (
        "fn f<n, m>(a: [f64; n, m]) -> [f64; n, m] {
            let c = rec i in 0..n, j in 0..m { a[i, j] + if i + 1 < n && j >= 1 { c[i + 1, j - 1] } else if j + 1 < m { c[i, j + 1] } else { 0 } }; c }",
        &[
    "`c[i + 1, j - 1]` is read before it is computed: with n = 2, m = 2, i = 0, j = 1 element 1, 0 in the step of element 0, 1\n  help: let `i` run the other way, `(0..n).rev()`",
    "`c[i, j + 1]` is read before it is computed: with n = 1, m = 2, i = 0, j = 0 element 0, 1 in the step of element 0, 0\n  help: let `j` run the other way, `(0..m).rev()`",
        ],
    ),
    ("fn f<n>(a: [f64; n, n]) -> [f64; n, n] { let c = rec i, j { a[i, j] + [i >= 1] * c[i - 1, j] + [i + 1 < n && j >= 1] * c[i + 1, j - 1] }; c }",
        &[
    "`c[i + 1, j - 1]` is read before it is computed: with n = 2, i = 0, j = 1 element 1, 0 in the step of element 0, 1\n  help: let the other index run outside, `rec j, i`",
        ],
    ),
    ("fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t { x[t] + [t >= 1] * y[t - 1] + [t + 1 < n] * y[t + 1] }; y }",
        &[
    "`y[t + 1]` is read before it is computed: with n = 2, t = 0 element 1 in the step of element 0\n  help: read one of `y[t - 1]` and `y[t + 1]` alone: no direction computes both before",
        ],
    ),
    // Two in one.
    ("fn f<n>(x: [f64; n]) -> f64 { let (h, c) = rec t { (x[t] + [t >= 1] * h[t - 1], x[t] + h[t]) }; sum i { h[i] + c[i] } }",
        &[
    "`h[t]` is read before it is computed: with n = 1, t = 0 element 0 in the step of element 0\n  help: read an element before it, as `h[t - 1]`",
        ],
    ),
];

#[test]
fn in_order() {
    ACCEPTED.iter().for_each(|(program, checks)| accepted(program, checks));
}

#[test]
fn too_early() {
    let mut wrong = String::new();
    for (program, messages) in REJECTED {
        let (_, errors) = super::prove(program);
        if errors != *messages {
            wrong += &format!("{program}\nfound {errors:#?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
