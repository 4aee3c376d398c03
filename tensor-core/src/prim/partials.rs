//! The partial derivatives of all scalar functions: one table.

use super::formula::{apply, of_index, unary};
use super::{Binary, Formula, Outer, Prim, Unary};
use crate::index::{Affine, Cond};
use crate::ssa::RealCompare;
use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

/// `[tests] partial`: a piece of a partial derivative.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// All of them.
    pub tests: Vec<Test>,
    /// Of the arguments and the result.
    pub partial: Formula,
}

/// Where a piece counts.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// `left op right`, or its negation (which NaN satisfies).
    Real {
        /// The operator.
        op: RealCompare,
        /// Left side.
        left: Formula,
        /// Right side.
        right: Formula,
        /// Whether it must hold.
        holds: bool,
    },
    /// Of indices.
    Index(Cond),
    /// One of the two.
    Or(Box<Test>, Box<Test>),
}

impl Test {
    /// Its truth, if it does not depend on arguments or indices.
    #[must_use]
    pub fn decided(&self) -> Option<bool> {
        match self {
            Test::Real { op, left: Formula::Number(a), right: Formula::Number(b), holds } => Some(
                match op {
                    RealCompare::Lt => a < b,
                    RealCompare::Le => a <= b,
                    RealCompare::Eq => a == b,
                } == *holds,
            ),
            Test::Real { .. } => None,
            Test::Index(Cond::NonZero(k)) if k.is_constant() => Some(k.constant != 0),
            Test::Index(_) => None,
            Test::Or(a, b) => match (a.decided(), b.decided()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                (None, _) | (_, None) => None,
            },
        }
    }
}

impl Case {
    /// Without tests.
    #[must_use]
    pub fn always(partial: Formula) -> Case {
        Case { tests: vec![], partial }
    }
}

fn lt(a: &Formula, b: &Formula) -> Test {
    Test::Real { op: RealCompare::Lt, left: a.clone(), right: b.clone(), holds: true }
}

fn le(a: &Formula, b: &Formula, holds: bool) -> Test {
    Test::Real { op: RealCompare::Le, left: a.clone(), right: b.clone(), holds }
}

fn eq(a: &Formula, b: &Formula, holds: bool) -> Test {
    Test::Real { op: RealCompare::Eq, left: a.clone(), right: b.clone(), holds }
}

fn nonzero(a: &Formula) -> Test {
    eq(a, &0.0.into(), false)
}

fn when<const N: usize>(tests: [Test; N], partial: impl Into<Formula>) -> Vec<Case> {
    vec![Case { tests: tests.into(), partial: partial.into() }]
}

/// The partial derivatives of `y = prim(x)`, by each argument the sum of its cases; no cases: zero. The sides of the tests and the
/// partials are formulas of the arguments (as given in `x`) and the result (as given in `y`, used where that is cheaper).
///
/// A partial is infinite where the function is vertical (`sqrt` at 0) or has a pole; at ties and kinks it is one of the two sides or
/// 0; it is never `0 · ∞` where the function is finite.
#[must_use]
pub fn partials(prim: &Prim, x: &[Formula], y: &Formula) -> Vec<Vec<Case>> {
    match (prim, x) {
        (Prim::Unary(f), [x]) => vec![of_unary(*f, x, y)],
        (Prim::Binary(f), [a, b]) => of_binary(*f, a, b, y).into(),
        (Prim::Powi(k), [x]) => vec![of_powi(k, x)],
        (Prim::Clamp, [x, low, _]) => vec![
            when([eq(x, y, true)], 1.0),
            when([eq(x, y, false), eq(low, y, true)], 1.0),
            when([eq(x, y, false), eq(low, y, false)], 1.0),
        ],
        // custom(v, p, x, q, y, …): by x it is p, by y it is q.
        (Prim::Outer(Outer::Custom), x) => {
            let by = |k: usize| {
                if k > 0 && k.is_multiple_of(2) { vec![Case::always(x[k - 1].clone())] } else { vec![] }
            };
            (0..x.len()).map(by).collect()
        }
        (Prim::Formula(f), x) => {
            let f = f.substitute(&|k| x.get(k).cloned().unwrap_or(Formula::Arg(k)), &Affine::clone);
            (0..x.len()).map(|k| f.derivative(k)).collect()
        }
        (
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Powi(_)
            | Prim::Clamp
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_),
            _,
        ) => {
            vec![vec![]; x.len()]
        }
    }
}

/// The argument by which the partial is infinite where the argument is 0, as it is where it is a sum of nothing: a tangent that is zero there
/// may not meet it.
#[must_use]
pub fn steep(prim: &Prim) -> Option<usize> {
    match prim {
        Prim::Unary(f) => match f {
            Unary::Ln | Unary::Log2 | Unary::Log10 | Unary::Sqrt | Unary::Cbrt | Unary::Recip => Some(0),
            Unary::Exp
            | Unary::Exp2
            | Unary::Sin
            | Unary::Cos
            | Unary::Tan
            | Unary::Asin
            | Unary::Acos
            | Unary::Atan
            | Unary::Sinh
            | Unary::Cosh
            | Unary::Tanh
            | Unary::Asinh
            | Unary::Acosh
            | Unary::Atanh
            | Unary::Abs
            | Unary::ExpM1
            | Unary::Ln1p
            | Unary::Signum
            | Unary::Floor
            | Unary::Ceil
            | Unary::Round
            | Unary::Sigmoid
            | Unary::Softplus
            | Unary::Erf => None,
        },
        Prim::Binary(f) => match f {
            Binary::Div => Some(1),
            Binary::Powf => Some(0),
            Binary::Atan2 | Binary::Hypot | Binary::Max | Binary::Min => None,
        },
        Prim::Powi(k) => (!k.is_constant() || k.constant < 0).then_some(0),
        Prim::Clamp | Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) | Prim::Formula(_) => None,
    }
}

