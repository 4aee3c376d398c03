//! Scalar primitives: the functions of the language that loops call on numbers.

pub mod formula;
pub mod partials;
#[cfg(test)]
mod tests;

use crate::error::Site;
use crate::index::Affine;

/// Functions of one argument, named as Rust names them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Exp,
    Exp2,
    Ln,
    Log2,
    Log10,
    Sqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Abs,
    Recip,
    ExpM1,
    Ln1p,
    Signum,
    Floor,
    Ceil,
    Round,
    /// `1 / (1 + exp(-x))`
    Sigmoid,
    /// `ln(1 + exp(x))`
    Softplus,
    /// The error function.
    Erf,
}

/// All of them.
pub const UNARY: &[Unary] = &[
    Unary::Exp,
    Unary::Exp2,
    Unary::Ln,
    Unary::Log2,
    Unary::Log10,
    Unary::Sqrt,
    Unary::Cbrt,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Asin,
    Unary::Acos,
    Unary::Atan,
    Unary::Sinh,
    Unary::Cosh,
    Unary::Tanh,
    Unary::Asinh,
    Unary::Acosh,
    Unary::Atanh,
    Unary::Abs,
    Unary::Recip,
    Unary::ExpM1,
    Unary::Ln1p,
    Unary::Signum,
    Unary::Floor,
    Unary::Ceil,
    Unary::Round,
    Unary::Sigmoid,
    Unary::Softplus,
    Unary::Erf,
];

/// Functions of two arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    /// `a / b`
    Div,
    Atan2,
    Hypot,
    Powf,
    /// Rust's `f64::max`: the other one where one is NaN. At a tie the derivative goes to the first argument.
    Max,
    /// Rust's `f64::min`, likewise.
    Min,
}

/// A scalar function as a statement calls it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Prim {
    /// `f(x)`
    Unary(Unary),
    /// `f(x, y)`
    Binary(Binary),
    /// `x.clamp(low, high)`, as `x.max(low).min(high)`: it never panics.
    Clamp,
    /// `x.powi(k)` with a literal, an index or a size. At most 2 in size, a literal exponent becomes a product before SSA.
    Powi(Affine),
    /// `x`, with derivative zero. A barrier to substitution until scheduling erases it.
    Stop,
    /// `x` where it is finite, else 0, with derivative zero: the shift of `logsumexp`.
    FiniteOrZero,
    /// What the language does not define.
    Outer(Outer),
    /// A closed form of its arguments: partial derivatives that are no single primitive. One operation by the cost model.
    Formula(Box<Formula>),
}

/// See [`Prim::Outer`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outer {
    /// A Rust function by its path. It stands as the first argument of a [`Outer::Custom`] only, which has its derivative.
    Rust(String),
    /// `custom(v, p, x, q, y, …)` is v, with the differential `p · dx + q · dy + …`.
    Custom,
    /// `hold(p)` is p, with derivative zero; where it multiplies a differential, it is p: of `hold(p) · x` the differential is `p · dx`.
    Hold,
    /// A partial that was not declared, of a function of the arguments: whatever needs it is an error. In words, and where the function is called.
    Missing(String, Site),
}

impl Outer {
    /// What it is called where it is printed.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Outer::Rust(path) => path.rsplit(':').next().unwrap_or(path),
            Outer::Custom => "custom",
            Outer::Hold => "hold",
            Outer::Missing(..) => "missing",
        }
    }
}

/// A scalar expression over the arguments of a [`Prim::Formula`].
#[derive(Clone, PartialEq, PartialOrd, Debug)]
pub enum Formula {
    /// The k-th argument of the statement.
    Arg(usize),
    /// A literal.
    Number(f64),
    /// An index or size as a number.
    OfIndex(Affine),
    /// `-a`
    Neg(Box<Formula>),
    /// `a + b`
    Add(Box<Formula>, Box<Formula>),
    /// `a * b`
    Mul(Box<Formula>, Box<Formula>),
    /// A primitive (never itself a [`Prim::Formula`]) applied to formulas.
    Apply(Prim, Vec<Formula>),
}

