//! That the middle end runs once: what simplification looks at is counted.

use super::lower;
use crate::error::Errors;
use crate::parse::{self, Input};
use crate::sorted::Set;
use crate::tally::{self, Tally};
use crate::{compile, front};
use proc_macro2::TokenStream;

fn visits<T>(run: impl FnOnce() -> T) -> u64 {
    let before = tally::count(Tally::Visits);
    run();
    tally::count(Tally::Visits) - before
}

/// What [`lower`] alone looks at.
fn lowering(source: &str) -> u64 {
    let tokens: TokenStream = source.parse().expect("tokens");
    let mut errors = Errors::default();
    let Some(Input::Block(block)) = parse::parse(tokens, &mut errors) else { panic!("{errors:?}") };
    let block = front(&block, &mut errors);
    let of_lower = visits(|| assert!(lower(&block, &Set::new(), &mut errors).iter().all(Option::is_some)));
    assert!(errors.is_empty(), "{errors:?}");
    of_lower
}

/// What the whole compiler looks at.
fn compiling(source: &str) -> u64 {
    visits(|| {
        let out = compile(source.parse().expect("tokens")).to_string();
        assert!(!out.contains("compile_error"), "{out}");
    })
}

/// A function, one that a check looks at, and derivatives.
const ALL: [&str; 6] = [
    "fn f<n>(x: [f64; n], a: [f64; n, n]) -> f64 { logsumexp i { x[i] * sum j { a[i, j] * x[j].sin() } } }
     fn f_grad = grad(f, x); fn f_hvp = hvp(f, x); fn f_hessian = hessian(f, x);",
    "fn f<n>(x: [f64; n]) -> [f64; n] { for i { x[i].exp() * sum j { x[j] } } }
     fn f_lin = linearize(f, x); fn f_jvp = jvp(f, x);",
    "fn f<n>(x: [f64; n], c: [f64; n]) -> [f64; n] { for i { c[i].exp() * sum j if j <= i { x[j] } } }
     fn f_t = transpose(f, x);",
    "extern fn logistic(x: f64) -> f64 { x: logistic(x) * (1.0 - logistic(x)) }
     fn f<n>(x: [f64; n]) -> f64 { sum i { logistic(x[i]) * logistic(x[i]) } }
     fn f_grad = grad(f, x);",
    "fn f<n>(x: [f64; n]) -> f64 { let g = grad(sum i { x[i].powi(3) }, x); (sum i { g[i] * x[i] }).ln() }
     fn f_grad_grad = hvp(f, x);",
    "fn f<n>(x: [f64; n]) -> f64 { sum i { x[i] * x[i] } } fn f_jvp = jvp(grad(f, x), x);",
];

/// Of what has a call of a Rust function over tensors in a step, or calls what has one, no derivative is taken: each says so once.
#[test]
fn calls_in_steps() {
    let source = "extern fn g<n>(x: [f64; n]) -> [f64; n] { vjp = g_vjp }
        fn f<n>(x: [f64; n]) -> f64 { let y = fold t in 0..3 from s = x { g(s) }; sum i { y[i] } }
        fn h<n>(x: [f64; n]) -> f64 { f(x) + sum i { g(x)[i] } }
        fn dh = grad(h, x); fn l<n>(x: [f64; n]) -> f64 { sum i { g(x)[i] } * prod i { x[i] } } fn dl = grad(l);
        fn k<n>(x: [f64; n]) -> f64 { let y = for i { x[i] * x[i] }; let e = grad(f(y), y); sum i { e[i] } }";
    let errors = crate::analyze(source.parse().expect("tokens")).expect_err("calls in steps");
    let places = errors.0.iter().map(|e| (e.span.start.start().line, e.span.start.start().column + 1));
    assert_eq!(places.collect::<Vec<_>>(), [(4, 12), (5, 78)]);
    assert!(errors.0.iter().all(|e| e.message == super::NOT_DIFFERENTIATED));
}

/// Neither checks nor emission simplify, and nothing is lowered for them again.
#[test]
fn nothing_is_simplified_outside() {
    for source in ALL {
        let of_lower = lowering(source);
        assert!(of_lower > 0);
        assert_eq!(compiling(source), of_lower, "{source}");
    }
}

/// Second derivatives of a block share the gradient that they are taken of, and the gradient that the block asks for.
#[test]
fn each_derivative_is_taken_once() {
    let f = "fn f<n>(x: [f64; n]) -> f64 { sum i { x[i].sin() * x[i] * sum j { x[j].exp() } } }";
    let [none, grad, hvp, hessian, jvp, all, twice] = [
        "",
        "fn g = grad(f, x);",
        "fn h = hvp(f, x);",
        "fn i = hessian(f, x);",
        "fn j = jvp(f, x);",
        "fn h = hvp(f, x); fn i = hessian(f, x); fn g = grad(f, x);",
        "fn j = jvp(f, x); fn k = jvp(f, x);",
    ]
    .map(|items| lowering(&format!("{f} {items}")));
    assert!(none < grad && grad < hvp && grad < hessian);
    assert_eq!(all, hvp + hessian - grad);
    assert_eq!(twice, jvp);
}
