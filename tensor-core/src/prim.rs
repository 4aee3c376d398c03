//! Scalar primitives: the functions of the language that loops call on numbers.

pub mod formula;
pub mod partials;
#[cfg(test)]
mod tests;

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
    /// A partial that was not declared: whatever needs it is an error. In words.
    Missing(String),
}

impl Outer {
    /// What it is called where it is printed.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Outer::Rust(path) => path.rsplit(':').next().unwrap_or(path),
            Outer::Custom => "custom",
            Outer::Hold => "hold",
            Outer::Missing(_) => "missing",
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
