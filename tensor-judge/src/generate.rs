//! Random well-typed programs of the language, as source text.
//!
//! They are written by a table of features, a row each: what a feature is called, how often it is written, what stands inside, and what it
//! writes. All that the language has can meet all else. Each seed has a pair of features for its theme, one inside the other, so that all pairs
//! are reached soon.
//!
//! Accesses are in range by construction: where it does not follow from the loops around, the condition that the index is in range stands before
//! the access, whatever index it is. Values stay moderate and away from poles: functions with a domain get an argument inside it, and what an
//! extreme of nothing is, an infinity, does not leave the expression that it stands in.

mod arithmetic;
mod blocks;
mod bodies;
mod conditions;
mod folds;
mod functions;
mod places;
mod ranges;
mod reads;
mod recurrences;
mod said;
mod scope;
mod table;
mod tensors;
mod tuples;

use fastrand::Rng;
use table::Generator;

/// A program: one block whose last function is `f`.
pub struct Program {
    /// The functions of the block, `f` last.
    pub source: String,
    /// Sizes at which `f` may be called: among them 0 and 1, where its conditions allow that.
    pub sizes: Vec<Vec<i64>>,
    /// The features that it has.
    pub features: Vec<&'static str>,
    /// The pairs of features that meet in it, the second in the first; or in a tensor that the first reads.
    pub pairs: Vec<(&'static str, &'static str)>,
}

/// A program from a seed.
#[must_use]
pub fn wide(seed: u64) -> Program {
    let mut g = Generator::new(seed);
    let (source, sizes) = g.functions();
    let mut features: Vec<&'static str> = g.reached.iter().map(|k| g.name(*k)).collect();
    let mut pairs: Vec<_> = g.pairs.iter().map(|(a, b)| (g.name(*a), g.name(*b))).collect();
    features.sort_unstable();
    features.dedup();
    pairs.sort_unstable();
    pairs.dedup();
    Program { source, sizes, features, pairs }
}

/// A program with a long body from a seed.
#[must_use]
pub fn bodies(seed: u64) -> Program {
    let (source, sizes) = bodies::program(seed);
    Program { source, sizes, features: vec![], pairs: vec![] }
}

/// The usual sizes, and one to three tuples with 0 and 1 among them, where a loop, a block or a window has no iteration, or one.
#[must_use]
pub fn with_edges(usual: Vec<i64>, rng: &mut Rng) -> Vec<Vec<i64>> {
    let mut places: Vec<usize> = (0..usual.len()).collect();
    rng.shuffle(&mut places);
    let edge = |zero: Option<usize>, one: Option<usize>| {
        let mut sizes = usual.clone();
        zero.into_iter().for_each(|k| sizes[k] = 0);
        one.into_iter().for_each(|k| sizes[k] = 1);
        sizes
    };
    let zero = places.first().copied();
    let one = places.get(1).or(places.first()).copied();
    let more = match rng.usize(0..3) {
        0 if zero != one => vec![edge(zero, one)],
        1 => vec![edge(zero, None), edge(None, one), usual.iter().map(|_| rng.i64(0..2)).collect()],
        _ => vec![edge(zero, None), edge(None, one)],
    };
    [vec![usual], more].concat()
}

/// The names of all features.
#[must_use]
pub fn features() -> Vec<&'static str> {
    table::all().map(|f| f.name).collect()
}

/// All pairs of features of which the second may stand directly in the first.
#[must_use]
pub fn pairs() -> Vec<(&'static str, &'static str)> {
    let all: Vec<_> = table::all().collect();
    let within = |a: &'static table::Feature| {
        let inside = all.iter().filter(|b| table::can_hold(a, b));
        inside.map(|b| (a.name, b.name)).collect::<Vec<_>>()
    };
    all.iter().flat_map(|a| within(a)).collect()
}
