//! Programs printed back, rewritten, changed, and made small.

use std::collections::BTreeMap;
use std::time::Duration;
use tensor_judge::check::Case;
use tensor_judge::deep::fault;
use tensor_judge::reduce::{kind, reduced};
use tensor_judge::rewrite::{self, RULES};
use tensor_judge::syntax::{accepted, print, read};
use tensor_judge::{corpus, deep, judged, run};

/// What is printed is read as the same tree, and the compiler takes it as it takes what was written.
#[test]
fn printed_programs_are_the_same() {
    let random = (0..100).map(|seed| Case::wide(seed).source);
    let mut count = 0;
    for source in corpus::programs().expect("readable").into_iter().chain(random) {
        let Some(block) = read(&source) else { continue };
        let text = print::block(&block);
        let again = read(&text).unwrap_or_else(|| panic!("{source}\nis printed as\n{text}"));
        assert_eq!(print::block(&again), text, "{source}");
        if count % 8 == 0 && accepted(&source) {
            assert!(accepted(&text), "{source}\nis printed as\n{text}");
        }
        count += 1;
    }
    assert!(count > 500, "{count} programs");
}

/// How many rewrites and changes a run of the tests judges.
fn count(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Programs to which the rules apply.
const REWRITTEN: [&str; 8] = [
    // Guards and conditions.
    "fn f<n>(x: [f64; n], y: [f64; n]) -> f64 {
        sum i in 0..n if i >= 1 && y[i] > 0.5 || i % 3 == 1 { -x[i] * [i + 1 < n || y[i] < 0.1] * y[i] }
            + max i in 0..n if 0 <= i - 1 < n { if i == 2 && x[i] >= 0.2 { x[i - 1].powi(2) } else { y[i].max(x[i]) } }
    }",
    // Residues.
    "fn f<n>(x: [f64; n]) -> [f64; n] { for i in 0..n if i % 2 != 1 { [(i + 1) % 3 == 0] * x[i] + x[n - 1 - i] / (2.0 + x[i].cos()) } }",
    // Ranges of several loops.
    "fn f<n, m>(x: [f64; n, m], y: [f64; m]) -> f64 {
        let v = for i { sum j in 0..=i if j < m { x[i, j] - 0.5 * y[j] } };
        sum i in 0..n, j in 0..m if j <= i { (x[i, j] * (y[j] + v[i])).sin() }
            + max i in 0..n, j in 0..m { x[i, j].exp() } + logsumexp i in 0..n { v[i] } + min i in 0..3 { 0.1 * (i as f64) }
    }",
    // Tensors.
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> [f64; n, m] {
        let u = for i in 0..n, j in 0..m { x[i] * y[j] };
        let v = for i in 0..n { for j in 0..m { u[i, j].sin() } };
        let w = for i in 1..n + 1 { x[i - 1] * x[n - i] };
        for i in 0..n, j in 0..m { v[i, j] + w[i] }
    }",
    // Tensors of one index.
    "fn f<n>(x: [f64; n]) -> [f64; n] { let w = for i in 1..n + 1 { x[i - 1].tanh() }; for i in 0..n { w[i] * w[n - 1 - i] + 0.5 } }",
    // Sums of sums, and calls.
    "fn norm<k>(v: [f64; k]) -> f64 { (1.0 + sum i { v[i] * v[i] }).sqrt() }
     fn f<n>(x: [f64; n], c: f64) -> f64 { norm(x) * (sum i in 0..n { sum j in 0..n if j != i { c * x[i] * (x[j] - c) } }) }",
    // Places of extremes.
    "fn f<n>(x: [f64; n], y: [f64; n]) -> f64 { let k = argmax i in 0..n if y[i] > 0.3 { x[i] }; if k >= 0 { x[k] * y[k] } else { 0.25 } }",
    // Conditions on sizes in sums.
    "fn f<n, m>(x: [f64; n], y: [f64; m]) -> f64 { sum i in 0..n if n < m && x[i] > 0.4 { [m >= 2] * x[i] * x[i] } + sum j { y[j] } + [n > 1 || m > 1] * (sum j { y[j] }) }",
];

