//! The seeds of a run of the tests, and the programs that are kept.

use tensor_judge::check::{self, Case};
use tensor_judge::reduce::note;
use tensor_judge::run::{Judge, mistakes, verdict};
use tensor_judge::{judged, kept, layers, mutate, rewrite, second, series, stages};

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 2000;

/// Those of second derivatives, which take longer.
const TWICE: u64 = 300;

/// Those in stages.
const STAGES: u64 = 300;

/// Those of matrices.
const LAYERS: u64 = 300;

/// Those of many series.
const SERIES: u64 = 150;

/// Those with long bodies.
const BODIES: u64 = 100;

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
fn of_series() {
    all(SERIES, series::case, check::judge);
}

#[test]
fn of_bodies() {
    all(BODIES, Case::bodies, check::judge);
}

#[test]
fn kept_programs() {
    let case = |(name, source)| Case { source, name, sizes: vec![], seed: 0 };
    let cases: Vec<Case> = kept::programs().into_iter().map(case).collect();
    assert!(!cases.is_empty());
    report(&mistakes(&cases, kept::judge));
}

/// Where slopes of values say nothing, a derivative is compared with other derivatives alone: that is so for few programs.
#[test]
fn slopes_say_something() {
    const SEEDS: u64 = 150;
    let (mut all, mut compared) = (0, 0);
    for seed in 0..SEEDS {
        let before = (judged::count(), judged::slopes());
        assert_eq!(verdict(&Case::wide(seed), check::judge), Ok(()));
        all += u64::from(judged::count() > before.0);
        compared += u64::from(judged::slopes() > before.1);
    }
    assert!(10 * all >= 9 * SEEDS && 10 * compared >= 9 * all, "{compared} of {all} of {SEEDS}");
}

/// Those of the repository that have recurrences, at a few sizes.
#[test]
fn recurrences_of_people() {
    let is_recurrence = |b: &&mutate::Base| {
        ["rec ", "fold ", "scan ", "prod ", "reduce "].iter().any(|word| b.source.contains(word))
    };
    let bases = mutate::bases().expect("the programs of the repository");
    let case = |(k, b): (usize, &mutate::Base)| {
        let seed = k as u64;
        let sizes = mutate::sizes(&b.source, &b.name, &mut fastrand::Rng::with_seed(seed));
        let case = Case { source: b.source.clone(), name: b.name.clone(), sizes, seed };
        let case = mutate::sound(case);
        (!case.sizes.is_empty()).then_some(case)
    };
    let cases: Vec<Case> = bases.iter().filter(is_recurrence).enumerate().filter_map(case).collect();
    assert!(cases.len() > 30, "{}", cases.len());
    report(&mistakes(&cases, check::judge));
    report(&mistakes(&cases, second::judge));
}

/// Where loops have no iteration, or one, each family is judged, and in each of its sizes.
#[test]
fn sizes_at_the_edge() {
    const SEEDS: u64 = 60;
    type Family = (&'static str, fn(u64) -> Case);
    let families: [Family; 5] = [
        ("wide", Case::wide),
        ("stages", stages::case),
        ("layers", layers::case),
        ("series", series::case),
        ("bodies", Case::bodies),
    ];
    for (name, case) in families {
        // By size and number.
        let mut counts = [[0; 2]; 4];
        let mut dimensions = 0;
        for seed in 0..SEEDS {
            let case = case(seed);
            let Ok((block, k)) = check::analyzed(&case) else { continue };
            let f = &block.functions[k];
            dimensions = dimensions.max(f.sizes.len());
            let judged: Vec<&Vec<i64>> = case.sizes.iter().filter(|s| check::holds(f, s)).collect();
            if name != "wide" {
                assert!((2..=4).contains(&judged.len()), "{name} {seed}: {judged:?}");
            }
            for (k, counts) in counts.iter_mut().enumerate() {
                for (number, count) in counts.iter_mut().enumerate() {
                    *count += u64::from(judged.iter().any(|s| s.get(k) == Some(&(number as i64))));
                }
            }
        }
        // Of twelve programs at least one has each, in each.
        let few: Vec<_> = counts[..dimensions].iter().filter(|c| c.iter().any(|n| 12 * n < SEEDS)).collect();
        assert!(few.is_empty(), "{name}: 0 and 1 occur so often in the sizes: {counts:?}");
    }
}

/// What is kept of a fault is judged at the same sizes and arguments, and by the same rewrite.
#[test]
fn notes_are_read_back() {
    let source = "fn f<n>(x: [f64; n]) -> f64 { sum i in 0..n { x[i] } }\n";
    let case = Case { source: source.into(), name: "f".into(), sizes: vec![vec![9]], seed: 77 };
    let rule = rewrite::RULES.iter().find(|r| r.name == "a range cut in two").copied();
    let wrong = |c: &Case| Err(format!("wrong at {}", c.seed));
    let note = note(&case, &wrong, rule, "otherwise");
    assert_eq!(note, format!("// wrong at 77\n// sizes 9\n// seed 77\n// rule a range cut in two\n{source}"));
    let again = kept::case(&note).expect("accepted");
    assert_eq!((again.seed, &again.sizes[0]), (77, &vec![9]));
    assert_eq!(kept::rewritten(&note, &again), Ok(()));
    // Without them all is as it was.
    assert_eq!(kept::case(source).expect("accepted").seed, 1);
    assert!(kept::rules(source).is_ok_and(|rules| rules.is_empty()));
    // What cannot be read, or does not apply, is told.
    assert!(kept::case(&format!("// seed seven\n{source}")).is_err_and(|e| e.starts_with("seven")));
    let named = |name: &str| kept::rewritten(&format!("// rule {name}\n{source}"), &again);
    assert_eq!(named("nonsense"), Err("there is no rule `nonsense`".to_string()));
    assert_eq!(named("a choice in a choice"), Err("`a choice in a choice` applies nowhere".to_string()));
}

/// What a bracket leaves out is a zero without a sign: where that is divided by, nothing is judged.
#[test]
fn zeros_without_a_sign() {
    let source = "fn f<n>(x: [f64; n]) -> [f64; n] { let y = for i in 0..n if i < 1 { x[i] }; for i in 0..n { (-y[i]).recip() } }";
    let case = |sizes| Case { source: source.into(), name: "f".into(), sizes, seed: 1 };
    assert_eq!(mutate::sound(case(vec![vec![0], vec![1], vec![2]])).sizes, [[0], [1]]);
}
