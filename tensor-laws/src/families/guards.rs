//! Conditions: many in one guard, and choices one after the other.

use super::text::{TRANSFORMS, derived, join, lets};
use super::{Family, Growth};

/// Choices of numbers, one after the other, each of the one before it.
const CHOICES: [(&str, &str); 4] = [
    ("clamps", "let t$j = (t$i * 1.5 - 0.25).max(0.0);"),
    ("masks", "let t$j = t$i + [t$i > $i.0] * t$i.sin();"),
    ("if_scalar", "let t$j = if t$i < $i.0 { t$i.sin() } else { t$i * 2.0 };"),
    ("functions_of_two", "let t$j = t$i.atan2(hypot(t$i, 0.5) + [t$i > 0.0] * t$i);"),
];

/// Conditions on an index, by number.
const CONDITIONS: [(&str, &str); 4] = [
    ("mod", "i % {} == 0"),
    ("div", "(i / {}) % 2 == 0"),
    ("not_equal", "i != {}"),
    ("range", "2*i + 1 <= n + {}"),
];

pub(super) fn all() -> Vec<Family> {
    TRANSFORMS
        .into_iter()
        .flat_map(|t| choices(t).into_iter().chain(in_sums(t)).chain(conditions(t)).chain(questions(t)))
        .collect()
}

fn choices(t: &'static str) -> Vec<Family> {
    let mut out = vec![];
    for (name, each) in CHOICES {
        out.push(Family::new(format!("guard/{name}/{t}"), 8, 1024, move |k| {
            format!("fn f(t0: f64) -> f64 {{ {} }} {}", lets(k, each, "t$k"), derived(t, ""))
        }));
    }
    for (name, condition) in [("index", "i < $i"), ("real", "t$i < $i.0")] {
        out.push(Family::new(format!("guard/if_lets/{name}/{t}"), 8, 1024, move |k| {
            let each = format!("let t$j = if {condition} {{ t$i.sin() }} else {{ t$i * 2.0 }};");
            let body = lets(k, &each, "t$k");
            format!(
                "fn f<n>(x: [f64; n]) -> f64 {{ sum i in 0..n {{ let t0 = x[i]; {body} }} }} {}",
                derived(t, "")
            )
        }));
    }
    out.push(Family::new(format!("guard/relu_layers/{t}"), 4, 256, move |k| {
        let layer = "let x$j = for i in 0..n { let s = sum j in 0..n { w[i, j] * x$i[j] }; if s > 0.0 { s } else { 0.1 * s } };";
        let body = lets(k, layer, "sum i { x$k[i] }");
        format!("fn f<n>(x0: [f64; n], w: [f64; n, n]) -> f64 {{ {body} }} {}", derived(t, ", x0"))
    }));
    out
}

/// `sum i in 0..n { body(k) }`
fn in_sum(name: &str, t: &'static str, (from, most): (usize, usize), body: fn(usize) -> String) -> Family {
    Family::new(format!("guard/{name}/{t}"), from, most, move |k| {
        format!("fn f<n>(x: [f64; n]) -> f64 {{ sum i in 0..n {} }} {}", body(k), derived(t, ""))
    })
}

fn in_sums(t: &'static str) -> Vec<Family> {
    vec![
        in_sum("else_if/index", t, (8, 64), |k| {
            format!(
                "{{ {} else {{ 0.0 }} }}",
                join(k, " else ", |j| format!("if i == {j} {{ x[i] * {j}.5 }}"))
            )
        }),
        in_sum("else_if/real", t, (8, 64), |k| {
            let all = join(k, " else ", |j| format!("if x[i] < {j}.0 {{ x[i] * {j}.5 }}"));
            format!("{{ {all} else {{ 0.0 }} }}")
        }),
        in_sum("nested_if", t, (4, 32), |k| {
            let open = join(k, "", |j| format!("if i % {} == 1 {{ x[i].sin() * ", j + 2));
            format!("{{ {open} x[i] {} }}", " } else { x[i] }".repeat(k))
        }),
        in_sum("brackets", t, (8, 128), |k| {
            format!("{{ {} * x[i].sin() }}", join(k, " * ", |j| format!("[i % {} == 1]", j + 2)))
        }),
        in_sum("sum_of_brackets", t, (8, 128), |k| {
            format!("{{ {} }}", join(k, " + ", |j| format!("[i % {} == 1] * x[i].sin()", j + 2)))
        }),
        in_sum("exists", t, (2, 10), |k| {
            let binders = join(k, ", ", |j| format!("k{j} in 0..n"));
            let sum = join(k, " + ", |j| format!("{}*k{j}", 2 * j + 3));
            format!("if exists {binders} {{ i == {sum} }} {{ x[i].sin() }}")
        }),
    ]
}

