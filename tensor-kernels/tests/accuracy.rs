//! Every scalar function of the language against correctly rounded results: one number at a time, and in lanes at every level.
//!
//! The bounds are those of the manual, which are read from it. (That all vectors, wide, single and in part, give the same bits is tested in `simd.rs`.)

#[path = "accuracy/arguments.rs"]
mod arguments;
#[path = "accuracy/bounds.rs"]
mod bounds;
#[path = "simd/levels.rs"]
mod levels;
#[path = "accuracy/powi.rs"]
mod powi;
#[path = "accuracy/reference.rs"]
mod reference;

use arguments::{Number, pairs, singles};
use bounds::{Bound, Form, bounds};
use reference::{sigmoid, softplus};
use tensor_kernels::math::Real;
use tensor_kernels::simd::{self, Element, Kernel3, Kernel4, Lane, Lanes, dispatch3, dispatch4};

/// A function of one argument: its name, the function of single numbers, and the correctly rounded one.
struct Unary<T> {
    name: &'static str,
    real: fn(T) -> T,
    exact: fn(T) -> T,
}

macro_rules! unary {
    ($($name:ident $double:expr, $single:expr;)*) => {
        fn unary_f64() -> Vec<Unary<f64>> {
            vec![$(Unary { name: stringify!($name), real: Real::$name, exact: $double }),*]
        }

        fn unary_f32() -> Vec<Unary<f32>> {
            vec![$(Unary { name: stringify!($name), real: Real::$name, exact: $single }),*]
        }

        /// Maps the function with this name.
        struct Map;
        impl<T: Element> Kernel3<T, &str, &[T], &mut [T]> for Map {
            type Out = ();
            fn run<I: Lanes<T>>(isa: I, name: &str, x: &[T], y: &mut [T]) {
                match name {
                    $(stringify!($name) => map(isa, x, y, |v: I::Vector| v.$name()),)*
                    _ => panic!("no function {name}"),
                }
            }
        }
    };
}

unary! {
    exp core_math::exp, core_math::expf;
    exp2 core_math::exp2, core_math::exp2f;
    exp_m1 core_math::expm1, core_math::expm1f;
    ln core_math::log, core_math::logf;
    ln_1p core_math::log1p, core_math::log1pf;
    log2 core_math::log2, core_math::log2f;
    log10 core_math::log10, core_math::log10f;
    sqrt f64::sqrt, f32::sqrt;
    recip f64::recip, f32::recip;
    abs f64::abs, f32::abs;
    signum f64::signum, f32::signum;
    floor f64::floor, f32::floor;
    ceil f64::ceil, f32::ceil;
    round f64::round, f32::round;
    cbrt core_math::cbrt, core_math::cbrtf;
    sin core_math::sin, core_math::sinf;
    cos core_math::cos, core_math::cosf;
    tan core_math::tan, core_math::tanf;
    asin core_math::asin, core_math::asinf;
    acos core_math::acos, core_math::acosf;
    atan core_math::atan, core_math::atanf;
    sinh core_math::sinh, core_math::sinhf;
    cosh core_math::cosh, core_math::coshf;
    tanh core_math::tanh, core_math::tanhf;
    asinh core_math::asinh, core_math::asinhf;
    acosh core_math::acosh, core_math::acoshf;
    atanh core_math::atanh, core_math::atanhf;
    sigmoid sigmoid, |x| sigmoid(x.into()) as f32;
    softplus softplus, |x| softplus(x.into()) as f32;
    erf core_math::erf, core_math::erff;
}

fn map<T: Element, I: Lanes<T>>(isa: I, x: &[T], y: &mut [T], f: impl Fn(I::Vector) -> I::Vector) {
    for at in (0..x.len()).step_by(I::Vector::WIDTH) {
        f(I::Vector::load(isa, x, at)).store(y, at);
    }
}

/// A function of two arguments, as [`Unary`].
struct Binary<T> {
    name: &'static str,
    real: fn(T, T) -> T,
    exact: fn(T, T) -> T,
}

macro_rules! binary {
    ($($name:ident $double:expr, $single:expr;)*) => {
        fn binary_f64() -> Vec<Binary<f64>> {
            vec![clamp(), $(Binary { name: stringify!($name), real: Real::$name, exact: $double }),*]
        }

        fn binary_f32() -> Vec<Binary<f32>> {
            vec![clamp(), $(Binary { name: stringify!($name), real: Real::$name, exact: $single }),*]
        }

        /// Maps the function with this name.
        struct Map2;
        impl<T: Element> Kernel4<T, &str, &[T], &[T], &mut [T]> for Map2 {
            type Out = ();
            fn run<I: Lanes<T>>(isa: I, name: &str, x: &[T], y: &[T], z: &mut [T]) {
                match name {
                    "clamp" => map2(isa, x, y, z, |a: I::Vector, b| a.clamp(-b.abs(), b.abs())),
                    $(stringify!($name) => map2(isa, x, y, z, |a: I::Vector, b| a.$name(b)),)*
                    _ => panic!("no function {name}"),
                }
            }
        }
    };
}

binary! {
    powf core_math::pow, core_math::powf;
    atan2 core_math::atan2, core_math::atan2f;
    hypot core_math::hypot, core_math::hypotf;
    max f64::max, f32::max;
    min f64::min, f32::min;
}

/// Between −|b| and |b|, which is of three arguments.
fn clamp<T: Number>() -> Binary<T> {
    Binary {
        name: "clamp",
        real: |a, b| a.clamp(-b.abs(), b.abs()),
        exact: |a, b| a.max(-b.abs()).min(b.abs()),
    }
}

