//! Whether random programs reach each branch of the passes.

use tensor_core::mark;
use tensor_judge::check::{self, Case};
use tensor_judge::run::mistakes;
use tensor_judge::{kept, layers, mutate, second, series, stages};

/// The seeds of programs with their first derivatives.
const FIRST: u64 = 300;

/// Those of programs with all derivatives.
const ALL: u64 = 60;

/// Those of stages and of layers, whose loops are fused and tiled, of series, and of long bodies.
const TILED: u64 = 30;

/// What reaches the branches that hardly any random program reaches, beside the programs that are kept.
const RARE: [&str; 4] = [
    // Columns are read by rows of eight.
    "fn f<n, m>(a: [f64; m, n], b: [f64; n, m]) -> [f64; n, m] { for i, j { a[j, i] + b[i, j] } }",
    // Inside lanes, a short loop gives bounds to one in it.
    "fn f<n>(x: [f64; 3, n]) -> [f64; n] { for i { sum a in 0..3 { sum b in 0..=a { x[a, i] * x[b, i] } } } }",
    // Blocks on the diagonal of a Hessian.
    "fn f<n>(x: [f64; n, 3]) -> f64 { sum i in 0..n, j in 0..i { (0.01 + sum c in 0..3 { (x[i, c] - x[j, c]).powi(2) }).sqrt() } }",
    // A sum counts what it does not depend on, where there is one, or more.
    "fn f<n>(x: f64) -> f64 { x.sin() + sum i in 0..n { x } }",
];

/// What is wrong with these programs other tests tell.
#[test]
fn each_branch_is_reached() {
    let cases = |count: u64, case: fn(u64) -> Case| (0..count).map(case).collect::<Vec<Case>>();
    let _ = mistakes(&cases(FIRST, Case::wide), check::judge);
    let _ = mistakes(&cases(ALL, Case::wide), second::judge);
    for case in [stages::case, layers::case, series::case, Case::bodies] {
        let _ = mistakes(&cases(TILED, case), check::judge);
    }
    // Compiled, at no sizes.
    let of_people = mutate::bases().expect("readable").into_iter().map(|b| (b.source, b.name));
    let rare = RARE.map(|source| (source.to_string(), "f".to_string()));
    let kept = kept::programs().into_iter().map(|(_, source)| (source, "f".to_string()));
    let compiled = |(source, name)| Case { source, name, sizes: vec![], seed: 0 };
    let of_people: Vec<Case> = of_people.map(compiled).collect();
    let rare: Vec<Case> = kept.chain(rare).map(compiled).collect();
    let _ = mistakes(&of_people, check::judge);
    let _ = mistakes(&rare, check::judge);
    let _ = mistakes(&rare, second::judge);
    let missing: Vec<_> = mark::ALL.iter().filter(|m| mark::count(**m) == 0).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
