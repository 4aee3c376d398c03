//! Numbers to test with.

use tensor_kernels::simd::Element;

/// An element type, with what tests need of it.
pub trait Number: Element + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {
    /// The nearest.
    fn of(x: f64) -> Self;
    /// Its bits; the same for every NaN.
    fn same(self) -> u64;
    /// From bits.
    fn from_bits(bits: u64) -> Self;
    /// `a * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// `(a + b, a - b, a * b, a / b, -a)`
    fn arithmetic(self, b: Self) -> [Self; 5];
}

macro_rules! number {
    ($T:ident) => {
        impl Number for $T {
            fn of(x: f64) -> $T {
                x as $T
            }
            fn same(self) -> u64 {
                if self.is_nan() { u64::MAX } else { self.to_bits().into() }
            }
            fn from_bits(bits: u64) -> $T {
                <$T>::from_bits(bits as _)
            }
            fn fma(self, b: $T, c: $T) -> $T {
                self.mul_add(b, c)
            }
            fn arithmetic(self, b: $T) -> [$T; 5] {
                [self + b, self - b, self * b, self / b, -self]
            }
        }
    };
}
number! { f64 }
number! { f32 }

/// Special values, small and great ones, halves, and random ones of all magnitudes: a number that all widths divide.
pub fn numbers<T: Number>(seed: u64, count: usize) -> Vec<T> {
    let special = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        0.499_999_999_999_999_94,
        3.0,
        0.7,
        1e-3,
        700.0,
        1e5,
        8_388_609.0,
        4_503_599_627_370_497.5,
    ];
    let special = special.into_iter().chain([
        f64::INFINITY,
        f64::NAN,
        1e300,
        1e-310,
        f64::MIN_POSITIVE,
        5e-324,
        1e-40,
        f64::MAX,
    ]);
    let special = special.flat_map(|x| [T::of(x), T::of(-x)]);
    let mut state = seed;
    let random = (0..).map(|k| {
        let bits = next(&mut state);
        if k % 2 == 0 { T::from_bits(bits) } else { T::of((bits >> 11) as f64 / (1_u64 << 50) as f64 - 4.0) }
    });
    let mut all: Vec<T> = special.chain(random).take(count).collect();
    // A shuffle, so that pairs of slices have all pairs of kinds.
    for k in (1..all.len()).rev() {
        all.swap(k, (next(&mut state) % (k as u64 + 1)) as usize);
    }
    all
}

/// A step of splitmix64.
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
