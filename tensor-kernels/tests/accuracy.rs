//! The functions of vectors against correctly rounded ones, over the whole range of arguments.
#![cfg(not(feature = "exact-math"))]

#[path = "accuracy/reference.rs"]
mod reference;

use reference::{sigmoid, softplus};
use tensor_kernels::simd::{self, Element, Kernel3, Lane, Lanes, Level, dispatch3};

/// A function: its name, its greatest distance from the correctly rounded result in units in the last place, and the correctly rounded one.
struct Case<T> {
    name: &'static str,
    ulp: u64,
    exact: fn(T) -> T,
}

macro_rules! cases {
    ($($name:ident $ulp:literal $exact:expr;)*) => {
        [$(Case { name: stringify!($name), ulp: $ulp, exact: $exact }),*]
    };
}

macro_rules! kernel {
    ($($name:ident)*) => {
        /// Maps the function with this name.
        struct Map;
        impl<T: Element> Kernel3<T, &str, &[T], &mut [T]> for Map {
            type Out = ();
            fn run<I: Lanes<T>>(isa: I, name: &str, x: &[T], y: &mut [T]) {
                match name {
                    $(stringify!($name) => map(isa, x, y, |v: I::Vector| v.$name()),)*
                    _ => panic!("no case {name}"),
                }
            }
        }
    };
}
kernel! { exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tanh sigmoid softplus }

fn map<T: Element, I: Lanes<T>>(isa: I, x: &[T], y: &mut [T], f: impl Fn(I::Vector) -> I::Vector) {
    for at in (0..x.len()).step_by(I::Vector::WIDTH) {
        f(I::Vector::load(isa, x, at)).store(y, at);
    }
}

struct Power;
impl<T: Element> Kernel3<T, &[T], &[T], &mut [T]> for Power {
    type Out = ();
    fn run<I: Lanes<T>>(isa: I, x: &[T], y: &[T], z: &mut [T]) {
        for at in (0..x.len()).step_by(I::Vector::WIDTH) {
            I::Vector::load(isa, x, at).powf(I::Vector::load(isa, y, at)).store(z, at);
        }
    }
}

fn of_f64() -> [Case<f64>; 12] {
    cases! {
        exp 1 core_math::exp;
        exp2 1 core_math::exp2;
        exp_m1 2 core_math::expm1;
        ln 1 core_math::log;
        ln_1p 1 core_math::log1p;
        log2 1 core_math::log2;
        log10 1 core_math::log10;
        sin 2 core_math::sin;
        cos 2 core_math::cos;
        tanh 3 core_math::tanh;
        sigmoid 2 sigmoid;
        softplus 2 softplus;
    }
}

fn of_f32() -> [Case<f32>; 12] {
    cases! {
        exp 1 core_math::expf;
        exp2 1 core_math::exp2f;
        exp_m1 0 core_math::expm1f;
        ln 1 core_math::logf;
        ln_1p 0 core_math::log1pf;
        log2 0 core_math::log2f;
        log10 0 core_math::log10f;
        sin 0 core_math::sinf;
        cos 0 core_math::cosf;
        tanh 2 core_math::tanhf;
        sigmoid 2 |x| sigmoid(x.into()) as f32;
        softplus 0 |x| softplus(x.into()) as f32;
    }
}

/// Numbers of a type in order.
trait Ordered: Element + Into<f64> {
    /// Neighbours have neighbouring numbers; −0 and 0 have different ones.
    fn order(self) -> i64;
}

impl Ordered for f64 {
    fn order(self) -> i64 {
        let bits = self.to_bits() as i64;
        if bits < 0 { -1 - (bits & i64::MAX) } else { bits }
    }
}

impl Ordered for f32 {
    fn order(self) -> i64 {
        let bits = i64::from(self.to_bits());
        if bits >= 1 << 31 { (1 << 31) - 1 - bits } else { bits }
    }
}

/// How many numbers lie between, at least one between what is special and what is not.
fn distance<T: Ordered>(a: T, b: T) -> u64 {
    match (a.into().is_nan(), b.into().is_nan()) {
        (true, true) => 0,
        (false, false) => a.order().abs_diff(b.order()),
        _ => u64::MAX,
    }
}

