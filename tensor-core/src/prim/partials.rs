//! The partial derivatives of all scalar functions: those of the table, and those of primitives that are more than a function.

use super::formula::{apply, of_index};
use super::{Formula, Outer, Prim};
use crate::index::{Affine, Cond};
use crate::ssa::RealCompare;

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
            Test::Real { op, left: Formula::Number(a), right: Formula::Number(b), holds } => {
                Some(op.of(*a, *b) == *holds)
            }
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

pub(super) fn lt(a: &Formula, b: &Formula) -> Test {
    Test::Real { op: RealCompare::Lt, left: a.clone(), right: b.clone(), holds: true }
}

pub(super) fn le(a: &Formula, b: &Formula, holds: bool) -> Test {
    Test::Real { op: RealCompare::Le, left: a.clone(), right: b.clone(), holds }
}

pub(super) fn eq(a: &Formula, b: &Formula, holds: bool) -> Test {
    Test::Real { op: RealCompare::Eq, left: a.clone(), right: b.clone(), holds }
}

pub(super) fn nonzero(a: &Formula) -> Test {
    eq(a, &0.0.into(), false)
}

pub(super) fn when<const N: usize>(tests: [Test; N], partial: impl Into<Formula>) -> Vec<Case> {
    vec![Case { tests: tests.into(), partial: partial.into() }]
}

pub(super) fn always(partial: Formula) -> Vec<Case> {
    vec![Case::always(partial)]
}

/// The partial derivatives of `y = prim(x)`, by each argument the sum of its cases; no cases: zero. The sides of the tests and the
/// partials are formulas of the arguments (as given in `x`) and the result (as given in `y`, used where that is cheaper).
///
/// A partial is infinite where the function is vertical (`sqrt` at 0) or has a pole; at ties and kinks it is one of the two sides or
/// 0; it is never `0 · ∞` where the function is finite.
#[must_use]
pub fn partials(prim: &Prim, x: &[Formula], y: &Formula) -> Vec<Vec<Case>> {
    match (prim, x) {
        (Prim::Unary(f), [x]) => vec![f.partial(x, y)],
        (Prim::Binary(f), [a, b]) => f.partials(a, b, y).into(),
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
        Prim::Unary(f) => f.steep(),
        Prim::Binary(f) => f.steep(),
        Prim::Powi(k) => (!k.is_constant() || k.constant < 0).then_some(0),
        Prim::Clamp | Prim::Stop | Prim::FiniteOrZero | Prim::Outer(_) | Prim::Formula(_) => None,
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
