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
use tensor_kernels::math::Real;
use tensor_kernels::simd::{self, Element, Kernel3, Kernel4, Lane, Lanes, dispatch3, dispatch4};

/// A function of one argument: its name, the function of single numbers, and the correctly rounded one.
struct Unary<T> {
    name: &'static str,
    real: fn(T) -> T,
    exact: fn(T) -> T,
}

/// A function of two arguments, as [`Unary`].
struct Binary<T> {
    name: &'static str,
    real: fn(T, T) -> T,
    exact: fn(T, T) -> T,
}

/// The functions of the table, and kernels that map the one of a name.
macro_rules! functions {
    (; $($(#[$doc:meta])* $name:ident $args:tt: $value:ident $of:tt, $lanes:ident, [$double:expr, $single:expr];)*) => {
        fn unary_f64() -> Vec<Unary<f64>> {
            [$(functions!(@one $args $name $double)),*].into_iter().flatten().collect()
        }

        fn unary_f32() -> Vec<Unary<f32>> {
            [$(functions!(@one $args $name $single)),*].into_iter().flatten().collect()
        }

        fn binary_f64() -> Vec<Binary<f64>> {
            [Some(clamp()), $(functions!(@two $args $name $double)),*].into_iter().flatten().collect()
        }

        fn binary_f32() -> Vec<Binary<f32>> {
            [Some(clamp()), $(functions!(@two $args $name $single)),*].into_iter().flatten().collect()
        }

        struct Map;
        impl<T: Element> Kernel3<T, &str, &[T], &mut [T]> for Map {
            type Out = ();
            fn run<I: Lanes<T>>(isa: I, name: &str, x: &[T], y: &mut [T]) {
                $(functions!(@map $args $name: name, isa, x, y);)*
                panic!("no function {name}")
            }
        }

        struct Map2;
        impl<T: Element> Kernel4<T, &str, &[T], &[T], &mut [T]> for Map2 {
            type Out = ();
            fn run<I: Lanes<T>>(isa: I, name: &str, x: &[T], y: &[T], z: &mut [T]) {
                if name == "clamp" {
                    return map2(isa, x, y, z, |a: I::Vector, b| a.clamp(-b.abs(), b.abs()));
                }
                $(functions!(@map2 $args $name: name, isa, x, y, z);)*
                panic!("no function {name}")
            }
        }
    };
    (@one () $name:ident $exact:expr) => {
        Some(Unary { name: stringify!($name), real: Real::$name, exact: $exact })
    };
    (@one ($arg:ident) $name:ident $exact:expr) => { None };
    (@two () $name:ident $exact:expr) => { None };
    (@two ($arg:ident) $name:ident $exact:expr) => {
        Some(Binary { name: stringify!($name), real: Real::$name, exact: $exact })
    };
    (@map () $name:ident: $of:ident, $($arg:ident),*) => {
        if $of == stringify!($name) {
            return map($($arg),*, |v: I::Vector| v.$name());
        }
    };
    (@map ($second:ident) $name:ident: $of:ident, $($arg:ident),*) => {};
    (@map2 () $name:ident: $of:ident, $($arg:ident),*) => {};
    (@map2 ($second:ident) $name:ident: $of:ident, $($arg:ident),*) => {
        if $of == stringify!($name) {
            return map2($($arg),*, |a: I::Vector, b| a.$name(b));
        }
    };
}

tensor_kernels::scalar_functions! { functions }

fn map<T: Element, I: Lanes<T>>(isa: I, x: &[T], y: &mut [T], f: impl Fn(I::Vector) -> I::Vector) {
    for at in (0..x.len()).step_by(I::Vector::WIDTH) {
        f(I::Vector::load(isa, x, at)).store(y, at);
    }
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
