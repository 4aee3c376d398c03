//! What scalar primitives compute.

use crate::prim::{Formula, Outer, Prim};

/// A primitive, whose indices `index` evaluates.
///
/// # Errors
/// Those of `index`, and a wrong number of arguments.
pub fn prim(
    f: &Prim,
    args: &[f64],
    index: &mut dyn FnMut(&crate::index::Affine) -> Result<i64, String>,
) -> Result<f64, String> {
    Ok(match (f, args) {
        (Prim::Unary(f), [x]) => f.value(*x),
        (Prim::Binary(f), [x, y]) => f.value(*x, *y),
        (Prim::Clamp, [x, low, high]) => x.max(*low).min(*high),
        (Prim::Powi(k), [x]) => powi(*x, index(k)?),
        (Prim::Stop, [x]) => *x,
        (Prim::FiniteOrZero, [x]) => {
            if x.is_finite() {
                *x
            } else {
                0.0
            }
        }
        (Prim::Outer(Outer::Rust(path)), [x]) => {
            rust(path).ok_or_else(|| format!("`{path}` has no value here"))?(*x)
        }
        (Prim::Outer(Outer::Rust(path)), [x, y]) => {
            rust_of_two(path).ok_or_else(|| format!("`{path}` has no value here"))?(*x, *y)
        }
        (Prim::Outer(Outer::Custom | Outer::Hold), [x, ..]) => *x,
        // Only derivatives read what a value is differentiated by.
        (Prim::Outer(Outer::Missing(..)), _) => f64::NAN,
        (Prim::Formula(e), args) => formula(e, args, index)?,
        (
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Powi(_)
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_),
            _,
        ) => {
            return Err(format!("{} arguments for {f:?}", args.len()));
        }
    })
}

fn formula(
    e: &Formula,
    args: &[f64],
    index: &mut dyn FnMut(&crate::index::Affine) -> Result<i64, String>,
) -> Result<f64, String> {
    Ok(match e {
        Formula::Arg(k) => *args.get(*k).ok_or_else(|| format!("no argument {k}"))?,
        Formula::Number(c) => *c,
        Formula::OfIndex(a) => real(index(a)?),
        Formula::Neg(a) => -formula(a, args, index)?,
        Formula::Add(a, b) => formula(a, args, index)? + formula(b, args, index)?,
        Formula::Mul(a, b) => formula(a, args, index)? * formula(b, args, index)?,
        Formula::Apply(f, inner) => {
            let values = inner.iter().map(|a| formula(a, args, index)).collect::<Result<Vec<_>, _>>()?;
            prim(f, &values, index)?
        }
    })
}

/// An index as a number.
#[must_use]
pub fn real(i: i64) -> f64 {
    i as f64
}

/// `x.powi(k)`, beyond the exponents of Rust's as the product of two powers whose exponents are numbers, of the sign that k makes.
#[must_use]
pub fn powi(x: f64, k: i64) -> f64 {
    match i32::try_from(k) {
        Ok(k) => x.powi(k),
        Err(_) => {
            let rest = k % 4096;
            let power = x.abs().powf(real(k - rest)) * x.abs().powf(real(rest));
            if k % 2 == 0 { power } else { power.copysign(x) }
        }
    }
}

/// The constants of the standard library, by the last part of their path.
#[must_use]
pub fn constant(path: &str) -> Option<f64> {
    use std::f64::consts as c;
    let name = path.rsplit(':').next().unwrap_or(path).trim();
    Some(match name {
        "PI" => c::PI,
        "TAU" => c::TAU,
        "E" => c::E,
        "LN_2" => c::LN_2,
        "LN_10" => c::LN_10,
        "SQRT_2" => c::SQRT_2,
        "FRAC_PI_2" => c::FRAC_PI_2,
        "FRAC_PI_4" => c::FRAC_PI_4,
        "FRAC_1_PI" => c::FRAC_1_PI,
        "FRAC_1_SQRT_2" => c::FRAC_1_SQRT_2,
        "FRAC_2_SQRT_PI" => c::FRAC_2_SQRT_PI,
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "EPSILON" => f64::EPSILON,
        "MAX" => f64::MAX,
        "MIN" => f64::MIN,
        "MIN_POSITIVE" => f64::MIN_POSITIVE,
        _ => return None,
    })
}

/// Some functions of the standard library, as if they were foreign.
#[must_use]
pub fn rust(path: &str) -> Option<fn(f64) -> f64> {
    Some(match path {
        "f64::sin" | "f32::sin" => f64::sin,
        "f64::cos" | "f32::cos" => f64::cos,
        "f64::exp" | "f32::exp" => f64::exp,
        _ => return None,
    })
}

/// The same of two numbers.
#[must_use]
pub fn rust_of_two(path: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match path {
        "f64::atan2" | "f32::atan2" => f64::atan2,
        "f64::hypot" | "f32::hypot" => f64::hypot,
        "f64::powf" | "f32::powf" => f64::powf,
        "f64::midpoint" | "f32::midpoint" => f64::midpoint,
        _ => return None,
    })
}

/// What a primitive of `arity` arguments costs.
#[must_use]
pub fn cost(f: &Prim, arity: usize) -> u64 {
    match f {
        Prim::Unary(_) | Prim::Binary(_) | Prim::Clamp => arity as u64,
        Prim::Powi(_) | Prim::Formula(_) => 1,
        Prim::Outer(Outer::Rust(_)) => arity as u64,
        Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) => 0,
    }
}
