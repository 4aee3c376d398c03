//! Functions that call functions, and derivatives of derivatives.

use super::text::{TRANSFORMS, around, derived, lets};
use super::{Family, Growth};

pub(super) fn all() -> Vec<Family> {
    let mut out = vec![];
    for t in TRANSFORMS {
        out.push(Family::new(format!("calls/rk4/{t}"), 4, 4096, move |k| {
            let steps = lets(k, "let (x$j, v$j) = step(x$i, v$i, h);", "x$k");
            format!("{RK4} fn f(x0: f64, v0: f64, h: f64) -> f64 {{ {steps} }} {}", derived(t, ", x0, h"))
        }));
        out.push(Family::new(format!("calls/tensor/{t}"), 8, 2048, move |k| {
            let step =
                "fn step<n>(x: [f64; n], h: f64) -> [f64; n] { for i in 0..n { x[i] + h * x[i].sin() } }";
            let steps = lets(k, "let x$j = step(x$i, h);", "sum i { x$k[i] }");
            format!("{step} fn f<n>(x0: [f64; n], h: f64) -> f64 {{ {steps} }} {}", derived(t, ", x0"))
        }));
        out.push(Family::new(format!("calls/depth/{t}"), 16, 1024, move |k| {
            let all = lets(k, "fn f$j(x: f64) -> f64 { f$i(x * 0.5) + x }", "");
            format!(
                "fn f0(x: f64) -> f64 {{ x.sin() }} {all} fn f(x: f64) -> f64 {{ f{k}(x) }} {}",
                derived(t, "")
            )
        }));
    }
    for t in TRANSFORMS {
        // Each calls the one before it twice.
        let tree = Family::new(format!("calls/tree/{t}"), 5, 14, move |k| {
            let all = lets(k, "fn f$j(x: f64) -> f64 { f$i(x * 0.5) + f$i(x * 0.25 + 1.0) }", "");
            let f = format!("fn f(x: f64) -> f64 {{ f{k}(x) }}");
            format!("fn f0(x: f64) -> f64 {{ x.sin() }} {all} {f} {}", derived(t, ""))
        });
        out.push(tree.growing(Growth::Power));
    }
    out.extend(higher());
    out
}

/// Derivatives of derivatives.
fn higher() -> Vec<Family> {
    let grad = Family::new("higher/grad", 2, 8, |k| {
        let all = lets(k, "fn f$j = grad(f$i);", "");
        format!("fn f0(x: f64) -> f64 {{ (x.sin() * x).exp() }} {all}")
    });
    let grad_in_place = Family::new("higher/grad_in_place", 2, 8, |k| {
        format!("fn f(x: f64) -> f64 {{ (x.sin() * x).exp() }} fn g = {};", around(k, "grad(", "f", ")"))
    });
    let in_place = Family::new("higher/jvp_in_place", 2, 24, |k| {
        format!(
            "fn f<n>(x: [f64; n]) -> f64 {{ sum i {{ x[i].sin() }} }} fn g = {};",
            around(k, "jvp(", "f", ")")
        )
    });
    let tensor = |name: &str, from, growth, each: &'static str| {
        let text = move |k| {
            format!("fn f0<n>(x: [f64; n]) -> f64 {{ sum i {{ x[i].sin() * x[i] }} }} {}", lets(k, each, ""))
        };
        Family::new(format!("higher/{name}"), from, 8, text).growing(growth)
    };
    vec![
        grad.growing(Growth::Power),
        grad_in_place.growing(Growth::Power),
        in_place.growing(Growth::Partitions),
        tensor("jacobian_tensor", 1, Growth::Question, "fn f$j = jacobian(f$i);"),
        tensor("jvp_tensor", 2, Growth::Power, "fn f$j = jvp(f$i, x);"),
        tensor("vjp_tensor", 2, Growth::Power, "fn f$j = vjp(f$i, x);"),
    ]
}

const RK4: &str = "fn a(x: f64) -> f64 { -x.sin() }
fn step(x: f64, v: f64, h: f64) -> (f64, f64) {
    let k1 = a(x);
    let x2 = x + 0.5 * h * v;
    let v2 = v + 0.5 * h * k1;
    let k2 = a(x2);
    let x3 = x + 0.5 * h * v2;
    let v3 = v + 0.5 * h * k2;
    let k3 = a(x3);
    let x4 = x + h * v3;
    let v4 = v + h * k3;
    let k4 = a(x4);
    (x + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
}";
