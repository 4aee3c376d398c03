//! Whatever stands between the braces of `tensor!`: the compiler answers, soon, and does not panic.
//!
//! An input is a block of this repository (the tests' programs, the examples, the manual, the kept corpus) with some of its tokens deleted,
//! doubled, exchanged, replaced, nested or spliced with those of another. It depends on nothing but a seed and its number, and goes through
//! the whole compiler: parse, check, normalize, differentiate, schedule, emit.
//!
//! ```sh
//! cargo run --release -p tensor-fuzz -- 1000000
//! ```
//!
//! Inputs that once failed are kept in `corpus/failed`, the shortest found for each error message in `corpus/kept.txt`; the tests run both, and a
//! short run.

pub mod corpus;
pub mod judge;
pub mod mutate;
pub mod run;
pub mod shrink;
pub mod tree;

use corpus::Corpus;
use fastrand::Rng;
use tree::Tree;

/// Input `number` of the run `seed`.
#[must_use]
pub fn input(corpus: &Corpus, seed: u64, number: u64) -> Tree {
    let mut run = Rng::with_seed(seed);
    let mut rng = Rng::with_seed(run.u64(..) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mutate::input(corpus, &mut rng)
}
