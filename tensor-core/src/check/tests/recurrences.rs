//! What recurrences become, and what is said of those that are none.

use super::{compare, show};

pub(super) const CASES: &[(&str, &str)] = &[
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold t from s = 0 { s + x[t] } }",
        "fn f<n>(x: [f64; n]) -> f64 { if n >= 1 { let states3 = rec states2 by t in 0..n { let s = if t == 0 { 0 } else { states2[t - 1] }; (s + x[t]) }; states3[n - 1] } else { 0 } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { scan t in (0..n).rev() from s = 0 if x[t] > s { s + x[t] } }",
        "fn f<n>(x: [f64; n]) -> [f64; n] { rec states by t in (0..n).rev() { let s = if t + 1 == n { 0 } else { states[t + 1] }; if s < x[t] { (s + x[t]) } else { s } } }",
    ),
    (
        "fn f(x: f64) -> f64 { fold t in 2..6 from (a, b) = (x, 1) { (b, a) }.0 }",
        "fn f(x: f64) -> f64 { let start = (x, 1); let states6 = rec states5 by t in 2..6 { let state = if t == 2 { start } else { states5[t - 3] }; let a = state.0; let b = state.1; (b, a) }; states6[3].0 }",
    ),
    (
        "fn f<n>(x: [f64; n, n]) -> f64 { prod i, j if i != j { x[i, j] } }",
        "fn f<n>(x: [f64; n, n]) -> f64 { if n >= 1 { let states6 = rec states5 by i in 0..n { let product4 = if i == 0 { 1 } else { states5[i - 1] }; (product4 * if n >= 1 { let states3 = rec states2 by j in 0..n { let product1 = if j == 0 { 1 } else { states2[j - 1] }; if i != j { (product1 * x[i, j]) } else { product1 } }; states3[n - 1] } else { 1 }) }; states6[n - 1] } else { 1 } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { reduce i with |p, q| { p * q } from 1 if i > 2 { x[i] } }",
        "fn f<n>(x: [f64; n]) -> f64 { if n >= 1 { let states4 = rec states3 by i in 0..n { let p = if i == 0 { 1 } else { states3[i - 1] }; if i >= 3 { let q = x[i]; (p * q) } else { p } }; states4[n - 1] } else { 1 } }",
    ),
    (
        "fn f<n, m>(x: [f64; n, m]) -> [f64; n, m] { let y = rec i { x[i] + [i >= 1] * y[i - 1] }; y }",
        "fn f<n, m>(x: [f64; n, m]) -> [f64; n, m] { let y4 = rec y1 by i in 0..n { let a = for k1 in 0..m { x[i, k1] }; let b = [i >= 1] for k2 in 0..m { y1[i - 1, k2] }; for k3 in 0..m { (a[k3] + b[k3]) } }; y4 }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { let (a, (b, c)) = rec t { (x[t], if t == 0 { (1, [x[t], 2]) } else { (a[t - 1] * b[t - 1], c[t - 1]) }) }; for t { a[t] + b[t] + c[t, 1] } }",
        "fn f<n>(x: [f64; n]) -> [f64; n] { let t = rec a1, b2, c3 by t0 in 0..n { let element = if t0 == 0 { (1, let item = x[t0]; for k1 in 0..2 { ([k1 == 0] item + [k1 == 1] 2) }) } else { ((a1[t0 - 1] * b2[t0 - 1]), for k2 in 0..2 { c3[t0 - 1, k2] }) }; (x[t0], element.0, element.1) }; let a7 = t.0; let b8 = t.1; let c9 = t.2; for t3 in 0..n { ((a7[t3] + b8[t3]) + c9[t3, 1]) } }",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let t = for i { (x[i], 2) }; let (a, b) = t; a[0] + b[1] }",
        "fn f<n>(x: [f64; n]) -> f64 { let t = for i in 0..n { (x[i], 2) }; let a = for k1 in 0..n { t[k1].0 }; let b = for k2 in 0..n { t[k2].1 }; (a[0] + b[1]) }",
    ),
    // An annotation tells the type, too; an index hides the tensor of its name.
    (
        "fn f<n, m>(x: [f64; n], w: [f64; m]) -> [f64; n, m] { let y: [f64; n, m] = rec t in 0..n { x[t] * (if t >= 1 { y[t - 1] } else { w }) }; y }",
        "fn f<n, m>(x: [f64; n], w: [f64; m]) -> [f64; n, m] { let y5 = rec y2 by t in 0..n { let s = x[t]; let a = if t >= 1 { for k1 in 0..m { y2[t - 1, k1] } } else { w }; for k2 in 0..m { (s * a[k2]) } }; y5 }",
    ),
    (
        "fn f(n: usize) -> [f64; n] { let y = rec y in 0..n { y as f64 }; y }",
        "fn f(n: usize) -> [f64; n] { let y1 = rec y0 by y in 0..n { (y as real) }; y1 }",
    ),
    // A condition that needs a place.
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec t in 0..n if t == argmax i { x[i] } { x[t] }; scan t from s = 0 if t != argmax i { x[i] } { s + y[t] } }",
        "fn f<n>(x: [f64; n]) -> [f64; n] { let y2 = rec y1 by t0 in 0..n { let arg0 = argmax i1 in 0..n { x[i1] }; [t0 == arg0] x[t0] }; rec states by t2 in 0..n { let s = if t2 == 0 { 0 } else { states[t2 - 1] }; let arg1 = argmax i3 in 0..n { x[i3] }; if t2 != arg1 { (s + y2[t2]) } else { s } } }",
    ),
];

