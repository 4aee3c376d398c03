//! What the random programs reach of the language.

use std::collections::BTreeSet;
use tensor_judge::generate;

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 160_000;

/// Those of them that are parsed and checked.
const ACCEPTED: u64 = 1000;

/// Each feature is written, and each in each that it may stand in.
#[test]
fn all_features_meet() {
    let (mut features, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..PROGRAMS {
        let p = generate::wide(seed);
        features.extend(p.features);
        pairs.extend(p.pairs);
    }
    let missing: Vec<_> = generate::features().into_iter().filter(|f| !features.contains(f)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let missing: Vec<_> = generate::pairs().into_iter().filter(|p| !pairs.contains(p)).collect();
    assert!(missing.is_empty(), "{} of {}: {missing:#?}", missing.len(), generate::pairs().len());
}

/// Hardly any program is rejected, and none but for what the prover of ranges cannot decide.
#[test]
fn nearly_all_are_accepted() {
    let undecided = "could not prove that `arg";
    let mut rejected = 0;
    for seed in 0..ACCEPTED {
        let source = generate::wide(seed).source;
        if let Err(errors) = tensor_core::analyze(source.parse().expect("tokens")) {
            let strange: Vec<_> = errors.0.iter().filter(|e| !e.message.starts_with(undecided)).collect();
            assert!(strange.is_empty(), "seed {seed}: {strange:?}\n{source}");
            rejected += 1;
        }
    }
    assert!(100 * rejected < ACCEPTED, "{rejected} of {ACCEPTED}");
}
