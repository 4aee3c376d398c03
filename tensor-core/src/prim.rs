//! Scalar primitives: the functions of the language that loops call on numbers.

pub mod formula;
pub mod partials;
pub mod table;
#[cfg(test)]
mod tests;

use crate::error::Site;
use crate::index::Affine;
pub use table::{BINARY, Binary, UNARY, Unary};

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