// Numbers in formulas come from the table of partials and from folding, which makes no NaN; ordering is by bits.
impl Eq for Formula {}

#[allow(clippy::derive_ord_xor_partial_ord)]
impl Ord for Formula {
    fn cmp(&self, other: &Formula) -> std::cmp::Ordering {
        self.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
    }
}

impl Unary {
    /// As Rust names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unary::Exp => "exp",
            Unary::Exp2 => "exp2",
            Unary::Ln => "ln",
            Unary::Log2 => "log2",
            Unary::Log10 => "log10",
            Unary::Sqrt => "sqrt",
            Unary::Cbrt => "cbrt",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sinh => "sinh",
            Unary::Cosh => "cosh",
            Unary::Tanh => "tanh",
            Unary::Asinh => "asinh",
            Unary::Acosh => "acosh",
            Unary::Atanh => "atanh",
            Unary::Abs => "abs",
            Unary::Recip => "recip",
            Unary::ExpM1 => "exp_m1",
            Unary::Ln1p => "ln_1p",
            Unary::Signum => "signum",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
            Unary::Round => "round",
            Unary::Sigmoid => "sigmoid",
            Unary::Softplus => "softplus",
            Unary::Erf => "erf",
        }
    }
}

impl Binary {
    /// As Rust names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Binary::Div => "div",
            Binary::Atan2 => "atan2",
            Binary::Hypot => "hypot",
            Binary::Powf => "powf",
            Binary::Max => "max",
            Binary::Min => "min",
        }
    }
}

impl Unary {
    /// `f(x)`, but of `erf`, which Rust does not have.
    #[must_use]
    pub fn value(self, x: f64) -> Option<f64> {
        Some(match self {
            Unary::Exp => x.exp(),
            Unary::Exp2 => x.exp2(),
            Unary::Ln => x.ln(),
            Unary::Log2 => x.log2(),
            Unary::Log10 => x.log10(),
            Unary::Sqrt => x.sqrt(),
            Unary::Cbrt => x.cbrt(),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => x.tanh(),
            Unary::Asinh => x.asinh(),
            Unary::Acosh => x.acosh(),
            Unary::Atanh => x.atanh(),
            Unary::Abs => x.abs(),
            Unary::Recip => x.recip(),
            Unary::ExpM1 => x.exp_m1(),
            Unary::Ln1p => x.ln_1p(),
            Unary::Signum => x.signum(),
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Round => x.round(),
            Unary::Sigmoid => sigmoid(x),
            Unary::Softplus => x.max(0.0) + (-x.abs()).exp().ln_1p(),
            Unary::Erf => return None,
        })
    }
}

fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

impl Prim {
    /// A name for what it gives for an argument of this name: `sin_x` for `x.sin()`. Of an argument that is named so itself, its function
    /// alone: `ln_exp` for `exp_x.ln()`.
    #[must_use]
    pub fn name_of(&self, arg: &str) -> String {
        match self {
            Prim::Unary(f) => name_of(f.name(), arg),
            Prim::Binary(Binary::Div) => "ratio".into(),
            Prim::Binary(f) => name_of(f.name(), arg),
            Prim::Clamp => name_of("clamp", arg),
            Prim::Powi(_) => name_of("power", arg),
            Prim::Stop => name_of("stop", arg),
            Prim::FiniteOrZero => "shift".into(),
            Prim::Outer(f) => name_of(f.name(), arg),
            Prim::Formula(_) => name_of("formula", arg),
        }
    }
}

/// `f_x`, see [`Prim::name_of`].
#[must_use]
pub fn name_of(f: &str, arg: &str) -> String {
    const OTHERS: &[&str] = &["sum", "max", "min", "power", "stop", "clamp", "formula"];
    let of = match arg.split_once('_') {
        Some((g, _)) if UNARY.iter().any(|u| u.name() == g) || OTHERS.contains(&g) => g,
        Some(_) | None => arg,
    };
    let is_name = of.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_name { format!("{f}_{of}") } else { f.to_string() }
}