fn conditions(t: &'static str) -> Vec<Family> {
    let mut out = vec![];
    for (name, each) in CONDITIONS {
        for (op, with) in [("and", " && "), ("or", " || ")] {
            out.push(Family::new(format!("guard/{op}/{name}/{t}"), 8, 128, move |k| {
                let all = join(k, with, |i| each.replace("{}", &(i + 2).to_string()));
                let body = format!("sum i in 0..n if {all} {{ x[i].sin() }}");
                format!("fn f<n>(x: [f64; n]) -> f64 {{ {body} }} {}", derived(t, ""))
            }));
        }
    }
    out.push(Family::new(format!("guard/scalars/{t}"), 8, 128, move |k| {
        let all = join(k, " && ", |i| format!("y > {i}.0"));
        format!("fn f(y: f64) -> f64 {{ if {all} {{ y.sin() }} else {{ 0.0 }} }} {}", derived(t, ""))
    }));
    for (name, negated) in [("not_or", true), ("or_and", false)] {
        out.push(Family::new(format!("guard/{name}/{t}"), 16, 128, move |k| {
            let (with, inside, not) = if negated { (" || ", "&&", "!") } else { (" && ", "||", "") };
            let all = join(k, with, |j| format!("(i + {j} < {}*j {inside} {}*i < n)", j + 2, j + 3));
            let body = format!("sum i in 0..n, j in 0..n if {not}({all}) {{ x[i, j].sin() }}");
            format!("fn f<n>(x: [f64; n, n]) -> f64 {{ {body} }} {}", derived(t, ""))
        }));
    }
    out
}

/// What the solver is asked grows with k in each question.
fn questions(t: &'static str) -> Vec<Family> {
    let mut questions = vec![];
    questions.push(Family::new(format!("guard/places/{t}"), 4, 64, move |k| {
        let all = lets(k, "let k$j = argmax j in k$i..m { y[j] };", "");
        let sum = join(k, " + ", |i| format!("[k{0} >= 1] * y[k{0}]", i + 1));
        let first = "let k0 = argmax j in 0..m { y[j] };";
        format!("fn f<m>(y: [f64; m]) -> f64 {{ {first} {all} {sum} + y[k{k}] }} {}", derived(t, ""))
    }));
    questions.push(Family::new(format!("guard/indices/{t}"), 1, 6, move |k| {
        let (binders, at) = (join(k, ", ", |j| format!("i{j} in 0..n")), join(k, ", ", |j| format!("i{j}")));
        let all = join(k, " && ", |j| format!("{}*i{j} + {}*i{} <= n + {j}", j + 2, j + 5, (j + 1) % k));
        let last = join(k, " + ", |j| format!("{}*i{j}", 2 * j + 1));
        let extents = join(k, ", ", |_| "n".to_string());
        let sum = format!("sum {binders} if {all} && {last} <= 2*n {{ x[{at}].sin() }}");
        format!("fn f<n>(x: [f64; {extents}]) -> f64 {{ {sum} }} {}", derived(t, ""))
    }));
    questions.push(Family::new(format!("guard/sizes/{t}"), 4, 16, move |k| {
        let (sizes, extent) =
            (join(k, ", ", |j| format!("n{j}")), join(k, " + ", |j| format!("{}*n{j}", j + 1)));
        let others = join(k, ", ", |j| format!("y{j}: [f64; n{j}]"));
        let all = join(k, " && ", |j| format!("{}*i <= n{j} + {}*n{}", j + 2, j + 3, (j + 1) % k));
        let sum = format!("sum i in 0..{extent} if {all} {{ x[i].sin() }}");
        format!("fn f<{sizes}>(x: [f64; {extent}], {others}) -> f64 {{ {sum} }} {}", derived(t, ", x"))
    }));
    for (name, first, from) in [("large", 999_983, 4), ("strided", 2, 1)] {
        questions.push(Family::new(format!("index/{name}/{t}"), from, 8, move |k| {
            let factor = |j: usize| first + j * if first > 2 { 20 } else { 1 };
            let sum =
                |of: &str| join(k, " + ", |j| format!("{}*{}", factor(j), of.replace('$', &j.to_string())));
            let binders = join(k, ", ", |j| format!("i{j} in 0..n"));
            let body = format!("sum {binders} {{ x[{}].sin() * y[i0] }}", sum("i$"));
            format!("fn f<n>(x: [f64; {}], y: [f64; n]) -> f64 {{ {body} }} {}", sum("n"), derived(t, ", x"))
        }));
    }
    questions.into_iter().map(|f: Family| f.growing(Growth::Question)).collect()
}
