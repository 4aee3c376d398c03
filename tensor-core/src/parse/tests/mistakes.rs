//! What is said about mistakes, and where.

use super::show;

const MISTAKES: &[(&str, &str)] = &[
    (
        "fn f(x: f64) -> f64 { let y = 1.0 y + x }",
        "1:31: a `;` is missing after this `let`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { let y = 1.0 let z = 2.0; y }",
        "1:31: a `;` is missing after this `let`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) { x }",
        "1:14: the type of the result is missing: write `-> f64` after the parameters\n\
         broken f",
    ),
    (
        "fn f<n>(x: [f64, n]) -> f64 { x[0] }",
        "1:16: a semicolon stands before the extents: `[f64; n]`\n\
         broken f",
    ),
    (
        "fn f<n>(x: [f64]) -> f64 { x[0] }",
        "1:12: the extent is missing: write `[f64; n]`\n\
         broken f",
    ),
    (
        "fn f<n>(x: f64[n]) -> f64 { x[0] }",
        "1:15: a tensor is written `[f64; n]`\n\
         broken f",
    ),
    (
        "fn f<n>(x: [f64; n; m]) -> f64 { x[0] }",
        "1:19: extents are separated by commas: `[f64; n, m]`\n\
         broken f",
    ),
    (
        "fn f(x: Vec<f64>, y: i32) -> f64 { x }",
        "1:9: there is no type `Vec`: a type is `f64`, `f32`, `[f64; n]`, a tuple, or `usize` for a size\n\
         1:22: there is no type `i32`: a type is `f64`, `f32`, `[f64; n]`, a tuple, or `usize` for a size\n\
         broken f",
    ),
    (
        "fn f(x: &[f64; 3], mut y: f64) -> f64 { y }",
        "1:9: leave the `&` out: tensors are passed by reference by themselves\n\
         1:20: `mut` is not supported: a variable does not change, but a second `let` may take its name\n\
         broken f",
    ),
    (
        "fn f(&self, x) -> f64 { 1.0 }",
        "1:6: leave the `&` out: tensors are passed by reference by themselves\n\
         1:7: a function of a block is not a method: it has no `self`\n\
         1:13: the type of `x` is missing: write `x: f64` or `x: [f64; n]`\n\
         broken f",
    ),
    (
        "fn f<const n: usize>(x: [f64; n]) -> f64 { 1.0 }",
        "1:6: a size is declared by its name alone: `<n, m>`\n\
         broken f",
    ),
    (
        "fn f() -> () { 1.0 }",
        "1:11: a function of scalars has a result: `()` is not a type of the language\n\
         broken f",
    ),
    (
        "fn f(x: usize < n, y: rel[n, m], z: sparse[f64; r]) -> f64 { 1.0 }",
        "1:9: the type `usize < n` of indices is not available yet\n\
         1:23: the type `rel` is not available yet\n\
         1:37: the type `sparse` is not available yet\n\
         broken f",
    ),
    (
        "fn f(x: f64) -> f64;",
        "1:20: expected the body `{ … }` of the function, found `;`\n\
         broken f",
    ),
    (
        "fn f(x: f64) -> f64 = x;",
        "1:21: the body stands in braces: `{ … }`\n\
         broken f",
    ),
    (
        "fn f(x: f64) -> f64 { }",
        "1:21: the value is missing: a body ends with an expression, without `;`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { let a = 1; }",
        "1:21: the value is missing: a body ends with an expression, without `;`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { x; }",
        "1:24: leave the last `;` out: a body ends with its value\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { x + 1; x }",
        "1:23: this value is not used: bind it by `let`, or leave it out\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { x = 1.0; y += 2.0; x[i] = 3.0; x }",
        "1:23: nothing is assigned: bind a new value by `let`, and a tensor by `for i { … }`\n\
         1:32: nothing is assigned: bind a new value by `let`, and a tensor by `for i { … }`\n\
         1:42: nothing is assigned: bind a new value by `let`, and a tensor by `for i { … }`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { return x; }",
        "1:23: `return` is not supported: a body ends with its value\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { let a = * ; let b = 2 +; let c = (a, ; c ) }",
        "1:31: references are not supported: leave the `*` out\n\
         1:33: expected an expression, found `;`\n\
         1:46: expected an expression, found `;`\n\
         1:60: expected an expression, found `;`\n\
         1:64: a `;` is missing after this `let`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { let a = f(1 2, 3 4)[5 6]; [a b] }",
        "1:35: expected `,` or `)` after an argument, found `2`\n\
         1:40: expected `,` or `)` after an argument, found `4`\n\
         1:45: expected `,` or `]` after an index, found `6`\n\
         1:52: expected an operator, `,`, `;` or `]`, found `b`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 { let mut a = 1; let = 2; let b; let c == 1; a }",
        "1:27: `mut` is not supported: a variable does not change, but a second `let` may take its name\n\
         1:42: expected a name, found `=`\n\
         1:52: a `let` has a value: `let x = …;`\n\
         1:60: a `let` has one `=`\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "fn match(x: f64) -> f64 { x } fn g = grad(f, x) fn h = grad; fn i = grad(f, x.0.1);",
        "1:4: expected the name of a function, found the keyword `match`: take another name\n\
         1:47: a `;` is missing after this\n\
         1:60: expected `(` and the function to transform, as in `grad(f, x)`, found `;`\n\
         1:79: a parameter is followed by one number at most, as in `t.0`\n\
         fn g = grad(f, x);\n\
         broken h\n\
         broken i",
    ),
    (
        "use a::b; struct Foo { x: f64 } impl Foo { fn g() {} } pub fn g = jvp(f);",
        "1:1: `use` is not available yet: a block calls its own functions only\n\
         1:11: expected `fn`: a block holds functions, found `struct`\n\
         1:33: expected `fn`: a block holds functions, found `impl`\n\
         pub fn g = jvp(f);",
    ),
    (
        "#![allow(x)] fn f() -> f64 { /// doc\n 1.0 }",
        "1:1: of a whole block there is `#![threads]` alone, before its first function: write `#[…]` before `fn`\n\
         1:30: documentation stands before `fn` only: write `//` here\n\
         fn f() -> f64 no body",
    ),
    (
        "#[threads] extern fn g(x: f64) -> f64; #![threads] fn f() -> f64 { 1.0 }",
        "1:22: `#[threads]` is for functions of the block: what an `extern fn` does is its own\n\
         1:40: of a whole block there is `#![threads]` alone, before its first function: write `#[…]` before `fn`\n\
         fn g(x: f64) -> f64 no body\n\
         fn f() -> f64 { 1.0 }",
    ),
    (
        r#"const fn f() -> f64 { 1.0 } pub unsafe extern "C" fn g() -> f64 { 1.0 };"#,
        "1:1: a function of a block is a plain `fn`\n\
         1:33: a function of a block is a plain `fn`\n\
         1:40: a function of a block is a plain `fn`\n\
         1:47: a function of a block is a plain `fn`\n\
         1:72: leave the `;` after the body of a function out\n\
         fn f() -> f64 { 1.0 }\n\
         pub fn g() -> f64 no body",
    ),
    (
        "fn f(x: f64) -> f64 where n: usize { x }",
        "1:28: expected `,` or the body after a condition, found `:`\n\
         broken f",
    ),
    (
        "sum(i in 0..n) { x[i] }",
        "1:1: `sum` is written `sum i in 0..n { … }`, without parentheses around its index",
    ),
    (
        "#[cfg(test)] impl jvp(f) = g; fn f(x: f64) -> f64 { x } fn g(x: f64, x_dot: f64) -> f64 { x_dot } #[cfg(test)] extern fn e(x: f64) -> f64;",
        "1:14: of a derivative that is given there are no attributes, and no visibility: put `#[cfg(…)]` before the function that it is of\n\
         1:122: `#[cfg(…)]` is not taken before `extern fn`: put it before the Rust function, one for each case\n\
         fn f(x: f64) -> f64 { x }\n\
         fn g(x: f64, x_dot: f64) -> f64 { x_dot }\n\
         # [cfg (test)]  fn e(x: f64) -> f64 no body",
    ),
    (
        "max(i in 0..n) { x[i] }",
        "1:1: `max` is written `max i in 0..n { … }`, without parentheses around its index",
    ),
    ("sum { x[i] }", "1:1: `sum` needs an index: `sum i { … }`"),
    ("for (i, j) in 0..n { 1.0 }", "1:1: `for` needs an index: `for i in 0..n { … }`"),
    ("for { 1.0 }", "1:1: `for` needs an index: `for i in 0..n { … }`"),
    (
        "for i in n { x[i] }",
        "1:10: a range has two ends: write `0..n` if `n` is a size; to go over the elements of a tensor, use their index, as in `sum i { n[i] }`",
    ),
    ("for i in 0.. { x[i] }", "1:10: the end of the range is missing: write `0..n`, or leave the range out"),
    ("for i in ..n { x[i] }", "1:10: the beginning of the range is missing: write `0..n`"),
    (
        "for i in (0..n).rev() { x[i] } + prod i in (0..n).rev() { x[i] }",
        "1:17: `.rev()` stands in `rec`, `fold`, `scan` and `reduce` alone: elsewhere order means nothing\n  help: to count from the last element write `x[n - 1 - i]`\n\
         1:51: `.rev()` stands in `rec`, `fold`, `scan` and `reduce` alone: elsewhere order means nothing\n  help: to count from the last element write `x[n - 1 - i]`",
    ),
    ("for i in (0..n) { x[i] }", "1:10: leave the parentheses around the range out"),
    (
        "for i in (0..n).step_by(2) { x[i] }",
        "1:17: a range has step 1: write `x[2 * i]`, or a guard such as `if i % 2 == 0` after the range",
    ),
    ("for i in 0..n x[i]", "1:15: expected `,`, `if` or the body `{ … }` after the index, found `x`"),
    ("for i in 0..n.rev() { x[i] }", "1:15: a range is reversed in parentheses: `(0..n).rev()`"),
    (
        "#[checkpoint] fold t in 0..n from s = 0.0 { s }",
        "1:1: `#[checkpoint(k)]` says after how many steps a state is stored: `(16)`, in levels `(512, 16)`, or `(sqrt)`",
    ),
    (
        "{ #[checkpoint(0)] let a = prod i { x[i] }; #[checkpoint(root)] let b = prod i { x[i] }; #[checkpoint(4, 8)] prod i { x[i] } }",
        "1:16: `#[checkpoint(k)]` says after how many steps a state is stored: `(16)`, in levels `(512, 16)`, or `(sqrt)`\n\
         1:57: `#[checkpoint(k)]` says after how many steps a state is stored: `(16)`, in levels `(512, 16)`, or `(sqrt)`\n\
         1:102: the levels of `#[checkpoint(…)]` become shorter: `(512, 16)`",
    ),
    (
        "{ #[checkpoint(4)] let a = sum i { x[i] }; #[checkpoint(4)] a + #[checkpoint(4)] #[checkpoint(8)] prod i { x[i] } }",
        "1:3: `#[checkpoint(…)]` stands before `rec`, `fold`, `scan`, `prod` or `reduce`, or before its `let`\n\
         1:44: `#[checkpoint(…)]` stands before `rec`, `fold`, `scan`, `prod` or `reduce`, or before its `let`\n\
         1:82: there are two `#[checkpoint(…)]` of one recurrence",
    ),
    (
        "{ #[checkpoint(4)] let a = #[checkpoint(8)] prod i { x[i] }; a }",
        "1:3: there are two `#[checkpoint(…)]` of one recurrence",
    ),
    ("fold t in a..b from (h, c) = s0 { h + } * 2", "1:39: expected an expression, found the end"),
    (
        "fold t in 0..n { x[t] }",
        "1:1: `fold` has a state, and a value that it begins with: `fold t in 0..n from s = 0.0 { … }`",
    ),
    (
        "scan t in 0..n if t > 2 from s = 0.0 { s }",
        "1:16: the condition stands after the state, which it may read: `scan t in 0..n from s = s0 if … { … }`",
    ),
    ("fold t in 0..n from s { s }", "1:23: expected `=` and the value that the state begins with, found `{`"),
    ("fold t in 0..n of s = 0.0 { s }", "1:16: expected `from` and the state to begin with, found `of`"),
    (
        "reduce i in 0..n from s = 0.0 { s + x[i] }",
        "1:1: `reduce` has an operator: `reduce i in 0..n with |p, q| { p * q } from 1.0 { x[i] }`",
    ),
    (
        "reduce i with |p| { p } from 1.0 { x[i] }",
        "1:17: an operator takes two values together: `reduce i in 0..n with |p, q| { p * q } from 1.0 { x[i] }`",
    ),
    (
        "scan i with |p, q, r| { p } from 1.0 { x[i] }",
        "1:20: an operator takes two values together: `scan i in 0..n with |p, q| { p * q } from 1.0 { x[i] }`",
    ),
    (
        "reduce i with |p, q| p * q from 1.0 { x[i] }",
        "1:22: expected the operator in braces, `{ p * q }`, found `p`",
    ),
    (
        "reduce i with |p, q| { p * q } { x[i] }",
        "1:32: expected `from` and the unit of the operator, found `{`",
    ),
    ("rec i in 0..n x[i]", "1:15: expected `,`, `if` or the body `{ … }` after the index, found `x`"),
    (
        "rec(i in 0..n) { x[i] } + fold { x[i] }",
        "1:1: `rec` is written `rec i in 0..n { … }`, without parentheses around its index",
    ),
    ("scan { x[i] }", "1:1: `scan` needs an index: `scan i { … }`"),
    (
        "fn f(x: f64) -> f64 { fold t in 0..3 from s = x { s }; }",
        "1:54: leave the last `;` out: a body ends with its value\n\
         fn f(x: f64) -> f64 no body",
    ),
    (
        "if x > 0.0 { 1.0 }",
        "1:1: this `if` has no `else`: write `else { … }` with the other value, or `[p] * e`, which is zero elsewhere",
    ),
    ("if x = 0.0 { 1.0 } else { 2.0 }", "1:6: a comparison is written `==`"),
    ("if { 1.0 } else { 2.0 }", "1:1: the condition of this `if` is missing"),
    ("if let a = b { 1.0 } else { 2.0 }", "1:4: patterns are not supported in conditions: compare by `==`"),
    ("[i = j] * x", "1:4: a comparison is written `==`"),
    (
        "x.map(|y| y + 1.0)",
        "1:7: closures are not supported: write a `fn` of the block; instead of an iterator, `for i { … }` or `sum i { … }`",
    ),
    (
        "2.0f64 + 1usize + 1f32",
        "1:1: a literal has the type of the function: leave the suffix `f64` out\n\
         1:10: a literal has the type of the function: leave the suffix `usize` out\n\
         1:19: a literal has the type of the function: leave the suffix `f32` out",
    ),
    ("1e400", "1:1: this number is too large: infinity is written `INFINITY`"),
    (
        "99999999999999999999",
        "1:1: this integer is too large; if it is a real number, write `99999999999999999999.0`",
    ),
    (r#""abc""#, "1:1: strings and characters are not supported: all values are reals"),
    ("'c'", "1:1: strings and characters are not supported: all values are reals"),
    ("a ** b", "1:3: a power is `x.powi(2)` or `x.powf(y)`"),
    ("a ^ b", "1:3: a power is `x.powi(2)` or `x.powf(y)`"),
    (
        "a & b | c",
        "1:3: `and` is written `&&`\n\
         1:7: `or` is written `||`",
    ),
    ("a << b", "1:3: shifts are not supported"),
    (
        "&x + *y",
        "1:1: references are not supported: leave the `&` out\n\
         1:6: references are not supported: leave the `*` out",
    ),
    ("+x", "1:1: leave the sign `+` out"),
    ("x?", "1:2: `?` is not needed: a function returns an error by itself if an argument does not fit"),
    ("x.sin", "1:3: named fields are not supported; a scalar function is called with parentheses: `.sin()`"),
    (
        "self.w",
        "1:1: `self` is not supported: give an inline block what it reads as `|w: [f64; n] = &self.w| …`",
    ),
    ("x.foo::<f64>()", "1:6: type arguments are not supported: scalars have the type of the function"),
    ("f64::sin(x)", "1:1: only functions of this block and built-in ones are called, by one name: `sin(x)`"),
    ("(f)(x)", "1:4: a function is called by its name: `f(x)`; a product needs its `*`"),
    ("2 (x)", "1:3: a function is called by its name: `f(x)`; a product needs its `*`"),
    ("t.1e5", "1:3: `.1e5` is not the number of a component, as in `t.0`"),
    (
        "x[1..3]",
        "1:4: a part of a tensor is written `for k in 0..len { x[i + k] }`; `..` alone is a whole dimension",
    ),
    ("x[:, j]", "1:3: a whole dimension is written `..`"),
    ("x[]", "1:2: an index is missing"),
    ("[]", "1:1: a tensor without elements cannot be written"),
    ("()", "1:1: `()` is not a value of the language"),
    ("[0.0; ]", "1:1: the extent is missing: write `[0.0; n]`"),
    (
        "x as usize",
        "1:6: a size or an index becomes a scalar by `as f64` or `as f32`; there are no other casts",
    ),
    (r#"println!("x")"#, "1:1: a macro cannot be called here: compute it outside and pass it as a parameter"),
    ("true", "1:1: `true` is not supported: a guard that always holds can be left out"),
    ("match x { _ => 1 }", "1:1: `match` is not supported: a choice is `if p { a } else { b }`"),
    (
        "while x { 1 }",
        "1:1: `while` is not supported: loops are `for` and `sum`, with ranges known in advance",
    ),
    ("a @ b", "1:3: a matrix product is a sum: `for i, j { sum k { a[i, k] * b[k, j] } }`"),
    ("|x| x + 1", "1:2: the type of `x` is missing: write `x: [f64; n]`, or leave the captures out"),
    ("|x: f64 = | x", "1:11: a Rust expression is missing after `=`"),
    ("|x: f64 = y, x", "1:14: the type of `x` is missing: write `x: [f64; n]`, or leave the captures out"),
    ("a b", "1:3: expected an operator or the end of the body, found `b`"),
    ("x.", "1:2: expected a method or the number of a component after `.`, found the end"),
    ("x::", "1:3: expected a name after `::`: a path names a Rust constant, found the end"),
];

#[test]
fn messages() {
    for (source, said) in MISTAKES {
        assert_eq!(show(source), *said, "{source}");
    }
}
