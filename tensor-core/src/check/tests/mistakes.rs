//! What is said about mistakes, and where.

use super::{compare, show};

pub(super) const CASES: &[(&str, &str)] = &[
    (
        "fn f<n>(x: f64) -> f64 { x }",
        "1:6: the size `n` does not follow from the shapes of the arguments: add a parameter `n: usize`, or a tensor that has the dimension `n`",
    ),
    (
        "fn f<n, m>(x: [f64; n + m]) -> f64 { 1 }",
        "1:6: the size `n` does not follow from the shapes of the arguments: add a parameter `n: usize`, or a tensor that has the dimension `n`, which gives `m`",
    ),
    (
        "fn f<n>(x: [f64; 2 * n], y: [f32; n]) -> f64 { 1 }",
        "1:30: `f32` in a function of `f64`: a function has one element type",
    ),
    (
        "fn f<n, n>(x: [f64; n], x: f64, n: usize) -> f64 { 1 }",
        "1:9: the size `n` is declared twice\n1:25: there are two parameters `x`\n1:33: `n` is a size already: a `usize` parameter is a size, leave it out of `<…>`",
    ),
    (
        "fn sin(x: f64) -> f64 { x } fn grad(x: f64) -> f64 { x } fn a_into(x: f64) -> f64 { x } fn a(x: f64) -> f64 { x } fn a(x: f64) -> f64 { x }",
        "1:4: `sin` is built in: choose another name\n1:32: `grad` is a transform: choose another name\n1:61: names that end in `_into` are reserved for what is generated\n1:118: there are two functions `a`",
    ),
    (
        "fn f(x: f64) -> f64 { g(x) } fn g(x: f64) -> f64 { f(x) + h(x) } fn h(x: f64) -> f64 { h(x) }",
        "1:4: recursion is not supported: `f` → `g` → `f`\n1:69: recursion is not supported: `h` → `h`",
    ),
    ("fn f = grad(g); fn g = grad(f);", "1:29: `f` is a transform of itself"),
    (
        "fn f(x: f64) -> f64 { velocty + velocity(x) } fn velocity(x: f64) -> f64 { velocitty(x) }",
        "1:23: `velocty` is not known; known here: `x`\n1:76: there is no function `velocitty`; did you mean `velocity`?",
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n] { y }",
        "1:52: `f` returns `[f64; n]`, but this is `[f64; m]`",
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n] where n == m { x + y }",
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n] where n == m { for k in 0..n { (x[k] + y[k]) } }",
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n] { x + y }",
        "1:52: `+` takes two values of the same type, but these are `[f64; n]` and `[f64; m]`\n  help: if they are meant to be equal, use one name for both, or say `where n == m`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { x * x + 1 }",
        "1:36: `*` takes two scalars or a scalar and a tensor, but these are `[f64; n]` and `[f64; n]`: write the product that is meant, `for i { x[i] * x[i] }` or `sum i { x[i] * x[i] }`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { x.sin() }",
        "1:36: `sin` takes a scalar, but `x` is `[f64; n]`: of each element it is `for i { x[i].sin() }`",
    ),
    (
        "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { sum i { x[i] * y[i] } }",
        "1:51: the range of `i` is 0..n by `x[i]` and 0..m by `y[i]`: write the one that is meant",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n, n] { for i, j in 0..i { x[i] * x[j] } }",
        "1:54: the range of `j` in a `for` may not depend on an index, as `i` does: write `j in 0..n if j < i`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i, i { x[i] } + sum j { 1 } }",
        "1:38: the index `i` is bound twice\n1:55: the range of `j` does not follow from its use, as in `x[j]`: write `j in 0..n`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { x[x[i]] + x[1.5] + x[i * i * i] + x[i / n] + x[i as f64] } }",
        "1:41: `x[i]` is not affine: an index is made of indices, sizes and integers\n1:51: `1.5` is not an integer, as an index must be\n1:60: `i * i * i` is not affine: at most two indices or sizes can be multiplied\n1:79: `i / n` is not affine: the divisor of an index must be a positive literal\n  help: for a periodic neighbour choose, as in `if i + 1 < n { x[i + 1] } else { x[0] }`\n1:86: an index is an integer: write `i` without `as f64`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { i * x[i] + n } }",
        "1:39: `i` is an index: as a real value it is `i as f64`\n1:50: `n` is a size: as a real value it is `n as f64`",
    ),
    (
        "fn f<n>(x: [f64; n], s: f64) -> f64 { x[0, 1] + s[0] + x.0 }",
        "1:39: `x` has 1 dimension, and 2 indices are given\n1:49: `s` is `f64`: only a tensor has elements\n1:56: `x` is `[f64; n]`: it has no field `0`",
    ),
    (
        "fn f<n>(x: [f64; n], s: f64) -> f64 { let a = nope; let b = a + s; let (c, d) = s; let e = c * x; b.sinn() + e }",
        "1:47: `nope` is not known; known here: `n`, `s`, `x`\n1:72: the pattern is a tuple of 2, but the value is `f64`\n1:101: there is no method `sinn`; did you mean `sin`?",
    ),
    (
        "fn f<n>(x: [f64; n], s: f64) -> f64 { let a: [f64; n] = s; let (u, u) = (s, s); s }",
        "1:57: this is `f64`, and the type given is `[f64; n]`\n1:68: `u` is bound twice in one pattern",
    ),
    (
        "fn f(s: f64) -> f64 { sin(s, s) + atan2(s) + s.clamp(0) + s.powi(s) + log(s) + s.len() }",
        "1:23: `sin` takes 1 argument, not 2: `x.sin()`\n1:35: `atan2` takes 2 arguments, including the receiver, not 1: `x.atan2(y)`\n1:48: `clamp` takes 3 arguments, including the receiver, not 2: `x.clamp(low, high)`\n1:66: the exponent of `powi` is an integer, an index or a size: write `powf(s)`\n1:71: there is no function `log`; the natural logarithm is `ln`\n1:82: there is no method `len`; name the length as a size, `x: [f64; n]`",
    ),
    (
        "fn f<k, n>(c: [f64; k], x: [f64; n + k], l: [f64; k * (k + 1) / 2]) -> f64 { (x, l) }",
        "1:78: `f` returns `f64`, but this is `([f64; n + k], [f64; k*(k + 1) / 2])`",
    ),
    ("fn f(s: f64) -> f64 { [s] }", "1:23: `f` returns `f64`, but this is `[f64; 1]`"),
    (
        "fn f(s: f64) -> f64 { s > 0.0 }",
        "1:23: `s > 0.0` is a condition: `[s > 0.0]` is 1 where it holds, else 0",
    ),
    (
        "fn f(s: f64) -> f64 { if s { 1 } else { 2 } }",
        "1:26: `s` is not a condition: compare it with something",
    ),
    (
        "fn f<n>(s: f64, x: [f64; n]) -> f64 { if s > 0 { x } else { s } + [1, x, 2][0] }",
        "1:61: the branches of `if` must have the same type: this is `f64`, the first is `[f64; n]`\n1:71: the elements of a literal must have the same type: this is `[f64; n]`, the first is `f64`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { if i < x[i] { 1 } else { 2 } } }",
        "1:42: `i` is an index: as a real value it is `i as f64`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { 1 / [n > 1] + x[0] as f64 + n as f32 }",
        "1:35: the bracket `[n > 1]` stands in a divisor, which it would make zero: take it out\n1:45: `x[0]` is `f64` already: `as` makes a scalar of an index or a size\n1:59: `as f32` in a function of `f64`: write `as f64`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { 5 % 2 + argmax i { x[i] } + argmax i, j { x[i] } as f64 }",
        "1:31: `%` is for indices only: as a real value, `5 % 2` is `(5 % 2) as f64`\n1:39: `argmax` is an index: use it as one, or write `(argmax … { … }) as f64`\n1:69: `argmax` takes one index",
    ),
    (
        "fn f(n: usize) -> f64 where n > PI, n { 1 }",
        "1:33: `PI` is a real number, not an index\n1:37: `n` is not a condition: compare it with something",
    ),
    (
        "fn f(n: usize) -> f64 where n * 1.5 > 2 { 1 }",
        "1:29: `n` is a size: as a real value it is `n as f64`",
    ),
    (
        "fn g<n>(x: [f64; n], y: [f64; n + 1]) -> f64 { 1 } fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { g(x, y) + g(x) + g(x, 1) }",
        "1:103: dimension 0 of the argument `y` of `g` is `n + 1`, but this has `m`\n1:108: `g` takes 2 arguments (`x`, `y`), not 1\n1:120: the argument `y` of `g` is `[f64; n + 1]`, but this is `f64`",
    ),
    (
        "fn g<n>(x: [f64; 2 * n]) -> f64 { 1 } fn f<n>(x: [f64; n]) -> f64 { g(x) }",
        "1:69: the size `n` of `g` would be `n / 2`, which need not be an integer",
    ),
    (
        "fn g(n: usize) -> [f64; n] { for i in 0..n { 1 } } fn f<n>(x: [f64; n]) -> f64 { sum i { g(i)[0] * x[i] } + x.g() }",
        "1:92: the argument `n` of `g` is a size, and `i` depends on an index\n1:111: `g` is a function of the block: call it `g(…)`",
    ),
    (
        "fn f() -> f64 { if D / 2 == 1 { 1.0 } else { -1.0 } }",
        "1:20: `D / 2` is rounded down if its constants are sizes, and not if they are numbers: write the divisor with a point, as in `2.0`, or compare without a division, as in `D >= 2`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum(x) }",
        "1:31: there is no function `sum`; sums are written `sum i { x[i] }`",
    ),
    (
        "fn g(x: f32) -> f32 { x } fn f(x: f64) -> f64 { g(x) }",
        "1:49: `g` is a function of `f32`, this is one of `f64`",
    ),
    (
        "fn f(x: f64, t: (f64, f64), n: usize) -> f64 { x } fn a = grad(f, y); fn b = grad(f, n); fn c = grad(f, x, x); fn d = grad(f, t, t.0); fn e = grad(f, t.2); fn g = hvp(f, x); fn h = gradd(f); fn i = grad(ff); fn j = grad(f, x.0);",
        "1:67: `f` has no parameter `y`; its parameters: `x`, `t`\n1:86: `n` is a size: derivatives are with respect to real parameters\n1:108: `x` is named twice\n1:130: `t` is named twice\n1:151: `t` has no field `2`\n1:182: there is no transform `gradd`; did you mean `grad`?\n1:204: there is no function `ff` in this block\n1:224: `x` has no field `0`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { x } fn g = grad(f); fn h(n: usize) -> f64 { 1 } fn k = grad(h);",
        "1:52: `grad` is for functions that return a scalar, but `f` returns `[f64; n]`: use `vjp` or `jvp`\n1:96: `h` has no real parameter to differentiate by",
    ),
    (
        "fn f(x: f64) -> f64 { nope } fn g(x: f64) -> f64 { f(x) } fn h = grad(f);",
        "1:23: `nope` is not known; known here: `x`",
    ),
    (
        "fn f<n>(x: f64) -> f64 { x } fn g(x: f64) -> f64 { f(x) } fn h = grad(f);",
        "1:6: the size `n` does not follow from the shapes of the arguments: add a parameter `n: usize`, or a tensor that has the dimension `n`",
    ),
    (
        "fn f(x: (f64, usize)) -> usize { x }",
        "1:15: `usize` is the type of a parameter, not of a part or a result\n  help: instead of an array of indices pass scalars, and compare: `sum c if label[i] == (c as f64) { … }`\n1:26: `usize` is the type of a parameter, not of a part or a result\n  help: instead of an array of indices pass scalars, and compare: `sum c if label[i] == (c as f64) { … }`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { for j { x[j] } } + max i { (x[i], 1) } }",
        "1:35: the range of `i` does not follow from its use, as in `x[i]`: write `i in 0..n`\n1:66: `max` takes scalars, but this is `(f64, f64)`: write `for` outside and `max` inside, or one `max` for each part",
    ),
    (
        "fn f<n>(x: [f64; n], y: f64) -> f64 { grad(y, x[0]) + grad(x, y) + grad(y, n) + grad(y) + grad(y, z) }",
        "1:47: `grad(e, x)` differentiates with respect to a variable: bind `x[0]` by a `let` before, and use its name in `e`\n1:60: `grad(e, x)` differentiates a scalar, but `x` is `[f64; n]`\n1:76: `n` is an index or a size: derivatives are with respect to real variables\n1:81: `grad(e, x)` takes a scalar and a variable\n1:99: `z` is not known; known here: `n`, `x`, `y`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { x[99999999999] + [0.0; 0][0] + [1.0; 2 * x][0] + sum i { [0.0; i][0] * x[i] } }",
        "1:33: `99999999999` is too large for an index\n1:72: `x` is a value (`[f64; n]`): an index is made of indices, sizes and integers\n1:94: the extent `i` depends on an index: extents are made of sizes and integers",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { sum i { x[i] } } fn g(x: f64) -> f64 { f(x).sum() + sin + f }",
        "1:75: there is no method `sum`; sums are written `sum i { x[i] }`\n1:83: `sin` is a function: call it, `sin(…)`\n1:89: `f` is a function: call it, `f(…)`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let k = argmax i { x[i] }; k * x[k] + g[k] }",
        "1:58: `k` is an index: as a real value it is `k as f64`\n1:69: `g` is not known; known here: `k`, `n`, `x`",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { let k: usize = x[0]; let l: f64 = 2; x[k] + x[l] }",
        "1:46: `x[0]` is not affine: an index is made of indices, sizes and integers\n1:77: `l` is a value (`f64`): an index is made of indices, sizes and integers",
    ),
];

#[test]
fn mistakes() {
    compare(CASES, show);
}
