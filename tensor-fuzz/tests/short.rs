//! A short run, and the inputs that are kept.

use std::collections::BTreeSet;
use tensor_fuzz::corpus::{corpus, failed_inputs, kept_inputs};
use tensor_fuzz::judge::{Verdict, judge, listen};
use tensor_fuzz::run::{on_stack, shape};
use tensor_fuzz::shrink::shrink_to;
use tensor_fuzz::tree::Tree;

/// How many inputs; `FUZZ_INPUTS` and `FUZZ_SEED` choose others.
const INPUTS: u64 = 3_000;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn inputs_are_answered() {
    let (wrong, compiled, messages) = on_stack(|| {
        listen();
        let corpus = corpus().expect("readable");
        let (mut wrong, mut compiled, mut messages) = (vec![], 0, BTreeSet::new());
        for k in 0..number("FUZZ_INPUTS", INPUTS) {
            let tokens = tensor_fuzz::input(&corpus, number("FUZZ_SEED", 3), k).tokens();
            match judge(&tokens) {
                Verdict::Compiles => compiled += 1,
                Verdict::Mistake(message) => {
                    messages.insert(shape(&message));
                }
                failure @ (Verdict::Panics(_) | Verdict::Gap(_) | Verdict::Slow(_)) => {
                    wrong.push(format!("input {k}: {failure:?}\n{tokens}"));
                }
            }
        }
        (wrong, compiled, messages.len())
    })
    .expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // The run is worth its time only if it gets past the parser, and to many of its errors.
    assert!(compiled > 100 && messages > 80, "{compiled} compile, {messages} messages");
}

/// What once failed, and the shortest input for each error message.
#[test]
fn kept_inputs_are_answered() {
    let wrong = on_stack(|| {
        listen();
        let (failed, kept) = (failed_inputs().expect("readable"), kept_inputs().expect("readable"));
        assert!(!failed.is_empty() && kept.len() > 80, "{} failed, {} are kept", failed.len(), kept.len());
        let kept = kept.into_iter().map(|text| (text.clone(), text));
        let judged = failed.into_iter().chain(kept).map(|(name, text)| {
            let tree = Tree::parse(&text).expect("kept inputs are made of tokens");
            (name, judge(&tree.tokens()))
        });
        let wrong = judged.filter(|(_, verdict)| verdict.failure().is_some());
        wrong.map(|(name, verdict)| format!("{name}: {verdict:?}")).collect::<Vec<_>>()
    })
    .expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Deep and long inputs.
#[test]
fn towers_are_answered() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("fn f<n>(x: [f64; n], s: f64) -> f64 {{ {open}{inner}{close} }} fn g = vjp(f);")
    };
    let inputs = [
        nested("(", "s", ")", 3000),
        nested("-", "s", "", 3000),
        nested("sum i { x[i] * ", "s", "}", 400),
        nested("if s > 0.0 { s } else { ", "s", "}", 400),
        nested("{ let s = s * s; ", "s", "}", 400),
        nested("", "s", " + s", 5000),
        nested("", "s", ".sin()", 5000),
        nested("let s = s * s; ", "s", "", 120),
        nested("let (s, _) = (s, s); ", "s", "", 60),
    ];
    let wrong = on_stack(move || {
        listen();
        let judged = inputs.iter().map(|input| judge(&input.parse().expect("tokens")));
        judged.filter(|verdict| verdict.failure().is_some()).map(|v| format!("{v:?}")).collect::<Vec<_>>()
    })
    .expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_input_is_its_number() {
    let corpus = corpus().expect("readable");
    let text = |number| tensor_fuzz::input(&corpus, 1, number).tokens().to_string();
    assert_eq!(text(7), text(7));
    let different: BTreeSet<String> = (0..200).map(text).collect();
    assert!(different.len() > 190, "{}", different.len());
}

#[test]
fn shrinking_keeps_what_matters() {
    let tree = Tree::parse("fn f(a: f64) -> f64 { let b = 2 * (a + [1.0, c]); b } fn g(d: f64) -> f64 { d }")
        .expect("tokens");
    let has = |t: &Tree| {
        let mut leaves = vec![];
        t.leaves(&mut leaves);
        leaves.iter().any(|l| l.to_string() == "c")
    };
    assert!(has(&tree));
    assert_eq!(shrink_to(&tree, has).tokens().to_string(), "c");
}

#[test]
fn nodes_have_numbers() {
    let text = "a { b ( c ) } d";
    let mut tree = Tree::parse(text).expect("tokens");
    assert_eq!(tree.places(), 6);
    assert_eq!(
        tree.tokens().to_string(),
        text.parse::<proc_macro2::TokenStream>().expect("tokens").to_string()
    );
    let names: Vec<String> = (0..6)
        .map(|k| Tree(vec![tree.node(k).expect("a node").clone()]).tokens().to_string().replace(' ', ""))
        .collect();
    assert_eq!(names, ["a", "{b(c)}", "b", "(c)", "c", "d"]);
    let (list, k) = tree.list(4).expect("a list");
    assert_eq!((list.len(), k), (1, 0));
    assert!(tree.node(6).is_none() && tree.list(6).is_none());
}
