//! What the random programs reach of the language.

use std::collections::BTreeSet;
use tensor_judge::generate;

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 6000;

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
    assert!(missing.len() < 60, "{} of {}: {missing:#?}", missing.len(), generate::pairs().len());
}

/// All programs are well typed, and in range.
#[test]
fn all_are_accepted() {
    for seed in 0..400 {
        let source = generate::wide(seed).source;
        let block = tensor_core::analyze(source.parse().expect("tokens"));
        assert!(block.is_ok(), "seed {seed}: {:?}\n{source}", block.err().map(|e| e.0));
    }
}
