//! Which instruction set runs: found out once, kept in an atomic.

use core::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that the runtime has code for, from the least to the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every processor of the target has.
    Baseline,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 (F, DQ, VL, BW, CD).
    Avx512,
}

const UNKNOWN: u8 = 0;
const BASELINE: u8 = 1;
const AVX2: u8 = 2;
const AVX512: u8 = 3;

/// Invariant: above `BASELINE` only if this processor has the features of the level. Only [`start`] and [`limit`] write it.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);

/// The instruction set that kernels run with.
#[cfg_attr(not(unoptimized), inline(always))]
#[must_use]
pub fn level() -> Level {
    match CURRENT.load(Ordering::Relaxed) {
        UNKNOWN => start(),
        known => named(known),
    }
}

/// Lets kernels run with instruction sets up to `greatest` alone, in the whole program from now on: what a processor without the greater
/// ones computes, this one then computes too, bit by bit. It only lowers: a level above the present one changes nothing.
///
/// Calls that run meanwhile in other threads end as they began.
///
/// ```
/// # use tensor_kernels as tensor_rt;
/// use tensor_rt::simd::{self, Level};
/// simd::limit(Level::Avx2);
/// assert!(simd::level() <= Level::Avx2);
/// simd::limit(Level::Avx512);
/// assert!(simd::level() <= Level::Avx2);
/// ```
pub fn limit(greatest: Level) {
    let _known = level();
    CURRENT.fetch_min(number(greatest), Ordering::Relaxed);
}

/// The name of the instruction set that kernels run with: `"baseline"`, `"avx2"` or `"avx512"`.
#[must_use]
pub fn isa_name() -> &'static str {
    use super::Isa;
    match level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => super::Avx512::NAME,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => super::Avx2::NAME,
        _ => super::Baseline::NAME,
    }
}

#[cold]
#[inline(never)]
fn start() -> Level {
    let found = number(detect());
    // Who was faster may have been `limit`.
    match CURRENT.compare_exchange(UNKNOWN, found, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => named(found),
        Err(known) => named(known),
    }
}

#[cfg_attr(not(unoptimized), inline(always))]
fn named(number: u8) -> Level {
    match number {
        AVX512 => Level::Avx512,
        AVX2 => Level::Avx2,
        _ => Level::Baseline,
    }
}

fn number(level: Level) -> u8 {
    match level {
        Level::Baseline => BASELINE,
        Level::Avx2 => AVX2,
        Level::Avx512 => AVX512,
    }
}

/// True if the program may use all these features: they are there, or without `std` (which is what asks the processor), they were enabled
/// when it was compiled.
#[cfg(target_arch = "x86_64")]
macro_rules! has {
    ($($feature:tt)*) => {{
        #[cfg(feature = "std")]
        let all = $(std::arch::is_x86_feature_detected!($feature))&&*;
        #[cfg(not(feature = "std"))]
        let all = $(cfg!(target_feature = $feature))&&*;
        all
    }};
}

/// Invariant: the features here are those of the functions in `dispatch.rs`.
#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    if !has!("avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt") {
        Level::Baseline
    } else if !has!("avx512f" "avx512dq" "avx512vl" "avx512bw" "avx512cd") {
        Level::Avx2
    } else {
        Level::Avx512
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}
