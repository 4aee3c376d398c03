//! What correct programs parse to.

use super::show;

/// Inline expressions and their trees with all parentheses.
const EXPRESSIONS: &[(&str, &str)] = &[
    // Precedence.
    ("a + b * c", "(a + (b * c))"),
    ("a - b - c", "((a - b) - c)"),
    ("a / b * c % d", "(((a / b) * c) % d)"),
    ("-x.powi(2)", "(-x.powi(2))"),
    ("-x * y", "((-x) * y)"),
    ("- -x", "(-(-x))"),
    ("a--b", "(a - (-b))"),
    ("a*-b", "(a * (-b))"),
    ("-n as f64 * x", "(((-n) as f64) * x)"),
    ("n as f32 / m as f64", "((n as f32) / (m as f64))"),
    ("(a + b) * c", "((a + b) * c)"),
    ("((a))", "a"),
    ("[a + 1 < b && !p || q]", "[((((a + 1) < b) && (!p)) || q)]"),
    ("[a < b || c == d && e != f]", "[((a < b) || ((c == d) && (e != f)))]"),
    ("[0 <= i - j < n]", "[(0 <= (i - j) < n)]"),
    ("[i<-j]", "[(i < (-j))]"),
    ("[a >= b > c]", "[(a >= b > c)]"),
    ("[x != y]", "[(x != y)]"),
    ("[i % 2 == 0] * x[i]", "([((i % 2) == 0)] * x[i])"),
    // Postfix.
    ("x[i, 2*j + 1]", "x[i, ((2 * j) + 1)]"),
    ("x[.., j]", "x[.., j]"),
    ("x[..]", "x[..]"),
    ("x[i][j]", "x[i][j]"),
    ("t.0.1", "t.0.1"),
    ("t.0.1.2.3[i]", "t.0.1.2.3[i]"),
    ("t.0.powi(2).1", "t.0.powi(2).1"),
    ("(a, (b, c)).1.0", "tuple(a, tuple(b, c)).1.0"),
    ("f(a, b)[i].sin()", "f(a, b)[i].sin()"),
    ("f(a, b,)", "f(a, b)"),
    // Literals.
    ("1. + 2.5e3 + 1_000 + 2", "(((1. + 2.5e3) + 1000) + 2)"),
    ("1.0.max(x)", "1.0.max(x)"),
    ("0x10", "16"),
    ("0xfF + 0b1_01 + 0o17 + 007 + 0", "((((255 + 5) + 15) + 7) + 0)"),
    ("1_0.5_0E+3 + 1E-3 + 1_e5 + 00.50", "(((10.50e3 + 1e-3) + 1e5) + 00.50)"),
    ("[a, b, c]", "[a, b, c]"),
    ("[0.0; n, m]", "[0.0; n, m]"),
    ("[[1.0, 2.0], [3.0, 4.0]][i]", "[[1.0, 2.0], [3.0, 4.0]][i]"),
    // `[…]` indexes right after an operand.
    ("x [i]", "x[i]"),
    ("a * [p] * b", "((a * [p]) * b)"),
    ("-[p]", "(-[p])"),
    ("[p] * [q] * e", "(([p] * [q]) * e)"),
    ("(for i { x[i] })[j]", "(for i { x[i] })[j]"),
    // Constants.
    ("PI * crate::GRAVITY + f64::consts::E", "((PI * crate::GRAVITY) + f64::consts::E)"),
    ("::core::f64::consts::PI", "::core::f64::consts::PI"),
    // Words are keywords before a name only.
    ("max(a, b)", "max(a, b)"),
    ("x.max(y)", "x.max(y)"),
    ("max + min * sum", "(max + (min * sum))"),
    ("max as f64", "(max as f64)"),
    ("max i { x[i] }", "(max i { x[i] })"),
    ("for i in 0..max { x[i] }", "(for i in 0..max { x[i] })"),
    ("sum sum in 0..sum if sum < max { x[sum] }", "(sum sum in 0..sum if (sum < max) { x[sum] })"),
    ("max[i] + sum.exp()", "(max[i] + sum.exp())"),
    ("[exists j in a..b { i == 2 * j }]", "[(exists j in a..b { (i == (2 * j)) })]"),
    // Forms are operands.
    ("sum i { x[i] } + x", "((sum i { x[i] }) + x)"),
    ("if p { a } else { b } * 2", "((if p { a } else { b }) * 2)"),
    ("2 * sum i { x[i] } * 3", "((2 * (sum i { x[i] })) * 3)"),
    ("for i { x[i] } [j]", "(for i { x[i] })[j]"),
    ("{ a } + { b }", "({ a } + { b })"),
    ("-sum i { x[i] }.sqrt()", "(-(sum i { x[i] }).sqrt())"),
    ("if p { a } else if q { b } else { c }", "(if p { a } else { (if q { b } else { c }) })"),
    // Ranges.
    ("for i in 0..n, j in 1..=m - 1 { x[i, j] }", "(for i in 0..n, j in 1..=(m - 1) { x[i, j] })"),
    ("for i, j in 0..n { x[i, j] }", "(for i, j in 0..n { x[i, j] })"),
    ("for i in -n..n+1 { x[i + n] }", "(for i in (-n)..(n + 1) { x[(i + n)] })"),
    ("for i in 0..{ n } { x[i] }", "(for i in 0..{ n } { x[i] })"),
    ("sum j in 0..n if j < i && j != 2 { x[j] }", "(sum j in 0..n if ((j < i) && (j != 2)) { x[j] })"),
    ("sum i if p { x[i] }", "(sum i if p { x[i] })"),
    ("logsumexp i { argmin j { x[i, j] } as f64 }", "(logsumexp i { ((argmin j { x[i, j] }) as f64) })"),
    ("argmax _ in 0..n { 1.0 }", "(argmax _ in 0..n { 1.0 })"),
    // Recurrences.
    (
        "let (h, c) = rec t in 0..n, k in (0..m).rev() if k <= t { (h[t - 1, k], 0) }; h",
        "let (h, c) = (rec t in 0..n, k in (0..m).rev() if (k <= t) { tuple(h[(t - 1), k], 0) }); h",
    ),
    ("fold t in a..=b from s = s0 { s + x[t] }", "(fold t in a..=b from s = s0 { (s + x[t]) })"),
    (
        "1 + fold t from (h, (c, _)) = (a, (b, 0)) if h > 1 { (c, (h, x[t])) } * 2",
        "(1 + ((fold t from (h, (c, _)) = tuple(a, tuple(b, 0)) if (h > 1) { tuple(c, tuple(h, x[t])) }) * 2))",
    ),
    (
        "scan i in (0..n).rev() from s = 1 { s * x[i] } [0]",
        "(scan i in (0..n).rev() from s = 1 { (s * x[i]) })[0]",
    ),
    ("prod i, j in 0..i if i != j { x[i, j] }", "(prod i, j in 0..i if (i != j) { x[i, j] })"),
    (
        "reduce i in 0..n with |p, (a, b)| { let q = a * b; p + q } from 0 if i > 1 { (x[i], 1) }",
        "(reduce i in 0..n with |p, (a, b)| { let q = (a * b); (p + q) } from 0 if (i > 1) { tuple(x[i], 1) })",
    ),
    (
        "scan i with |p, q,| { max(p, q) } from e { x[i] }",
        "(scan i with |p, q| { max(p, q) } from e { x[i] })",
    ),
    ("#[checkpoint(16)] fold t from s = 0 { s }", "#[checkpoint(16)] (fold t from s = 0 { s })"),
    (
        "{ #[checkpoint(512, 16)] let s = scan t from s = 0 { s }; #[checkpoint(sqrt)] let y = rec i { y[i - 1] }; s }",
        "{ let s = #[checkpoint(512, 16)] (scan t from s = 0 { s }); let y = #[checkpoint(sqrt)] (rec i { y[(i - 1)] }); s }",
    ),
    (
        "{ let a = b; #[checkpoint(1)] prod i { x[i] } + a }",
        "{ let a = b; (#[checkpoint(1)] (prod i { x[i] }) + a) }",
    ),
    // Those are keywords before a name only, too.
    ("rec + fold * scan - prod / reduce", "((rec + (fold * scan)) - (prod / reduce))"),
    ("reduce(a, b) + fold[i] + from.sin() + with", "(((reduce(a, b) + fold[i]) + from.sin()) + with)"),
    // Lets.
    ("{ let (a, (b, _)) = t; let y: [f64; n] = x; a }", "{ let (a, (b, _)) = t; let y: [f64; n] = x; a }"),
    ("let a = x; a * a", "let a = x; (a * a)"),
    ("let a = sum i { x[i] }; [p] * a", "let a = (sum i { x[i] }); ([p] * a)"),
    // Captures.
    (
        "|w: [f32; n] = &self.w, y: [f32; n + 1]| for i { y[i] }",
        "|w: [f32; n] = & self . w, y: [f32; (n + 1)] = y| (for i { y[i] })",
    ),
    ("|a: f64 = f(x, |y| y + 1) + (b | c),| a", "|a: f64 = f (x , | y | y + 1) + (b | c)| a"),
    ("|| a", "a"),
];

