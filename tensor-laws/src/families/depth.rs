//! Depth of the text: an error is an answer, a stack that overflows is not.

use super::text::{around, join, lets};
use super::{Family, Growth};

/// Name, and the body of `fn f<n>(x: [f64; n], y: f64) -> f64 { … }`, which may end that and begin another item.
type Deep = (&'static str, fn(usize) -> String);

const DEEP: [Deep; 16] = [
    ("parentheses", |k| around(k, "(", "y", ")")),
    ("minus", |k| around(k, "-", "y", "")),
    ("blocks", |k| around(k, "{", "y", "}")),
    ("if", |k| around(k, "if y > 0.0 {", "y", "} else { 0.0 }")),
    ("else_if", |k| join(k, " else ", |j| format!("if y < {j}.0 {{ {j}.5 }}")) + " else { y }"),
    ("plus", |k| join(k, " + ", |_| "y".to_string())),
    ("times", |k| join(k, " * ", |_| "y".to_string())),
    ("methods", |k| format!("y{}", ".sin()".repeat(k))),
    ("sums", |k| join(k, "", |j| format!("sum i{j} in 0..n {{")) + "y" + &"}".repeat(k)),
    ("and", |k| format!("if {} {{ y }} else {{ 0.0 }}", join(k, " && ", |_| "y > 0.0".to_string()))),
    ("index_div", |k| format!("sum i in 0..n {{ x[i{}] }}", " / 2".repeat(k))),
    ("tuple_type", |k| format!("y }} fn h(t: {}) -> f64 {{ 0.0", around(k, "(f64, ", "f64", ")"))),
    ("tuple_value", |k| format!("let t = {}; y", around(k, "(y, ", "y", ")"))),
    ("literal", |k| format!("let t = {}; y", around(k, "[", "y", "]"))),
    ("wrapped_items", |k| format!("y }} fn g = {}; fn h() -> f64 {{ 0.0", around(k, "jvp(", "f", ")"))),
    ("lets", |k| lets(k, "let t$i = y;", "y")),
];

pub(super) fn all() -> Vec<Family> {
    let one = |(name, body): Deep| {
        // Four times as deep as that is not refused yet.
        let (from, growth) = match name {
            "wrapped_items" => (2, Growth::Partitions),
            "if" => (12, Growth::Linear),
            "sums" => (3, Growth::Rank),
            "and" | "literal" | "tuple_value" => (22, Growth::Rank),
            "index_div" => (22, Growth::Question),
            _ => (22, Growth::Linear),
        };
        let family = Family::new(format!("deep/{name}"), from, 100_000, move |k| {
            format!("fn f<n>(x: [f64; n], y: f64) -> f64 {{ {} }}", body(k))
        });
        Family { is_mistaken: name == "index_div", ..family.growing(growth) }
    };
    DEEP.into_iter().map(one).collect()
}
