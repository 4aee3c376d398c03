//! One sum with a body that grows, and literals.

use super::text::{TRANSFORMS, derived, join, lets, numbered};
use super::{Family, Growth};

pub(super) fn all() -> Vec<Family> {
    TRANSFORMS.into_iter().flat_map(|t| of(t).into_iter().chain(indices(t))).collect()
}

fn of(t: &'static str) -> Vec<Family> {
    let family = |name: &str, from, most, text: fn(usize) -> String| {
        Family::new(format!("{name}/{t}"), from, most, move |k| format!("{} {}", text(k), derived(t, "")))
    };
    vec![
        family("body/terms", 8, 4096, |k| {
            let terms = lets(k, "let t$i = (x[i] * $j.5).sin();", "let s0 = t0;");
            let sums = join(k - 1, " ", |i| numbered("let s$j = s$i + t$j;", i));
            format!("fn f<n>(x: [f64; n]) -> f64 {{ sum i {{ {terms} {sums} s{} }} }}", k - 1)
        }),
        family("body/reductions", 8, 2048, |k| {
            let body = lets(k, "let t$j = t$i + sum i { (x[i] * $j.5).sin() };", "t$k");
            format!("fn f<n>(x: [f64; n]) -> f64 {{ let t0 = 0.0; {body} }}")
        }),
        family("body/offsets", 8, 1024, |k| {
            let body = lets(k, "let t$j = t$i + x[i + $i].powi(2);", "t$k.sin()");
            format!("fn f<n>(x: [f64; n + {k}]) -> f64 {{ sum i in 0..n {{ let t0 = 0.0; {body} }} }}")
        }),
        family("body/rows", 16, 1024, |k| {
            let body = lets(k, "let t$j = t$i * x[i, 1] + (x[i, 2] - $j.5) * t$i;", "t$k.sin()");
            format!("fn f<n>(x: [f64; n, 5]) -> f64 {{ sum i in 0..n {{ let t0 = x[i, 0]; {body} }} }}")
        }),
        family("body/elements", 8, 1024, |k| {
            let body = lets(k, "let t$j = t$i + x[$i].powi(2) * (t$i + 1.0).sin();", "t$k");
            format!("fn f(x: [f64; {k}]) -> f64 {{ let t0 = 0.0; {body} }}")
        }),
        family("body/zeros", 16, 1024, |k| {
            let body = lets(k, "let t$j = t$i + x[$i].powi(2) * t$i.sin();", "t$k");
            format!("fn f(x: [f64; {k}]) -> f64 {{ let t0 = 0.0; {body} }}")
        }),
        family("body/wide", 50, 3200, |k| {
            let each = "let t$j = t$i * x[i, 1] + x[i, $r].sin() * u$i; let u$j = u$i - t$i * x[i, 0];";
            let each = |i: usize| numbered(&each.replace("$r", &(i % 7).to_string()), i);
            let body = join(k / 4, " ", each);
            let first = "let t0 = x[i, 3]; let u0 = x[i, 4];";
            format!("fn f<n>(x: [f64; n, 7]) -> f64 {{ sum i in 0..n {{ {first} {body} t{} }} }}", k / 4)
        }),
        family("literal/extent", 64, 65536, |k| {
            let body = "sum i { (sum j { a[i, j] * x[j] }).tanh() }";
            format!("fn f(a: [f64; {k}, {k}], x: [f64; {k}]) -> f64 {{ {body} }}")
        }),
        family("literal/tensor", 16, 16384, |k| {
            let all = join(k, ", ", |i| format!("{i}.5"));
            format!("fn f(x: [f64; {k}]) -> f64 {{ let c = [{all}]; sum i {{ c[i] * x[i].sin() }} }}")
        }),
        family("literal/variables", 16, 4096, |k| {
            let all = join(k, ", ", |i| format!("x * {i}.5"));
            format!("fn f(x: f64) -> f64 {{ let c = [{all}]; sum i {{ c[i] * c[i] }} }}")
        }),
    ]
}

/// One read of k indices.
fn indices(t: &'static str) -> Vec<Family> {
    let family = |name: &str, text: fn(usize) -> String| {
        let family =
            Family::new(format!("body/{name}/{t}"), 2, 6, move |k| format!("{} {}", text(k), derived(t, "")));
        family.growing(Growth::Rank)
    };
    let mut all = vec![
        family("nested_sums", |k| {
            let (sums, at) =
                (join(k, " ", |i| format!("sum i{i} in 0..n{i} {{")), join(k, ", ", |i| format!("i{i}")));
            let sizes = join(k, ", ", |i| format!("n{i}"));
            format!("fn f<{sizes}>(x: [f64; {sizes}]) -> f64 {{ {sums} x[{at}].sin() {} }}", "}".repeat(k))
        }),
        family("triangle", |k| {
            let (inner, at) =
                (join(k - 1, "", |i| numbered(", i$j in 0..=i$i", i)), join(k, ", ", |i| format!("i{i}")));
            let extents = join(k, ", ", |_| "n".to_string());
            format!("fn f<n>(x: [f64; {extents}]) -> f64 {{ sum i0 in 0..n{inner} {{ x[{at}].sin() }} }}")
        }),
    ];
    // Of a function to a number only.
    if t != "hessian" && t != "hvp" {
        all.push(family("rank", |k| {
            let (sizes, at) = (join(k, ", ", |i| format!("n{i}")), join(k, ", ", |i| format!("i{i}")));
            format!("fn f<{sizes}>(x: [f64; {sizes}], y: [f64; {sizes}]) -> [f64; {sizes}] {{ for {at} {{ x[{at}] * y[{at}].sin() }} }}")
        }));
    }
    all
}
