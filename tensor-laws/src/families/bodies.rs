//! One sum with a body that grows, and literals.

use super::Family;
use super::text::{TRANSFORMS, derived, join, lets, numbered};

pub(super) fn all() -> Vec<Family> {
    TRANSFORMS.into_iter().flat_map(of).collect()
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