fn map2<T: Element, I: Lanes<T>>(
    isa: I,
    x: &[T],
    y: &[T],
    z: &mut [T],
    f: impl Fn(I::Vector, I::Vector) -> I::Vector,
) {
    for at in (0..x.len()).step_by(I::Vector::WIDTH) {
        f(I::Vector::load(isa, x, at), I::Vector::load(isa, y, at)).store(z, at);
    }
}

/// How many numbers lie between, at least one between what is special, or of another sign, and what is not.
fn distance<T: Number>(a: T, b: T) -> u64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) if a.is_negative() == b.is_negative() => a.order().abs_diff(b.order()),
        _ => u64::MAX,
    }
}

/// Says what is worst among results, and notes it if it is beyond the bound.
fn judge<T: Number>(
    what: &str,
    bound: Bound,
    results: &[T],
    exact: &[T],
    arguments: impl Fn(usize) -> String,
    failures: &mut Vec<String>,
) {
    let at = (0..exact.len()).max_by_key(|&k| distance(results[k], exact[k])).unwrap();
    let is = distance(results[at], exact[at]);
    let text =
        format!("{what}({}) = {:?}, not {:?}: {is} of {bound:?}", arguments(at), results[at], exact[at]);
    eprintln!("{text}");
    if is > bound {
        failures.push(text);
    }
}

/// What the functions give one at a time, or with `lanes`, at the level that is set.
fn check<T: Number>(
    (unary, binary): (&[Unary<T>], &[Binary<T>]),
    exact: &(Vec<Vec<T>>, Vec<Vec<T>>),
    (x, pairs): (&[T], &(Vec<T>, Vec<T>)),
    form: Form,
    failures: &mut Vec<String>,
) {
    let of = bounds(form, 8 * size_of::<T>());
    let place = format!("{} {form:?} f{}", simd::isa_name(), 8 * size_of::<T>());
    let mut y = vec![T::ZERO; x.len()];
    for (f, exact) in unary.iter().zip(&exact.0) {
        match form {
            Form::Single => y.iter_mut().zip(x).for_each(|(y, &x)| *y = (f.real)(x)),
            Form::Lanes => dispatch3::<Map, T, _, _, _>(f.name, x, &mut y),
        }
        judge(&format!("{place} {}", f.name), of(f.name), &y, exact, |k| format!("{:?}", x[k]), failures);
    }
    let (a, b) = pairs;
    let mut y = vec![T::ZERO; a.len()];
    for (f, exact) in binary.iter().zip(&exact.1) {
        match form {
            Form::Single => (0..y.len()).for_each(|k| y[k] = (f.real)(a[k], b[k])),
            Form::Lanes => dispatch4::<Map2, T, _, _, _, _>(f.name, a, b, &mut y),
        }
        let extreme = matches!(f.name, "max" | "min" | "clamp");
        if extreme {
            // Of zeros of both signs, either.
            y.iter_mut().for_each(|y| *y = y.plus_zero());
        }
        let arguments = |k: usize| format!("{:?}, {:?}", a[k], b[k]);
        judge(&format!("{place} {}", f.name), of(f.name), &y, exact, arguments, failures);
    }
}

/// The correctly rounded results.
fn exact<T: Number>(
    (unary, binary): (&[Unary<T>], &[Binary<T>]),
    x: &[T],
    (a, b): &(Vec<T>, Vec<T>),
) -> (Vec<Vec<T>>, Vec<Vec<T>>) {
    let of_two = |f: &Binary<T>| {
        let all = a.iter().zip(b).map(|(&a, &b)| (f.exact)(a, b));
        if matches!(f.name, "max" | "min" | "clamp") {
            all.map(T::plus_zero).collect()
        } else {
            all.collect()
        }
    };
    (
        unary.iter().map(|f| x.iter().map(|&x| (f.exact)(x)).collect()).collect(),
        binary.iter().map(of_two).collect(),
    )
}

/// A test of its own binary alone: `limit` is for the whole process.
#[test]
fn within_the_bounds_of_the_manual() {
    let mut failures = Vec::new();
    let double = (&unary_f64()[..], &binary_f64()[..]);
    let single = (&unary_f32()[..], &binary_f32()[..]);
    let (x, x_single) = (singles::<f64>(50), singles::<f32>(400));
    let (pairs, pairs_single) = (pairs::<f64>(20), pairs::<f32>(20));
    let (y, y_single) = (exact(double, &x, &pairs), exact(single, &x_single, &pairs_single));
    check(double, &y, (&x, &pairs), Form::Single, &mut failures);
    check(single, &y_single, (&x_single, &pairs_single), Form::Single, &mut failures);
    powi::singles(&mut failures);
    for level in levels::levels() {
        levels::limit(level);
        check(double, &y, (&x, &pairs), Form::Lanes, &mut failures);
        check(single, &y_single, (&x_single, &pairs_single), Form::Lanes, &mut failures);
        powi::lanes(&mut failures);
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Every function has a bound, and every bound a function.
#[test]
fn the_manual_has_all_functions() {
    let mut tested: Vec<&str> = unary_f64().iter().map(|f| f.name).collect();
    tested.extend(binary_f64().iter().map(|f| f.name));
    let mut told = bounds::names();
    tested.sort_unstable();
    told.sort_unstable();
    assert_eq!(tested, told);
}
