//! What the random programs reach of the language.

use std::collections::BTreeSet;
use tensor_judge::generate;

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 160_000;

/// Those of them that are parsed and checked.
const ACCEPTED: u64 = 1000;

/// What reads tensors, under a guard or not, and what makes the elements that it reads.
const READS: [&str; 5] = [
    "a read",
    "a guarded read",
    "a chosen read",
    "what a guard makes readable",
    "what a choice makes readable",
];
const MADE_BY: [&str; 7] = [
    "a sum",
    "a sum over two indices",
    "a maximum",
    "a minimum",
    "logsumexp",
    "an extreme over two indices",
    "the place of an extreme",
];

/// Each feature is written, and each in each that it may stand in; reductions are read by all that reads.
#[test]
fn all_features_meet() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let written = |first: u64| {
        let (mut features, mut pairs) = (BTreeSet::new(), BTreeSet::new());
        for seed in (first..PROGRAMS).step_by(threads as usize) {
            let p = generate::wide(seed);
            features.extend(p.features);
            pairs.extend(p.pairs);
        }
        (features, pairs)
    };
    let (mut features, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|first| scope.spawn(move || written(first))).collect();
        for one in all {
            let (f, p) = one.join().expect("programs are written");
            features.extend(f);
            pairs.extend(p);
        }
    });
    let missing: Vec<_> = generate::features().into_iter().filter(|f| !features.contains(f)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let missing: Vec<_> = generate::pairs().into_iter().filter(|p| !pairs.contains(p)).collect();
    assert!(missing.is_empty(), "{} of {}: {missing:#?}", missing.len(), generate::pairs().len());
    let through_tensors = READS.iter().flat_map(|read| MADE_BY.iter().map(move |made| (*read, *made)));
    let missing: Vec<_> = through_tensors.filter(|pair| !pairs.contains(pair)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
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
