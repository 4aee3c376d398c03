//! Every operation of every vector type, at every level, against the same operation of single lanes, and of those against Rust's.

#[path = "simd/eights.rs"]
mod eights;
#[path = "simd/lanes.rs"]
mod lanes;
#[path = "simd/levels.rs"]
mod levels;
#[path = "simd/memory.rs"]
mod memory;
#[path = "simd/numbers.rs"]
mod numbers;
#[path = "simd/remainder.rs"]
mod remainder;
#[path = "simd/shifts.rs"]
mod shifts;

use numbers::Number;
use tensor_kernels::simd::{self, Kernel0, Kernel24, Lane, Lanes, Level, Pair, dispatch0, dispatch24};

struct All;

impl<T: Number> Kernel0<T> for All {
    type Out = &'static str;
    fn run<I: Lanes<T>>(isa: I) -> &'static str {
        check::<T, I, I::Scalar>(isa);
        check::<T, I, I::Vector>(isa);
        check::<T, I, I::Wide>(isa);
        check::<T, I, I::Body>(isa);
        check::<T, I, I::Large>(isa);
        check::<T, I, Pair<I::Wide>>(isa);
        lanes::scalar_is_as_rust::<T, I>(isa);
        lanes::blocks_are_transposed::<T, I>(isa);
        remainder::rests::<T, I>(isa);
        eights::squares::<T, I>(isa);
        I::NAME
    }
}

fn check<T: Number, I: Lanes<T>, V: Lane<T, Isa = I>>(isa: I) {
    memory::in_range::<T, V>(isa);
    memory::out_of_range::<T, V>(isa);
    memory::iota::<T, V>(isa);
    if V::WIDTH > 1 {
        lanes::lanes_are_scalars::<T, I, V>(isa);
    }
    lanes::comparisons::<T, I, V>(isa);
    lanes::reductions::<T, I, V>(isa);
    lanes::sums_of_eight::<T, I, V>(isa);
    shifts::shifts::<T, I, V>(isa);
    eights::eights::<T, V>(isa, V::WIDTH);
}

/// A test of its own binary alone: `limit` is for the whole process.
#[test]
fn at_every_level() {
    for level in levels::levels() {
        levels::limit(level);
        let name = match level {
            Level::Avx512 => "avx512",
            Level::Avx2 => "avx2",
            Level::Baseline => "baseline",
        };
        assert_eq!(simd::isa_name(), name);
        assert_eq!(dispatch0::<All, f64>(), name);
        assert_eq!(dispatch0::<All, f32>(), name);
        many_arguments();
    }
    simd::limit(Level::Avx512);
    assert_eq!(simd::level(), Level::Baseline, "a limit that raised");
}

struct Last;

macro_rules! last_of_24 {
    ($($t:ty)*) => {
        impl Kernel24<f64, $($t),*> for Last {
            type Out = f64;
            #[allow(clippy::too_many_arguments, clippy::many_single_char_names)]
            fn run<I: Lanes<f64>>(
                isa: I, a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64, i: f64, j: f64, k: f64, l: f64, m: f64,
                n: f64, o: f64, p: f64, q: f64, r: f64, s: f64, t: f64, u: f64, v: f64, w: f64, x: f64,
            ) -> f64 {
                let all = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x];
                (0..24).rev().fold(0.0, |sum, at| I::Scalar::load(isa, &all, at).sum() + 0.5 * sum)
            }
        }
    };
}
last_of_24! { f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 }

/// Arguments arrive in their order.
fn many_arguments() {
    let sum = dispatch24::<Last, f64, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _>(
        0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15., 16., 17., 18., 19., 20., 21.,
        22., 23.,
    );
    assert_eq!(sum, (0..24).map(|k| f64::from(k) / f64::from(1 << k)).sum::<f64>());
}