/// One argument.
#[rustfmt::skip]
fn of_unary(f: Unary, x: &Formula, y: &Formula) -> Vec<Case> {
    let (x, y) = (|| x.clone(), || y.clone());
    let recip = |a| unary(Unary::Recip, a);
    let sqrt = |a| unary(Unary::Sqrt, a);
    let partial = match f {
        Unary::Exp      => y(),
        Unary::Exp2     => LN_2 * y(),
        Unary::Ln       => recip(x()),
        Unary::Log2     => LOG2_E * recip(x()),
        Unary::Log10    => LOG10_E * recip(x()),
        Unary::Sqrt     => 0.5 * recip(y()),
        Unary::Cbrt     => recip(3.0 * (y() * y())),
        Unary::Sin      => unary(Unary::Cos, x()),
        Unary::Cos      => -unary(Unary::Sin, x()),
        Unary::Tan      => 1.0 + y() * y(),
        Unary::Asin     => recip(sqrt((1.0 - x()) * (1.0 + x()))),
        Unary::Acos     => -recip(sqrt((1.0 - x()) * (1.0 + x()))),
        Unary::Atan     => recip(1.0 + x() * x()),
        Unary::Sinh     => unary(Unary::Cosh, x()),
        Unary::Cosh     => unary(Unary::Sinh, x()),
        Unary::Tanh     => 1.0 - y() * y(),
        Unary::Asinh    => recip(sqrt(1.0 + x() * x())),
        Unary::Acosh    => recip(sqrt((x() - 1.0.into()) * (x() + 1.0.into()))),
        Unary::Atanh    => recip((1.0 - x()) * (1.0 + x())),
        Unary::Abs      => return [when([lt(&0.0.into(), &x())], 1.0), when([lt(&x(), &0.0.into())], -1.0)].concat(),
        Unary::Recip    => -(y() * y()),
        Unary::ExpM1    => unary(Unary::Exp, x()),
        Unary::Ln1p     => recip(1.0 + x()),
        Unary::Signum   => return vec![],
        Unary::Floor    => return vec![],
        Unary::Ceil     => return vec![],
        Unary::Round    => return vec![],
        Unary::Sigmoid  => y() * (1.0 - y()),
        Unary::Softplus => unary(Unary::Sigmoid, x()),
        Unary::Erf      => std::f64::consts::FRAC_2_SQRT_PI * unary(Unary::Exp, -(x() * x())),
    };
    vec![Case::always(partial)]
}

/// Two arguments.
#[rustfmt::skip]
fn of_binary(f: Binary, a: &Formula, b: &Formula, y: &Formula) -> [Vec<Case>; 2] {
    let (x, z, v) = (|| a.clone(), || b.clone(), || y.clone());
    let recip = |a| unary(Unary::Recip, a);
    let ln = |a| unary(Unary::Ln, a);
    let off_origin = || Test::Or(Box::new(nonzero(a)), Box::new(nonzero(b)));
    // The first argument, and the other one: which of them the result is. Equality with the result is right for NaN too.
    let first = |holds| eq(a, y, holds);
    match f {
        Binary::Div   => match a {
            Formula::Number(c) if *c != 0.0 => [when([], recip(z())), when([], (-1.0 / c) * (v() * v()))],
            _                               => [when([], recip(z())), when([], -(v() * recip(z())))],
        },
        Binary::Atan2 => [when([off_origin()], z() * recip(x() * x() + z() * z())), when([off_origin()], -(x() * recip(x() * x() + z() * z())))],
        Binary::Hypot => [when([nonzero(y)], x() * recip(v())), when([nonzero(y)], z() * recip(v()))],
        Binary::Powf  => [when([off_origin()], z() * apply(Prim::Binary(f), vec![x(), z() - 1.0.into()])), when([nonzero(a)], v() * ln(x()))],
        Binary::Max   => match b {
            Formula::Number(_) => [when([le(b, a, true)], 1.0), when([le(b, a, false)], 1.0)],
            _                  => [when([first(true)], 1.0), when([first(false)], 1.0)],
        },
        Binary::Min   => match b {
            Formula::Number(_) => [when([le(a, b, true)], 1.0), when([le(a, b, false)], 1.0)],
            _                  => [when([first(true)], 1.0), when([first(false)], 1.0)],
        },
    }
}

/// `y = xᵏ`
fn of_powi(k: &Affine, x: &Formula) -> Vec<Case> {
    let mut less = k.clone();
    less.constant -= 1;
    when(
        [Test::Index(Cond::NonZero(k.clone()))],
        of_index(k.clone()) * apply(Prim::Powi(less), vec![x.clone()]),
    )
}
