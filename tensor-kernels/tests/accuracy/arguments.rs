//! Arguments of all kinds.

use super::reference::next;
use tensor_kernels::simd::Element;

/// A number type of which the numbers are in order.
pub trait Number: Element + Into<f64> + std::ops::Neg<Output = Self> {
    /// Neighbours have neighbouring numbers; −0 and 0 have different ones.
    fn order(self) -> i64;
    /// The number with this order.
    fn at(order: i64) -> Self;
    /// The nearest.
    fn of(x: f64) -> Self;
    /// From its sign and exponent, and what follows.
    fn from_high_bits(bits: u64) -> Self;
    /// Whether it is not a number.
    fn is_nan(self) -> bool;
    /// Its sign.
    fn is_negative(self) -> bool;
    /// −0 becomes 0.
    fn plus_zero(self) -> Self;
}

macro_rules! number {
    ($T:ident $Bits:ident $Signed:ident) => {
        impl Number for $T {
            fn order(self) -> i64 {
                let bits = self.to_bits() as $Signed;
                i64::from(if bits < 0 { -1 - (bits & $Signed::MAX) } else { bits })
            }
            fn at(order: i64) -> $T {
                let order = order as $Signed;
                $T::from_bits(if order < 0 { (-1 - order) | $Signed::MIN } else { order } as $Bits)
            }
            fn of(x: f64) -> $T {
                x as $T
            }
            fn from_high_bits(bits: u64) -> $T {
                // One NaN is like another, but those that signal.
                let x = $T::from_bits((bits >> (64 - $Bits::BITS)) as $Bits);
                if x.is_nan() { $T::NAN } else { x }
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn plus_zero(self) -> $T {
                self + 0.0
            }
        }
    };
}
number! { f64 u64 i64 }
number! { f32 u32 i32 }

/// Zeros, poles, and places where formulas end: of the functions themselves, of the usual libraries and of ours.
#[rustfmt::skip]
const POINTS: [f64; 64] = [
    0.0, 1.0, 0.5, 2.0, 0.25, 0.375, 1.5, 2.5, 3.0, 10.0, 100.0, 1000.0, 1e22, f64::MAX, f64::MIN_POSITIVE, 5e-324,
    // Subnormal results, and results beyond the greatest number, in either precision.
    709.782_712_893_384, 710.475_860_073_943_9, 745.133_219_101_941_1, 708.396_418_532_264_1, 1024.0, 1022.0, 1074.0, 1075.0,
    88.722_839, 89.415_985, 103.972_084, 87.336_544, 127.0, 128.0, 126.0, 149.0,
    3.402_823_466e38, 1.701_411_733e38, 8.988_465_674_311_58e307, 1.175_494_351e-38, 1.401_298_464e-45, 1e-20, 1e-8, 3e-5,
    // The middle of what logarithms and exponentials take off.
    std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2, 0.414_213_562_373_095, 0.346_573_590_279_972_65, 1.039_720_770_839_918,
    std::f64::consts::LN_2, std::f64::consts::E, 0.292_893_218_813_452_5, 22.0, 20.0, 9.0, 40.0,
    // Where the error function and the inverse ones go over to other formulas.
    0.84375, 1.25, 2.857_142_857_142_857, 5.921_587, 6.0, 268_435_456.0, 67_108_864.0, 4096.0, 0.4375, 0.6875, 1.1875, 2.4375,
];

/// What was worst in samples of many millions.
const WORST: [f64; 4] =
    [-0.180_035_447_249_827_23, 0.183_348_499_262_055_32, 0.357_184_759_692_281_03, -14.132_297_793_507_98];

/// Every exponent with both signs and random mantissas; numbers of all sizes that matter; neighbours of points.
pub fn singles<T: Number>(each: usize) -> Vec<T> {
    let mut state = 1;
    let mut all: Vec<T> = [f64::INFINITY, f64::NAN, 1_000_000.0, 1_000_000.1].map(T::of).into();
    all.push(T::NEG_INFINITY);
    all.extend(WORST.map(T::of));
    let exponents = if size_of::<T>() == 8 { 11 } else { 8 };
    for top in 0..2_u64 << exponents {
        all.extend(
            (0..each)
                .map(|_| T::from_high_bits(top << (63 - exponents) | next(&mut state) >> (1 + exponents))),
        );
    }
    for scale in [1000.0, 100.0, 40.0, 10.0, 1.0, 1.0] {
        all.extend((0..20_000).map(|_| T::of(scale * unit(&mut state))));
    }
    for point in POINTS {
        all.extend(about(T::of(point), &mut state));
    }
    // Zeros and poles of sine, cosine and tangent.
    for k in 0..8192_u32 {
        let k = if k < 64 { f64::from(k) } else { (next(&mut state) % 640_000) as f64 };
        let near = T::of(k * std::f64::consts::FRAC_PI_2).order();
        all.extend((-1..=1).flat_map(|d| [T::at((near + d).max(0)), T::at(-1 - (near + d).max(0))]));
    }
    padded(all)
}

/// Neighbours of a number, and numbers that come nearer and nearer to it; with both signs.
fn about<T: Number>(point: T, state: &mut u64) -> Vec<T> {
    let at = point.order();
    let greatest = T::INFINITY.order();
    let near = (-24..=24).map(|d| at + d);
    let far = (1..40).flat_map(|j| [1, -1].map(|sign| sign << j)).collect::<Vec<i64>>();
    let far = far.into_iter().flat_map(|d| {
        let random = next(state) as i64;
        [at + d, at + d - random % d.clamp(2, 1 << 40)]
    });
    let all: Vec<i64> = near.chain(far).map(|order| order.clamp(0, greatest)).collect();
    all.into_iter().flat_map(|order| [T::at(order), T::at(-1 - order)]).collect()
}

/// From −1 to 1.
fn unit(state: &mut u64) -> f64 {
    next(state) as f64 / (1_u64 << 63) as f64 - 1.0
}

fn padded<T: Clone>(mut all: Vec<T>) -> Vec<T> {
    all.resize(all.len().next_multiple_of(64), all[0].clone());
    all
}

/// Pairs of all: powers whose results are finite, numbers of about the same size, and any.
pub fn pairs<T: Number>(each: usize) -> (Vec<T>, Vec<T>) {
    let mut x = singles::<T>(each);
    let mut state = 7;
    let mut y: Vec<T> = x.iter().map(|_| x[next(&mut state) as usize % x.len()]).collect();
    let greatest = if size_of::<T>() == 8 { 710.0 } else { 89.0 };
    for k in (0..x.len()).filter(|k| k % 8 != 0) {
        let random = unit(&mut state);
        if k % 8 < 3 {
            x[k] = T::of(1.0 + 0.5 * random * random * random);
        }
        if k % 8 == 3 {
            y[k] = T::of(x[k].into() * (1.0 + random));
            continue;
        }
        let base: f64 = x[k].into();
        let exponent = (1.1 * greatest / base.abs().ln() * unit(&mut state)).clamp(-1e300, 1e300);
        y[k] = T::of(if k % 8 == 7 { exponent.round() } else { exponent });
    }
    // All pairs of some.
    let some = [0.0, 1.0, 0.5, 2.0, 3.0, 1e-310, f64::MAX, 9_007_199_254_740_991.0, f64::INFINITY, f64::NAN];
    let some: Vec<T> = some.into_iter().flat_map(|x| [T::of(x), T::of(-x)]).collect();
    for &a in &some {
        x.extend(some.iter().map(|_| a));
        y.extend(&some);
    }
    (padded(x), padded(y))
}