pub(super) const MISTAKES: &[(&str, &str)] = &[
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { rec i { x[i] } }",
        "1:36: a `rec` is the whole value of a `let`, which gives it the name that it reads itself by: `let y = rec i in 0..n { … };`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { let y = 2 * rec i { x[i] + y[i - 1] }; y }",
        "1:48: a `rec` is the whole value of a `let`, which gives it the name that it reads itself by: `let y = rec i in 0..n { … };`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { let y = rec i in 1..n { x[i] + y[i - 1] }; y }",
        "1:53: the range of `i` in a `rec` begins at 0, so that element `i` is computed at `i`\n  help: begin it at 0, and choose by `if i >= 1`, or write a `scan`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = rec i in 0..n { if i == 0 { 0 } else { g(y) + sum j { y } } }; y[0] } fn g<n>(x: [f64; n]) -> f64 { 1 }",
        "1:80: `y` is not finished here: read an element or a row of it, as `y[i - 1]`\n1:93: `y` is not finished here: read an element or a row of it, as `y[i - 1]`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = rec i in 0..n { let z = y; y.0 + y + 1 }; y[0] }",
        "1:63: `y` is not finished here: read an element or a row of it, as `y[i - 1]`\n1:66: `y` is not finished here: read an element or a row of it, as `y[i - 1]`\n1:72: `y` is not finished here: read an element or a row of it, as `y[i - 1]`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = rec i { if i == 0 { 0 } else { y[i - 1] } }; y[0] }",
        "1:39: the ranges of this `rec` do not follow from the use of its indices, as in `x[i]`: write `i in 0..n`",
    ),
    (
        "fn f<n, m>(x: [f64; n], a: [f64; m]) -> f64 { let y = rec i in 0..n { (if i >= 1 { y[i - 1, 0] } else { 0 }) * a }; y[0, 0] }",
        "fn f<n, m>(x: [f64; n], a: [f64; m]) -> f64 { let y4 = rec y2 by i in 0..n { let s = if i >= 1 { y2[i - 1, 0] } else { 0 }; for k in 0..m { (s * a[k]) } }; y4[0, 0] }",
    ),
    (
        "fn f<n, m>(x: [f64; n], a: [f64; m]) -> f64 { let y = rec i in 0..n { if i >= 1 { y[i - 1] } else { 0 } * a }; y[0, 0] }",
        "1:101: the branches of `if` must have the same type: this is `f64`, the first is `[f64; m]`",
    ),
    (
        "fn f<n, m>(x: [f64; n]) -> f64 { let y = rec i { if i >= 1 { y[i - 1][0] * for j { y[i - 1][j] } } else { y[0] } }; y[0, 0] }",
        "1:9: the size `m` does not follow from the shapes of the arguments: add a parameter `m: usize`, or a tensor that has the dimension `m`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let (a, b) = rec i { x[i] }; a[0] + b[0] }",
        "1:52: the pattern is a tuple of 2, but an element is `f64`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y: [f64; n, 2] = rec i { x[i] + [i > 0] * y[i - 1, 0] }; y[0, 0] }",
        "1:52: this is `[f64; n]`, and the type given is `[f64; n, 2]`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold i, j in 0..2 from s = 0 { s + x[i] } + reduce i, j in 0..2 with |p, q| { p + q } from 0 { x[i] } }",
        "1:39: `fold` takes one index\n  help: write another `fold` in its body, or a `rec`, which takes several\n1:85: `reduce` takes one index\n  help: write another `reduce` in its body, or a `rec`, which takes several",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold i from s = 0 { [s, x[i]] } }",
        "1:51: a step keeps the type of the state: it begins as `f64`, and this is `[f64; 2]`",
    ),
    (
        "fn f<n, m>(x: [f64; n, m], a: [f64; m]) -> [f64; n] { scan i from s = x[.., 0] { x[i] } }",
        "1:82: a step keeps the type of the state: it begins as `[f64; n]`, and this is `[f64; m]`\n  help: if they are meant to be equal, use one name for both, or say `where n == m`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold i from (a, b) = 0 { a + b + x[i] } }",
        "1:43: the pattern is a tuple of 2, but the value is `f64`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { fold j in 0..i from s = 0 { s + x[j] } + prod j in i..n { x[j] } } }",
        "1:52: the range of `j` in a `fold` may not depend on an index, as `i` does: write `j in 0..n if j < i`\n1:90: the range of `j` in a `prod` may not depend on an index, as `i` does: write `j in 0..n if j >= i`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold i from s = 0 { s + t } }",
        "1:55: `t` is not known; known here: `i`, `n`, `s`, `x`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = rec i { grad(x[i] * x[i], x)[i] }; y[0] + fold i from s = 0 { s + grad(s * s, s) } }",
        "1:47: `grad(e, x)` does not stand in a recurrence\n  help: let a function of its own return it, and call that\n1:105: `grad(e, x)` does not stand in a recurrence\n  help: let a function of its own return it, and call that",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { reduce i with |p, q| { (p, q) } from 0 { x[i] } + reduce i with |p, q| { p } from 0 { (x[i], 1) } }",
        "1:54: a step keeps the type of the state: it begins as `f64`, and this is `(f64, f64)`\n1:117: a step keeps the type of the state: it begins as `f64`, and this is `(f64, f64)`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { reduce i with |p, q| { p + x[i] } from 0 { x[i] } }",
        "1:60: `i` is not known; known here: `n`, `p`, `q`, `x`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { prod i { (x[i], 1) } + fold i in 0..n from s = 0 { let s = s; s } as f64 }",
        "1:40: `prod` takes scalars, but this is `(f64, f64)`: write `for` outside and `prod` inside\n1:54: `fold i { … }` is `f64` already: `as` makes a scalar of an index or a size",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = rec i, i { x[i] }; let (y, y) = rec i { (x[i], x[i]) }; x[y] }",
        "1:46: the index `i` is bound twice\n1:66: `y` is bound twice in one pattern\n1:97: `y` is a value (`[f64; n]`): an index is made of indices, sizes and integers",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let y = rec i in 0..n { x[y] + nope }; 1 }",
        "1:57: `y` is a value (`[f64; n]`): an index is made of indices, sizes and integers\n1:62: `nope` is not known; known here: `i`, `n`, `x`, `y`",
    ),
    (
        "fn f(n: usize) -> f64 { fold i in 0..9999999999 from s = 0 { s } + fold i in n..n from s = 0 { 2 * s } }",
        "1:38: `9999999999` is too large for an index",
    ),
];

#[test]
fn recurrences() {
    compare(CASES, show);
}

#[test]
fn mistakes() {
    compare(MISTAKES, show);
}
