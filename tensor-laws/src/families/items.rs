//! Functions, parameters, sizes, tuples.

use super::text::{TRANSFORMS, derived, join, lets};
use super::{Family, Growth};

pub(super) fn all() -> Vec<Family> {
    let mut out: Vec<Family> = TRANSFORMS.into_iter().flat_map(of).collect();
    // By each of its parameters, which are k names: an array for each.
    out.push(Family::new("items/parameters/jacobian", 8, 512, |k| {
        let params = join(k, ", ", |i| format!("x{i}: f64"));
        let body = lets(k, "let t$j = t$i + (x$i * y[i]).sin();", "t$k");
        format!("fn f<n>({params}, y: [f64; n]) -> [f64; n] {{ for i {{ let t0 = 0.0; {body} }} }} fn g = jacobian(f);")
    }));
    out.push(Family::new("items/where", 64, 65536, |k| {
        format!("fn f<m>(t: [f64; m]) -> f64 where {} {{ 0.0 }}", join(k, ", ", |j| format!("m >= {j}")))
    }));
    out
}

fn of(t: &'static str) -> Vec<Family> {
    let (from, growth) = if t == "hessian" { (12, Growth::Square) } else { (8, Growth::Linear) };
    let family = |name: &str, text: fn(usize) -> String| {
        let program = move |k| format!("{} {}", text(k), derived(t, ""));
        Family::new(format!("items/{name}/{t}"), from, 512, program).growing(growth)
    };
    let functions = Family::new(format!("items/functions/{t}"), 4, 512, move |k| {
        let one = "if i + 1 < n { (x[i + 1] - x[i] - $.5).powi(2) }";
        join(k, "\n", |i| {
            let body = one.replace('$', &i.to_string());
            let derived =
                derived(t, "").replace("fn g", &format!("fn g{i}")).replace("(f", &format!("(f{i}"));
            format!("fn f{i}<n>(x: [f64; n]) -> f64 {{ sum i in 0..n {body} }} {derived}")
        })
    });
    vec![
        functions,
        family("parameters", |k| {
            let params = join(k, ", ", |i| format!("x{i}: f64"));
            format!(
                "fn f({params}) -> f64 {{ let t0 = 0.0; {} }}",
                lets(k, "let t$j = t$i + x$i.sin();", "t$k")
            )
        }),
        family("tensors", |k| {
            let params = join(k, ", ", |i| format!("x{i}: [f64; n]"));
            let body = lets(k, "let t$j = t$i + sum i { x$i[i].sin() };", "t$k");
            format!("fn f<n>({params}) -> f64 {{ let t0 = 0.0; {body} }}")
        }),
        family("sizes", |k| {
            let sizes = join(k, ", ", |i| format!("n{i}"));
            let params = join(k, ", ", |i| format!("x{i}: [f64; n{i}]"));
            let body = lets(k, "let t$j = t$i + sum i { x$i[i].sin() };", "t$k");
            format!("fn f<{sizes}>({params}) -> f64 {{ let t0 = 0.0; {body} }}")
        }),
        family("tuple", |k| {
            let ty = join(k, ", ", |_| "f64".to_string());
            let body = lets(k, "let t$j = t$i + p.$i.sin();", "t$k");
            format!("fn f(p: ({ty})) -> f64 {{ let t0 = 0.0; {body} }}")
        }),
    ]
}
