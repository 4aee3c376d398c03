//! The seeds of a run of the tests, and the programs that are kept.

use tensor_judge::check::{self, Case};
use tensor_judge::run::{Judge, mistakes};
use tensor_judge::{kept, layers, mutate, second, stages};

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 2000;

/// Those of second derivatives, which take longer.
const TWICE: u64 = 300;

/// Those in stages.
const STAGES: u64 = 300;

/// Those of matrices.
const LAYERS: u64 = 300;

fn all(count: u64, case: fn(u64) -> Case, judge: Judge) {
    let cases: Vec<Case> = (0..count).map(case).collect();
    report(&mistakes(&cases, judge));
}

fn report(mistakes: &[String]) {
    let heads: Vec<&str> = mistakes.iter().filter_map(|m| m.lines().next()).collect();
    let first = mistakes.first().map_or("", |m| m);
    assert!(mistakes.is_empty(), "{} programs fail:\n{}\n{first}", mistakes.len(), heads.join("\n"));
}

#[test]
fn random_programs() {
    all(PROGRAMS, Case::wide, check::judge);
}

#[test]
fn second_derivatives() {
    all(TWICE, Case::wide, second::judge);
}

#[test]
fn in_stages() {
    all(STAGES, stages::case, check::judge);
}

#[test]
fn of_layers() {
    all(LAYERS, layers::case, check::judge);
}

#[test]
fn kept_programs() {
    let (mut cases, mut wrong) = (vec![], vec![]);
    for (name, source) in kept::programs() {
        match kept::case(&source) {
            Ok(case) => cases.push(case),
            Err(e) => wrong.push(format!("{name}: {e}\n{source}")),
        }
    }
    report(&wrong);
    assert!(!cases.is_empty());
    report(&mistakes(&cases, check::judge));
    report(&mistakes(&cases, second::judge));
}

/// What a bracket leaves out is a zero without a sign: where that is divided by, nothing is judged.
#[test]
fn zeros_without_a_sign() {
    let source = "fn f<n>(x: [f64; n]) -> [f64; n] { let y = for i in 0..n if i < 1 { x[i] }; for i in 0..n { (-y[i]).recip() } }";
    let case = |sizes| Case { source: source.into(), name: "f".into(), sizes, seed: 1 };
    assert_eq!(mutate::sound(case(vec![vec![0], vec![1], vec![2]])).sizes, [[0], [1]]);
}
