//! Powers by integers: Rust's, bit by bit, as far as it has them; beyond, near to the correctly rounded ones.

use super::arguments::{Number, singles as numbers};
use super::distance;
use super::reference::power;
use std::hint::black_box;
use tensor_kernels::math::Real;
use tensor_kernels::simd::{Element, Kernel3, Lane, Lanes, dispatch3, isa_name};

/// Within so many units, where Rust has none.
const BOUND: u64 = 3;

/// Exponents of all sizes and both signs, odd and even.
fn exponents() -> Vec<i64> {
    let mut all: Vec<i64> = (0..20).collect();
    all.extend([100, 101, 1023, 1074, 1075, 123_457]);
    for power in [24, 31, 32, 40, 52, 53, 54, 62] {
        all.extend([-1, 0, 1, 2, 3].map(|d| (1_i64 << power) + d));
    }
    all.extend([i64::MAX, i64::MAX - 1, 0x1234_5678_9abc_def1]);
    let below: Vec<i64> = all.iter().map(|k| -k).collect();
    all.extend(below);
    all.push(i64::MIN);
    all
}

/// Some of all sizes, and many next to ±1, of which great powers are neither 0 nor infinite.
fn bases<T: Number>() -> Vec<T> {
    let all = numbers::<T>(1);
    let mut some: Vec<T> = all.iter().copied().step_by(97).collect();
    for special in [0.0, 1.0, 2.0, 0.5, 10.0, f64::INFINITY] {
        some.extend([T::of(special), T::of(-special)]);
    }
    some.push(T::NAN);
    for sign in [1.0, -1.0] {
        let one = T::of(sign).order();
        some.extend((0..62).flat_map(|j| [1 << (j / 2), -(3 << (j / 2))].map(|d| T::at(one + d))));
    }
    let len = some.len().next_multiple_of(16);
    some.resize(len, T::ONE);
    some
}

/// What a type's own functions are.
trait Own: Number {
    fn rusts(self, k: i32) -> Self;
}

impl Own for f64 {
    fn rusts(self, k: i32) -> f64 {
        self.powi(black_box(k))
    }
}

impl Own for f32 {
    fn rusts(self, k: i32) -> f32 {
        self.powi(black_box(k))
    }
}

struct Power;
impl<T: Element> Kernel3<T, i64, &[T], &mut [T]> for Power {
    type Out = ();
    fn run<I: Lanes<T>>(isa: I, k: i64, x: &[T], y: &mut [T]) {
        for at in (0..x.len()).step_by(I::Vector::WIDTH) {
            I::Vector::load(isa, x, at).powi(k).store(y, at);
        }
    }
}

fn judge<T: Own>(what: &str, of: impl Fn(i64, &[T], &mut [T]), failures: &mut Vec<String>) {
    let x = bases::<T>();
    let mut y = vec![T::ZERO; x.len()];
    let mut worst = 0;
    for k in exponents() {
        of(k, &x, &mut y);
        let exact = |x: T| match i32::try_from(k) {
            Ok(k) => x.rusts(k),
            Err(_) => T::of(power(x.into(), k)),
        };
        let at = (0..x.len()).max_by_key(|&at| distance(y[at], exact(x[at]))).unwrap();
        let is = distance(y[at], exact(x[at]));
        let bound = if i32::try_from(k).is_ok() { 0 } else { BOUND };
        if is > bound {
            let (x, y, exact) = (x[at], y[at], exact(x[at]));
            failures.push(format!(
                "{what} f{} {x:?}.powi({k}) = {y:?}, not {exact:?}: {is} of {bound}",
                8 * size_of::<T>()
            ));
        }
        worst = worst.max(is);
    }
    eprintln!("{what} f{} powi: {worst}", 8 * size_of::<T>());
}

/// One at a time.
pub fn singles(failures: &mut Vec<String>) {
    fn all<T: Own>(k: i64, x: &[T], y: &mut [T]) {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = Real::powi(x, k));
    }
    judge::<f64>("Single", all, failures);
    judge::<f32>("Single", all, failures);
}

/// In lanes, at the level that is set.
pub fn lanes(failures: &mut Vec<String>) {
    judge::<f64>(isa_name(), |k, x, y| dispatch3::<Power, f64, _, _, _>(k, x, y), failures);
    judge::<f32>(isa_name(), |k, x, y| dispatch3::<Power, f32, _, _, _>(k, x, y), failures);
}
