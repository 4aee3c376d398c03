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
    ("sum(x)", "1:1: `sum` is written `sum i in 0..n { … }`, without parentheses around its index"),
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
    ("for i in (0..n).rev() { x[i] }", "1:17: `.rev()` is not available yet"),
    ("for i in (0..n) { x[i] }", "1:10: leave the parentheses around the range out"),
    (
        "for i in (0..n).step_by(2) { x[i] }",
        "1:17: a range has step 1: write `x[2 * i]`, or a guard such as `if i % 2 == 0` after the range",
    ),
    ("for i in 0..n x[i]", "1:15: expected `,`, `if` or the body `{ … }` after the index, found `x`"),
    ("for i in 0..n.rev() { x[i] }", "1:15: `.rev()` is not available yet"),
    (
        "#[checkpoint(sqrt)] rec i in 0..n { x[i - 1] + 1.0 }",
        "1:1: `#[checkpoint]` is not available yet\n\
         1:21: `rec` is not available yet",
    ),
    (
        "fold t in a..b from (h, c) = s0 { h + } + scan t in 0..1 from h = 0 { h } * prod i { x[i] }",
        "1:1: `fold` is not available yet\n\
         1:39: expected an expression, found the end\n\
         1:43: `scan` is not available yet\n\
         1:77: `prod` is not available yet\n  help: of positive numbers it is `(sum i { x[i].ln() }).exp()`",
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
    (r#""abc""#, "1:1: strings and characters are not supported: all values are numbers"),
    ("'c'", "1:1: strings and characters are not supported: all values are numbers"),
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
    ("x.foo::<f64>()", "1:6: type arguments are not supported: numbers have the type of the function"),
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
