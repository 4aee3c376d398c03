//! All scalar functions of the language, a row for each: its name, in programs and of its kernel, its value, its cost, and its partial derivatives.
//! What else the compiler does with a function, it does by this table.

use super::formula::{apply, unary as of};
use super::partials::{Case, Test, always, eq, le, lt, nonzero, when};
use super::{Formula, Prim};
use crate::weights::cost;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E};

/// A row of a function of one argument.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    value: Value,
    cost: f64,
    at_zero: Slope,
    partial: fn(Arg, Arg) -> Vec<Case>,
}

/// `f(x)` in the compiler.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// Put in where the argument is a literal.
    Folded(fn(f64) -> f64),
    /// For the evaluators alone: the kernel is more exact.
    Evaluated(fn(f64) -> f64),
}

/// Whether a partial is infinite where the argument is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slope {
    Finite,
    Infinite,
}

/// The argument or the result, in the column of partials.
type Arg<'a> = &'a dyn Fn() -> Formula;

macro_rules! of_one {
    ($($(#[$doc:meta])* $f:ident $name:literal $value:expr, $cost:ident, $at_zero:ident, $partial:expr;)*) => {
        /// Functions of one argument, named as Rust names them.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[allow(missing_docs)]
        pub enum Unary {
            $($(#[$doc])* $f,)*
        }

        /// All of them.
        pub const UNARY: &[Unary] = &[$(Unary::$f),*];

        impl Unary {
            fn row(self) -> &'static Row {
                match self {
                    $(Unary::$f => {
                        const ROW: Row =
                            Row { name: $name, value: $value, cost: cost::$cost, at_zero: $at_zero, partial: $partial };
                        &ROW
                    })*
                }
            }
        }
    };
}

use Slope::{Finite, Infinite};
use Value::{Evaluated, Folded};

// The variant, the name, the value, what a vector of it costs, whether its partial is infinite at 0, and the partial of y = f(x) by x. Where y is
// cheaper than x, the partial is of y.
#[rustfmt::skip]
of_one! {
    Exp    "exp"    Folded(f64::exp),    FUNCTION,      Finite,   |_, y| always(y());
    Exp2   "exp2"   Folded(f64::exp2),   FUNCTION,      Finite,   |_, y| always(LN_2 * y());
    Ln     "ln"     Folded(f64::ln),     FUNCTION,      Infinite, |x, _| always(recip(x()));
    Log2   "log2"   Folded(f64::log2),   FUNCTION,      Infinite, |x, _| always(LOG2_E * recip(x()));
    Log10  "log10"  Folded(f64::log10),  FUNCTION,      Infinite, |x, _| always(LOG10_E * recip(x()));
    Sqrt   "sqrt"   Folded(f64::sqrt),   ROOT,          Infinite, |_, y| always(0.5 * recip(y()));
    Cbrt   "cbrt"   Folded(f64::cbrt),   LONG_FUNCTION, Infinite, |_, y| always(recip(3.0 * (y() * y())));
    Sin    "sin"    Folded(f64::sin),    FUNCTION,      Finite,   |x, _| always(of(Unary::Cos, x()));
    Cos    "cos"    Folded(f64::cos),    FUNCTION,      Finite,   |x, _| always(-of(Unary::Sin, x()));
    Tan    "tan"    Folded(f64::tan),    LONG_FUNCTION, Finite,   |_, y| always(1.0 + y() * y());
    Asin   "asin"   Folded(f64::asin),   LONG_FUNCTION, Finite,   |x, _| always(recip(sqrt((1.0 - x()) * (1.0 + x()))));
    Acos   "acos"   Folded(f64::acos),   LONG_FUNCTION, Finite,   |x, _| always(-recip(sqrt((1.0 - x()) * (1.0 + x()))));
    Atan   "atan"   Folded(f64::atan),   LONG_FUNCTION, Finite,   |x, _| always(recip(1.0 + x() * x()));
    Sinh   "sinh"   Folded(f64::sinh),   LONG_FUNCTION, Finite,   |x, _| always(of(Unary::Cosh, x()));
    Cosh   "cosh"   Folded(f64::cosh),   LONG_FUNCTION, Finite,   |x, _| always(of(Unary::Sinh, x()));
    Tanh   "tanh"   Folded(f64::tanh),   LONG_FUNCTION, Finite,   |_, y| always(1.0 - y() * y());
    Asinh  "asinh"  Folded(f64::asinh),  LONG_FUNCTION, Finite,   |x, _| always(recip(sqrt(1.0 + x() * x())));
    Acosh  "acosh"  Folded(f64::acosh),  LONG_FUNCTION, Finite,   |x, _| always(recip(sqrt((x() - 1.0.into()) * (x() + 1.0.into()))));
    Atanh  "atanh"  Folded(f64::atanh),  LONG_FUNCTION, Finite,   |x, _| always(recip((1.0 - x()) * (1.0 + x())));
    Abs    "abs"    Folded(f64::abs),    OPERATION,     Finite,   |x, _| sign(&x());
    Recip  "recip"  Folded(f64::recip),  DIVISION,      Infinite, |_, y| always(-(y() * y()));
    ExpM1  "exp_m1" Folded(f64::exp_m1), LONG_FUNCTION, Finite,   |x, _| always(of(Unary::Exp, x()));
    Ln1p   "ln_1p"  Folded(f64::ln_1p),  LONG_FUNCTION, Finite,   |x, _| always(recip(1.0 + x()));
    Signum "signum" Folded(f64::signum), OPERATION,     Finite,   |_, _| vec![];
    Floor  "floor"  Folded(f64::floor),  OPERATION,     Finite,   |_, _| vec![];
    Ceil   "ceil"   Folded(f64::ceil),   OPERATION,     Finite,   |_, _| vec![];
    Round  "round"  Folded(f64::round),  OPERATION,     Finite,   |_, _| vec![];
    /// `1 / (1 + exp(-x))`
    Sigmoid  "sigmoid"  Folded(sigmoid),  LONG_FUNCTION, Finite, |_, y| always(y() * (1.0 - y()));
    /// `ln(1 + exp(x))`
    Softplus "softplus" Folded(softplus), LONG_FUNCTION, Finite, |x, _| always(of(Unary::Sigmoid, x()));
    /// The error function.
    Erf      "erf"      Evaluated(erf),   LONG_FUNCTION, Finite, |x, _| always(FRAC_2_SQRT_PI * of(Unary::Exp, -(x() * x())));
}

/// A row of a function of two arguments. `steep` is the argument by which the partial is infinite where that argument is 0.
#[derive(Clone, Copy, Debug)]
struct Row2 {
    name: &'static str,
    value: fn(f64, f64) -> f64,
    cost: f64,
    steep: Option<usize>,
    partials: fn(&Formula, &Formula, &Formula) -> [Vec<Case>; 2],
}

macro_rules! of_two {
    ($($(#[$doc:meta])* $f:ident $name:literal $value:expr, $cost:ident, $steep:expr, $partials:expr;)*) => {
        /// Functions of two arguments.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[allow(missing_docs)]
        pub enum Binary {
            $($(#[$doc])* $f,)*
        }

        /// All of them.
        pub const BINARY: &[Binary] = &[$(Binary::$f),*];

        impl Binary {
            fn row(self) -> &'static Row2 {
                match self {
                    $(Binary::$f => {
                        const ROW: Row2 =
                            Row2 { name: $name, value: $value, cost: cost::$cost, steep: $steep, partials: $partials };
                        &ROW
                    })*
                }
            }
        }
    };
}

// The variant, the name, the value, what a vector of it costs, the argument of a partial that is infinite at 0, and the partials of y = f(a, b).
#[rustfmt::skip]
of_two! {
    /// `a / b`
    Div   "div"   |a, b| a / b, DIVISION,      Some(1), of_div;
    Atan2 "atan2" f64::atan2,   LONG_FUNCTION, None,    of_atan2;
    Hypot "hypot" f64::hypot,   LONG_FUNCTION, None,    |a, b, y| [a, b].map(|x| when([nonzero(y)], x.clone() * recip(y.clone())));
    Powf  "powf"  f64::powf,    LONG_FUNCTION, Some(0), of_powf;
    /// Rust's `f64::max`: the other one where one is NaN. At a tie the derivative goes to the first argument.
    Max   "max"   f64::max,     OPERATION,     None,    |a, b, y| first_or_other(a, b, y, |number, x| (number, x));
    /// Rust's `f64::min`, likewise.
    Min   "min"   f64::min,     OPERATION,     None,    |a, b, y| first_or_other(a, b, y, |number, x| (x, number));
}

impl Unary {
    /// As programs name it, and kernels.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// `f(x)`, as evaluators compute it.
    #[must_use]
    pub fn value(self, x: f64) -> f64 {
        match self.row().value {
            Folded(f) | Evaluated(f) => f(x),
        }
    }

    /// `f(x)`, where it may stand in the place of a literal argument.
    #[must_use]
    pub fn folded(self, x: f64) -> Option<f64> {
        match self.row().value {
            Folded(f) => Some(f(x)),
            Evaluated(_) => None,
        }
    }

    /// The time of a vector of it: see [`crate::weights`].
    #[must_use]
    pub(crate) fn cost(self) -> f64 {
        self.row().cost
    }

    /// See [`super::partials::steep`].
    pub(super) fn steep(self) -> Option<usize> {
        (self.row().at_zero == Infinite).then_some(0)
    }

    /// Of `y = f(x)`, see [`super::partials::partials`].
    pub(super) fn partial(self, x: &Formula, y: &Formula) -> Vec<Case> {
        (self.row().partial)(&|| x.clone(), &|| y.clone())
    }
}

impl Binary {
    /// As programs name it, and kernels; a division is written otherwise in both.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// `f(a, b)`
    #[must_use]
    pub fn value(self, a: f64, b: f64) -> f64 {
        (self.row().value)(a, b)
    }

    /// The time of a vector of it: see [`crate::weights`].
    #[must_use]
    pub(crate) fn cost(self) -> f64 {
        self.row().cost
    }

    /// See [`super::partials::steep`].
    pub(super) fn steep(self) -> Option<usize> {
        self.row().steep
    }

    /// Of `y = f(a, b)`, see [`super::partials::partials`].
    pub(super) fn partials(self, a: &Formula, b: &Formula, y: &Formula) -> [Vec<Case>; 2] {
        (self.row().partials)(a, b, y)
    }
}

/// The functions of two arguments that are called by their names.
pub fn named_binary() -> impl Iterator<Item = Binary> {
    BINARY.iter().copied().filter(|f| *f != Binary::Div)
}

/// The names of all functions of numbers.
pub fn names() -> impl Iterator<Item = &'static str> {
    UNARY.iter().map(|f| f.name()).chain(named_binary().map(Binary::name)).chain(["clamp", "powi"])
}

fn recip(a: Formula) -> Formula {
    of(Unary::Recip, a)
}

fn sqrt(a: Formula) -> Formula {
    of(Unary::Sqrt, a)
}

/// 1 where x is positive, -1 where it is negative.
fn sign(x: &Formula) -> Vec<Case> {
    [when([lt(&0.0.into(), x)], 1.0), when([lt(x, &0.0.into())], -1.0)].concat()
}

/// `1 / b` and `-a / b²`
fn of_div(a: &Formula, b: &Formula, y: &Formula) -> [Vec<Case>; 2] {
    let by_second = match a {
        Formula::Number(c) if *c != 0.0 => (-1.0 / c) * (y.clone() * y.clone()),
        _ => -(y.clone() * recip(b.clone())),
    };
    [always(recip(b.clone())), always(by_second)]
}

/// `b / (a² + b²)` and `-a / (a² + b²)`, 0 at the origin.
fn of_atan2(a: &Formula, b: &Formula, _: &Formula) -> [Vec<Case>; 2] {
    let (x, z) = (|| a.clone(), || b.clone());
    let by = |side: Formula| when([off_origin(a, b)], side * recip(x() * x() + z() * z()));
    [by(z()), when([off_origin(a, b)], -(x() * recip(x() * x() + z() * z())))]
}

/// `b · aᵇ⁻¹` and `aᵇ · ln a`
fn of_powf(a: &Formula, b: &Formula, y: &Formula) -> [Vec<Case>; 2] {
    let less = apply(Prim::Binary(Binary::Powf), vec![a.clone(), b.clone() - 1.0.into()]);
    [when([off_origin(a, b)], b.clone() * less), when([nonzero(a)], y.clone() * of(Unary::Ln, a.clone()))]
}

fn off_origin(a: &Formula, b: &Formula) -> Test {
    Test::Or(Box::new(nonzero(a)), Box::new(nonzero(b)))
}

/// 1 for the argument that the result is. Against a number, the side of a comparison says it, whose sides `order` gives; else whether the result is
/// the first argument, which is right for NaN too.
fn first_or_other(
    a: &Formula,
    b: &Formula,
    y: &Formula,
    order: for<'a> fn(&'a Formula, &'a Formula) -> (&'a Formula, &'a Formula),
) -> [Vec<Case>; 2] {
    let is_first = |holds| match b {
        Formula::Number(_) => {
            let (low, high) = order(b, a);
            le(low, high, holds)
        }
        _ => eq(a, y, holds),
    };
    [when([is_first(true)], 1.0), when([is_first(false)], 1.0)]
}

fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// `2/√π · exp(-x²) · Σ 2ᵏ x²ᵏ⁺¹ / (2k+1)!!` near 0, where all terms have one sign; the continued fraction of `1 - erf` beyond.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() || a >= 6.0 {
        return if a.is_nan() { x } else { x.signum() };
    }
    if a < 2.5 {
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while term.abs() > sum.abs() * 1e-18 {
            term *= 2.0 * x * x / (2.0 * k + 1.0);
            sum += term;
            k += 1.0;
        }
        return FRAC_2_SQRT_PI * (-x * x).exp() * sum;
    }
    let tail = (1..=80).rev().fold(a, |below, k| a + 0.5 * f64::from(k) / below);
    x.signum() * (1.0 - 0.5 * FRAC_2_SQRT_PI * (-a * a).exp() / tail)
}
