//! The instruction sets that the processor has, each of which is tested.

use std::io::Write;
use tensor_kernels::simd::{self, Level};

/// From the greatest to the baseline. What is not there is not tested, and that is said where no test keeps it to itself.
pub fn levels() -> Vec<Level> {
    let all = [Level::Avx512, Level::Avx2, Level::Baseline];
    let (there, lacking): (Vec<Level>, Vec<Level>) = all.into_iter().partition(|level| is_there(*level));
    assert_eq!(there.last(), Some(&Level::Baseline));
    assert_eq!(Some(&simd::level()), there.first(), "the greatest that the processor has runs first");
    if !lacking.is_empty() {
        let why = match cfg!(feature = "std") {
            true => "this processor lacks them",
            false => "without the feature `std` the processor is not asked",
        };
        let said = writeln!(std::io::stderr(), "not tested: {lacking:?}, since {why}");
        said.expect("there is someone to tell");
    }
    there
}

/// Goes down to a level.
pub fn limit(level: Level) {
    simd::limit(level);
    assert_eq!(simd::level(), level);
}

/// As the processor says, asked by other means than the crate's own; without `std`, as the crate is compiled.
#[cfg(target_arch = "x86_64")]
fn is_there(level: Level) -> bool {
    macro_rules! has {
        ($feature:tt) => {
            if cfg!(feature = "std") {
                std::arch::is_x86_feature_detected!($feature)
            } else {
                cfg!(target_feature = $feature)
            }
        };
    }
    match level {
        Level::Baseline => true,
        Level::Avx2 => has!("avx2") && has!("fma"),
        Level::Avx512 => has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_there(level: Level) -> bool {
    level == Level::Baseline
}
