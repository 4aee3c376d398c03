//! State that evolves: many states, many recurrences, recurrences in each other.

use super::text::{TRANSFORMS, derived, join, lets};
use super::{Family, Growth};

pub(super) fn all() -> Vec<Family> {
    let mut out = vec![];
    for t in TRANSFORMS {
        // Each state reads its neighbour.
        out.push(Family::new(format!("recurrences/states/{t}"), 4, 256, move |k| {
            let names = join(k, ", ", |j| format!("s{j}"));
            let first = join(k, ", ", |j| format!("a * {j}.0"));
            let next = join(k, ", ", |j| format!("0.5 * s{j} + (s{} * x[t]).sin()", (j + 1) % k));
            let sum = join(k, " + ", |j| format!("s{j}"));
            format!(
                "fn f<n>(x: [f64; n], a: f64) -> f64 {{ let ({names}) = fold t in 0..n from ({names}) = ({first}) {{ ({next}) }}; {sum} }} {}",
                derived(t, ", x, a")
            )
        }));
        out.push(Family::new(format!("recurrences/row/{t}"), 4, 256, move |k| {
            let all = lets(
                k,
                "let y$j = scan t in 0..n from s = 0.0 { 0.5 * s + y$i[t].sin() };",
                "sum t { y$k[t] }",
            );
            format!("fn f<n>(y0: [f64; n]) -> f64 {{ {all} }} {}", derived(t, ", y0"))
        }));
        // Statements in a step.
        out.push(Family::new(format!("recurrences/step/{t}"), 4, 512, move |k| {
            let all = lets(k, "let z$j = (z$i * x[t]).sin() + s;", "0.5 * z$k");
            format!(
                "fn f<n>(x: [f64; n]) -> f64 {{ fold t in 0..n from s = 1.0 {{ let z0 = s; {all} }} }} {}",
                derived(t, ", x")
            )
        }));
        // Each but the first is a sum.
        out.push(Family::new(format!("recurrences/sums/{t}"), 8, 256, move |k| {
            let names = join(k, ", ", |j| format!("s{j}"));
            let first = join(k, ", ", |j| format!("{j}.0"));
            let next = join(k, ", ", |j| format!("s{j} + x[t] * (z * {j}.5).sin()"));
            let sum = join(k, " + ", |j| format!("s{j}"));
            format!(
                "fn f<n>(x: [f64; n]) -> f64 {{ let (z, {names}) = fold t in 0..n from (z, {names}) = (0.5, {first}) {{ (0.5 * z + x[t], {next}) }}; z + {sum} }} {}",
                derived(t, ", x")
            )
        }));
        out.push(Family::new(format!("recurrences/checkpoints/{t}"), 4, 128, move |k| {
            let names = join(k, ", ", |j| format!("s{j}"));
            let first = join(k, ", ", |j| format!("a * {j}.0"));
            let next = join(k, ", ", |j| format!("0.5 * s{j} + (s{} * x[t]).sin()", (j + 1) % k));
            let sum = join(k, " + ", |j| format!("s{j}"));
            format!(
                "fn f<n>(x: [f64; n], a: f64) -> f64 {{ let ({names}) = #[checkpoint(sqrt)] fold t in 0..n from ({names}) = ({first}) {{ ({next}) }}; {sum} }} {}",
                derived(t, ", x, a")
            )
        }));
        // Layers of a recurrent network: a matmul in each step of what comes in, one of the state.
        out.push(Family::new(format!("recurrences/layers/{t}"), 2, 64, move |k| {
            let names = join(k, ", ", |j| format!("s{j}"));
            let first = join(k, ", ", |_| "for i in 0..m { 0.0 }".into());
            let layer = |j: usize| {
                format!(
                    "for i {{ (sum j {{ w[{j}, i, j] * x[t, j] }} + sum j {{ u[{j}, i, j] * s{}[j] }}).tanh() }}",
                    (j + 1) % k
                )
            };
            let next = join(k, ", ", layer);
            let sum = join(k, " + ", |j| format!("s{j}[i]"));
            format!(
                "fn f<n, m>(x: [f64; n, m], w: [f64; {k}, m, m], u: [f64; {k}, m, m]) -> f64 {{ let ({names}) = fold t in 0..n from ({names}) = ({first}) {{ ({next}) }}; sum i {{ {sum} }} }} {}",
                derived(t, ", x")
            )
        }));
        // One after the other, of each of many series.
        out.push(Family::new(format!("recurrences/series/{t}"), 4, 256, move |k| {
            let all = lets(
                k,
                "let y$j = for i { scan t in 0..n from s = 0.0 { 0.5 * s + y$i[i, t].sin() } };",
                "sum i, t { y$k[i, t] }",
            );
            format!("fn f<n, m>(y0: [f64; m, n]) -> f64 {{ {all} }} {}", derived(t, ", y0"))
        }));
        // Each step of one is all steps of another: the times of k are asked about.
        let nested = Family::new(format!("recurrences/nested/{t}"), 2, 12, move |k| {
            let open = join(k, " ", |j| format!("fold t{j} in 0..3 from s{} = s{j} {{", j + 1));
            let close = "}".repeat(k);
            format!("fn f(s0: f64) -> f64 {{ {open} 0.5 * s{k} + s{k}.sin() {close} }} {}", derived(t, ""))
        });
        out.push(nested.growing(Growth::Question));
    }
    // Hessians of so many states ask the solver for more than twice as much, side by side or not.
    for t in TRANSFORMS.into_iter().filter(|t| *t != "hessian") {
        // Many systems side by side, each of k states: from some k on in blocks, step by step.
        out.push(Family::new(format!("recurrences/batch/{t}"), 16, 512, move |k| {
            let names = join(k, ", ", |j| format!("s{j}"));
            let first = join(k, ", ", |j| format!("x[i] * {j}.5"));
            let next = join(k, ", ", |j| format!("s{j} + h[t] * s{} * (s{j} - a)", (j + 1) % k));
            let sum = lets(k, "let q$j = q$i + s$i;", "q$k");
            format!(
                "fn f<n, m>(x: [f64; m], h: [f64; n], a: f64) -> f64 {{ sum i {{ let ({names}) = fold t in 0..n from ({names}) = ({first}) {{ ({next}) }}; let q0 = 0.0; {sum} }} }} {}",
                derived(t, ", x, a")
            )
        }));
    }
    out
}
