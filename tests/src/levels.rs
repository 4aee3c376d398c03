//! The instruction sets that the machine has.

use std::io::Write;
use tensor_rt::simd::{self, Level};

/// Goes from the greatest to the baseline, each of which is in use when it is given; the whole process does so once. What the machine lacks is not
/// tested, and that is said where no test keeps it to itself. (That none is overlooked is a test of `tensor-kernels`.)
///
/// # Panics
/// If one does not come into use.
pub fn levels() -> impl Iterator<Item = Level> {
    let greatest = simd::level();
    let all = [Level::Avx512, Level::Avx2, Level::Baseline];
    let (there, lacking): (Vec<Level>, Vec<Level>) = all.into_iter().partition(|level| *level <= greatest);
    assert_eq!(there.last(), Some(&Level::Baseline));
    if !lacking.is_empty() {
        let said = writeln!(std::io::stderr(), "not tested, which this machine lacks: {lacking:?}");
        said.expect("there is someone to tell");
    }
    there.into_iter().inspect(|level| {
        simd::limit(*level);
        assert_eq!(simd::level(), *level);
    })
}
