//! What is linear in what it reads of itself, and what is blamed otherwise.

use super::check;
use crate::bounds;
use crate::error::Errors;
use crate::parse::{self, Input};

/// What is said of `f` by `x`, of which there is no normal form.
fn blamed(f: &str) -> String {
    let source = format!("{f} fn t = transpose(f, x);");
    let mut errors = Errors::default();
    let Some(Input::Block(block)) = parse::parse(source.parse().expect("tokens"), &mut errors) else {
        panic!("{errors:?}")
    };
    let mut block = crate::check::check(&block, &mut errors);
    bounds::prove(&mut block, &mut errors);
    assert!(errors.is_empty(), "{errors:?}");
    check(&block, &vec![None; block.functions.len()], &mut errors);
    let all = errors.0.iter().map(|e| {
        let why = e.message.split_once("needs it: ").map_or("", |(_, why)| why);
        format!("{}: {why}", e.span.start.start().column + 1)
    });
    all.collect::<Vec<_>>().join("\n")
}

const CASES: &[(&str, &str)] = &[
    ("fn f<n>(x: [f64; n], a: f64) -> [f64; n] { let y = rec t { x[t] + [t >= 1] * a * y[t - 1] }; y }", ""),
    ("fn f<n>(x: [f64; n], a: f64) -> f64 { fold t from s = 0 { a * s + x[t] } }", ""),
    // Two that pass on what they have of each other.
    (
        "fn f<n>(x: [f64; n], a: f64) -> f64 { let (p, q) = fold t from (p, q) = (0, 1) { (q * x[t], a) }; p }",
        "",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold t from s = 1 { s + x[t] } }",
        "51: this term does not depend on it, and is not zero",
    ),
    ("fn f<n>(x: [f64; n]) -> f64 { fold t from s = 0 { s * x[t] } }", ""),
    (
        "fn f<n>(x: [f64; n]) -> [f64; n] { scan t from s = 0 { s * x[t] + x[t] } }",
        "56: both factors of this product depend on it",
    ),
    (
        "fn f<n>(x: [f64; n]) -> f64 { fold t from s = 0 if s < 1 { s + x[t] } }",
        "52: a condition depends on it",
    ),
];

#[test]
fn recurrences() {
    for (source, said) in CASES {
        assert_eq!(blamed(source), *said, "{source}");
    }
}