const ITEMS: &[(&str, &str)] = &[
    ("", ""),
    (
        "/// Docs.\n pub fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m],) -> f64 { sum i { x[i] } }",
        "# [doc = \" Docs.\"] pub fn misfit<n, m>(x: [f64; ((n + m) - 1)], w: [f64; m]) -> f64 { (sum i { x[i] }) }",
    ),
    (
        "fn f(n: usize, t: ((f32), [(f32, f32); n, D])) -> (f32, [[f32; 3]; n]) where 2 * n <= D, 0 < n, { t }",
        "fn f(n: usize, t: (f32, [(f32, f32); n, D])) -> (f32, [[f32; 3]; n]) where ((2 * n) <= D), (0 < n) { t }",
    ),
    (
        "#[inline] pub(crate) fn g = value_and_grad(f, x, t.0); fn h = jvp(f);",
        "# [inline] pub (crate) fn g = value_and_grad(f, x, t.0);\nfn h = jvp(f);",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 where n > 0 { let n = 1.0; n } fn g = grad(f,);",
        "fn f<n>(x: [f64; n]) -> f64 where (n > 0) { let n = 1.0; n }\nfn g = grad(f);",
    ),
];

#[test]
fn expressions() {
    for (source, tree) in EXPRESSIONS {
        assert_eq!(show(source), *tree, "{source}");
    }
}