/// Every exponent, both signs, random mantissas; then numbers from −1000 to 1000, and specials.
fn arguments_f64(each: usize) -> Vec<f64> {
    let mut state = 1;
    let mut all = vec![
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1.0,
        -1.0,
        5e-324,
        -5e-324,
        f64::MAX,
        f64::MIN,
        0.5,
    ];
    all.extend([
        709.782_712_893_384,
        709.782_712_893_384_1,
        -745.133_219_101_941_1,
        -745.133_219_101_941_2,
        1024.0,
        -1074.0,
        -1075.0,
    ]);
    all.extend([
        1_000_000.0,
        1_000_000.1,
        1e22,
        10.0,
        100.0,
        1000.0,
        f64::MIN_POSITIVE,
        std::f64::consts::PI,
        std::f64::consts::E,
    ]);
    // The worst of a sample of seven million.
    all.extend([
        -0.180_035_447_249_827_23,
        0.183_348_499_262_055_32,
        0.357_184_759_692_281_03,
        -14.132_297_793_507_98,
    ]);
    for sign_and_exponent in 0..4096 {
        all.extend(
            (0..each).map(|_| f64::from_bits(sign_and_exponent << 52 | reference::next(&mut state) >> 12)),
        );
    }
    for scale in [1000.0, 40.0, 1.0] {
        all.extend(
            (0..256 * each)
                .map(|_| scale * (reference::next(&mut state) as f64 / (1_u64 << 63) as f64 - 1.0)),
        );
    }
    padded(all)
}

fn arguments_f32(step: usize) -> Vec<f32> {
    padded((0..=u32::MAX).step_by(step).map(f32::from_bits).collect())
}

fn padded<T: Clone>(mut all: Vec<T>) -> Vec<T> {
    all.resize(all.len().next_multiple_of(64), all[0].clone());
    all
}

/// The greatest distance in each function.
fn check<T: Ordered>(cases: &[Case<T>], x: &[T], failures: &mut Vec<String>) {
    for case in cases {
        let mut y = vec![T::ZERO; x.len()];
        dispatch3::<Map, T, _, _, _>(case.name, x, &mut y);
        let at = (0..x.len()).max_by_key(|&k| distance(y[k], (case.exact)(x[k]))).unwrap();
        let exact = (case.exact)(x[at]);
        let is = distance(y[at], exact);
        let (level, bits) = (simd::isa_name(), 8 * size_of::<T>());
        eprintln!("{level} f{bits} {}: {is} ulp at {:?}: {:?}, not {exact:?}", case.name, x[at], y[at]);
        if is > case.ulp {
            failures.push(format!(
                "{level} f{bits} {}({:?}) = {:?}, not {exact:?}: {is} ulp",
                case.name, x[at], y[at]
            ));
        }
    }
}

fn check_power<T: Ordered>(exact: fn(T, T) -> T, x: &[T], y: &[T], failures: &mut Vec<String>) {
    let mut z = vec![T::ZERO; x.len()];
    dispatch3::<Power, T, _, _, _>(x, y, &mut z);
    let at = (0..x.len()).max_by_key(|&k| distance(z[k], exact(x[k], y[k]))).unwrap();
    let is = distance(z[at], exact(x[at], y[at]));
    let what = format!("{} powf({:?}, {:?}) = {:?}: {is} ulp", simd::isa_name(), x[at], y[at], z[at]);
    eprintln!("{what}");
    if is > 1 {
        failures.push(what);
    }
}

/// Bases of all exponents; exponents of all, or such that the result is finite.
fn powers(each: usize) -> (Vec<f64>, Vec<f64>) {
    let mut x = arguments_f64(each);
    let mut state = 7;
    let mut y: Vec<f64> = x.iter().map(|_| x[reference::next(&mut state) as usize % x.len()]).collect();
    for k in (0..x.len()).filter(|k| k % 8 != 0) {
        let random = reference::next(&mut state) as f64 / (1_u64 << 63) as f64 - 1.0;
        if k % 8 < 3 {
            x[k] = 1.0 + 0.5 * random * random * random;
        }
        y[k] = (1.1 * 710.0 / x[k].abs().ln()
            * (reference::next(&mut state) as f64 / (1_u64 << 63) as f64 - 1.0))
            .clamp(-1e300, 1e300);
        if k % 8 == 7 {
            y[k] = y[k].round();
        }
    }
    (x, y)
}

/// A test of its own binary alone: `limit` is for the whole process.
#[test]
fn within_the_stated_error() {
    let mut failures = Vec::new();
    let (x, x_single) = (arguments_f64(50), arguments_f32(8191));
    let (base, exponent) = powers(20);
    let single = |x: &[f64]| -> Vec<f32> { x.iter().map(|&x| (x as f32).clamp(-1e30, 1e30)).collect() };
    let (base_single, exponent_single) = (single(&base), single(&exponent));
    for level in [Level::Avx512, Level::Avx2, Level::Baseline] {
        simd::limit(level);
        if simd::level() == level {
            check(&of_f64(), &x, &mut failures);
            check(&of_f32(), &x_single, &mut failures);
            check_power(core_math::pow, &base, &exponent, &mut failures);
            check_power(core_math::powf, &base_single, &exponent_single, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