/// Each rule applies somewhere, and does not matter there; at sizes of 0, too.
#[test]
fn rules_do_not_matter() {
    let sizes: Vec<Vec<i64>> = vec![vec![0, 0], vec![1, 3], vec![3, 2], vec![5, 4]];
    let of = |k: u64| usize::try_from(k).ok().and_then(|k| REWRITTEN.get(k)).copied();
    let found = run::all(0..REWRITTEN.len() as u64, |k| {
        let source = of(k)?;
        let block = read(source).unwrap_or_else(|| panic!("{source}"));
        let count = block.items.iter().map(|i| i.name().to_string()).filter(|n| n == "f").count();
        assert!(count == 1 && accepted(source), "{source}");
        let sizes = sizes.iter().map(|s| s[..1 + usize::from(source.contains("<n, m>"))].to_vec()).collect();
        let case = Case { source: source.into(), name: "f".into(), sizes, seed: 7 };
        Some(RULES.iter().map(|r| (r.name, rewrite::judge(&case, *r, None))).collect::<Vec<_>>())
    });
    let mut applied: BTreeMap<&str, usize> = RULES.iter().map(|r| (r.name, 0)).collect();
    for (rule, outcome) in found.into_iter().flatten() {
        let count = outcome.unwrap_or_else(|e| panic!("{rule}: {e}"));
        *applied.entry(rule).or_default() += count;
    }
    let never: Vec<_> = applied.iter().filter(|(_, n)| **n == 0).collect();
    assert!(never.is_empty(), "never applied: {never:?}\n{applied:?}");
}

/// None of so many programs has a fault, and nearly all are judged somewhere.
fn none_is_wrong(count: u64, program: fn(u64, usize) -> Option<deep::Program>) {
    let judge = |seed| {
        let before = judged::count();
        let fault = program(seed, 2).and_then(fault);
        let wrong =
            fault.map(|f| format!("{seed}: {}\nsizes {:?}\n{}", f.message, f.case.sizes, f.case.source));
        Some((wrong, judged::count() > before))
    };
    let all = run::all(0..count, judge);
    let wrong: Vec<&str> = all.iter().filter_map(|(wrong, _)| wrong.as_deref()).collect();
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n\n"));
    let judged = all.iter().filter(|(_, judged)| *judged).count() as u64;
    assert!(10 * judged >= 9 * count, "of {count} programs {judged} are judged");
}

/// Each rewritten program agrees with what it was made of.
#[test]
fn rewrites_do_not_matter() {
    none_is_wrong(count("REWRITES", 100), deep::rewritten);
}

/// What people wrote, with small changes, through all passes.
#[test]
fn changed_programs() {
    none_is_wrong(count("CHANGES", 60), deep::changed);
}

/// A judge that cannot bear a logarithm under a sum of more than one term.
fn no_logarithm(case: &Case) -> Result<(), String> {
    if !accepted(&case.source) {
        return Err("rejected".into());
    }
    let text = case.source.split_once("sum").map_or("", |(_, rest)| rest);
    let found = text.contains("].ln()") && case.sizes[0].first().is_some_and(|n| *n > 1);
    if found { Err(format!("logarithm 12 at {:?}", case.sizes)) } else { Ok(()) }
}

/// Of what fails, only what makes it fail is left.
#[test]
fn failing_programs_become_small() {
    let source = "
        fn h(a: f64, b: f64) -> f64 { let c = a * b; c.sin() + 0.5 * a }
        fn f<n, m>(x: [f64; n], y: [f64; m], w: [f64; n, m]) -> ([f64; n], f64) where n >= 1, m >= 1 {
            let s = for i in 0..n if i % 2 == 0 { h(x[i], 2.0) };
            let t = sum i in 0..n, j in 0..m if j <= i && x[i] > 0.5 { w[i, j] * (1.5 + y[j].ln()) + s[i] };
            (for i in 0..n { if i + 1 < n { s[i + 1] } else { t } }, t * t)
        }";
    let case = Case { source: source.into(), name: "f".into(), sizes: vec![vec![4, 3]], seed: 1 };
    let small = reduced(&case, &no_logarithm, Duration::from_secs(60));
    assert_eq!(small.source, "fn f<n>(y: [f64; n]) -> f64 { sum j in 0..n { y[j].ln() } }\n");
    assert_eq!(small.sizes, [[2]]);
    assert_eq!(kind("jvp: value: leaf 0 element 3 is 1.5 for 2"), "jvp: value: leaf element is for");
}