#[test]
fn items() {
    for (source, tree) in ITEMS {
        assert_eq!(show(source), *tree, "{source}");
    }
}

/// What `macro_rules!` interpolates keeps together, and does not show otherwise.
#[test]
fn groups_without_delimiters() {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    let none = |text: &str| -> TokenTree {
        Group::new(Delimiter::None, text.parse::<TokenStream>().expect("tokens")).into()
    };
    let stream = |parts: &[TokenTree]| parts.iter().cloned().collect::<TokenStream>();
    let plain = |text: &str| text.parse::<TokenStream>().expect("tokens").into_iter().collect::<Vec<_>>();
    let cases: &[(Vec<TokenTree>, &str)] = &[
        ([plain("2 *"), vec![none("a + b")], plain("[i]")].concat(), "(2 * (a + b)[i])"),
        (
            [plain("for i in"), vec![none("0..n - 1")], plain("{ 1.0 }")].concat(),
            "(for i in 0..(n - 1) { 1.0 })",
        ),
        ([vec![none("f")], plain("(x)")].concat(), "f(x)"),
        (vec![none("fn f() -> f64 { 1.0 - 2.0 }")], "fn f() -> f64 { (1.0 - 2.0) }"),
        (
            [plain("fn f(x: [f64; n]) ->"), vec![none("[f64; n + 1]")], plain("{ x }")].concat(),
            "fn f(x: [f64; n]) -> [f64; (n + 1)] { x }",
        ),
        ([vec![none("pub(crate)")], plain("fn g = grad(f);")].concat(), "pub (crate) fn g = grad(f);"),
    ];
    for (tokens, tree) in cases {
        let mut errors = crate::error::Errors::default();
        let input = crate::parse::parse(stream(tokens), &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(input.as_ref().map(super::print::input).as_deref(), Some(*tree));
    }
}
