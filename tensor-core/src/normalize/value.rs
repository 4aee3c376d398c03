//! Values of the translation: tuples of arrays of sums of terms. Pairs and gens are eliminated here.

use super::rewrite::{self, Substitute};
use super::threshold::Thresholds;
use crate::index::{Affine, Cond, Pred};
use crate::ssa::{Access, Index, Term};

/// A scalar: the sum of its terms. Zero has none.
pub(super) type Sum = Vec<Term>;

/// What an expression denotes, in the scope where it stands.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A sum of terms over the indices of the scope.
    Scalar(Sum),
    /// `(a, …)`
    Tuple(Vec<Value>),
    /// `gen i < extent, …. e`; `e` is a scalar or a tuple.
    Array(Vec<(Index, Affine)>, Box<Value>),
}

/// `[guard] coeff · factors`
pub(super) fn monomial(guard: Pred, coeff: f64, factors: Vec<Access>) -> Term {
    Term { sums: vec![], guard, coeff, factors }
}

impl Value {
    /// The element of an array.
    pub fn read(access: Access) -> Value {
        Value::Scalar(vec![monomial(vec![], 1.0, vec![access])])
    }

    /// `(gen i. e)[a] → e{i := a}`
    pub fn at(self, at: &[Affine]) -> Value {
        match self {
            Value::Array(formals, body) => {
                let to = formals.into_iter().map(|f| f.0).zip(at.iter().cloned()).collect();
                body.substitute(&mut Substitute(to))
            }
            Value::Scalar(_) | Value::Tuple(_) => self,
        }
    }

    fn substitute(&self, w: &mut Substitute) -> Value {
        match self {
            Value::Scalar(sum) => Value::Scalar(sum.iter().map(|t| rewrite::term(t, w)).collect()),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|v| v.substitute(w)).collect()),
            Value::Array(formals, body) => Value::Array(formals.clone(), Box::new(body.substitute(w))),
        }
    }

    /// `(a, …).k → a_k`, `(gen i. e).k → gen i. e.k`
    pub fn field(self, k: usize) -> Value {
        match self {
            Value::Tuple(mut parts) => parts.swap_remove(k),
            Value::Array(formals, body) => Value::Array(formals, Box::new(body.field(k))),
            Value::Scalar(_) => self,
        }
    }

    /// `[p] (a, …) → ([p] a, …)`, `[p] gen i. e → gen i. [p] e`, `[p][q] e → [p ∧ q] e`
    pub fn guarded(self, p: &Pred, known: &Thresholds) -> Value {
        match self {
            Value::Scalar(sum) => Value::Scalar(sum.into_iter().map(|t| guard_term(t, p, known)).collect()),
            Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(|v| v.guarded(p, known)).collect()),
            Value::Array(formals, body) => Value::Array(formals, Box::new(body.guarded(p, known))),
        }
    }

    /// `(a, …) + (b, …) → (a + b, …)`, `gen i. a + gen j. b → gen i. a + b{j := i}`: the branches of a choice.
    pub fn plus(self, other: Value) -> Value {
        match (self, other) {
            (Value::Scalar(mut a), Value::Scalar(b)) => {
                a.extend(b);
                Value::Scalar(a)
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                Value::Tuple(a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect())
            }
            (Value::Array(formals, a), b) => {
                let at: Vec<Affine> = formals.iter().map(|f| f.0.affine()).collect();
                let sum = a.plus(b.at(&at));
                Value::Array(formals, Box::new(sum))
            }
            // Both have the type of the choice.
            (a @ (Value::Scalar(_) | Value::Tuple(_)), _) => a,
        }
    }

    /// Calls `f` with everything that is read.
    pub fn visit(&self, f: &mut dyn FnMut(&Access)) {
        match self {
            Value::Scalar(sum) => sum.iter().flat_map(|t| &t.factors).for_each(f),
            Value::Tuple(parts) => parts.iter().for_each(|v| v.visit(f)),
            Value::Array(_, body) => body.visit(f),
        }
    }

    /// The same of other elements.
    pub fn map(&self, f: &dyn Fn(&Access) -> Access) -> Value {
        match self {
            Value::Scalar(sum) => {
                let one = |t: &Term| Term { factors: t.factors.iter().map(f).collect(), ..t.clone() };
                Value::Scalar(sum.iter().map(one).collect())
            }
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|v| v.map(f)).collect()),
            Value::Array(formals, body) => Value::Array(formals.clone(), Box::new(body.map(f))),
        }
    }

    /// The terms of a scalar.
    pub fn scalar(self) -> Sum {
        match self {
            Value::Scalar(sum) => sum,
            Value::Tuple(_) | Value::Array(..) => vec![],
        }
    }
}

/// `[p] [q] t → [p ∧ q] t`: what is outside is evaluated first.
///
/// `a ≠ 0` goes where `a + c = 0` says it, as in a chain of choices, which would say of each all those before; nothing may be read behind it, that
/// it keeps in range. Nor is said of a value compared with numbers what others say.
pub(super) fn guard_term(mut t: Term, p: &Pred, known: &Thresholds) -> Term {
    let is_other =
        |a: &Affine, d: &Cond| matches!(d, Cond::Zero(b) if a.terms == b.terms && a.constant != b.constant);
    let is_said = |c: &Cond| matches!(c, Cond::NonZero(a) if t.guard.iter().any(|d| is_other(a, d)));
    let mut guard = p.clone();
    if guard.iter().any(is_said) && p.iter().chain(&t.guard).all(Cond::is_total) {
        guard.retain(|c| !is_said(c));
    }
    t.guard.into_iter().for_each(|c| known.and(&mut guard, c));
    t.guard = guard;
    t
}

/// The number that a sum is, if it is a literal.
pub(super) fn as_literal(sum: &Sum) -> Option<f64> {
    match sum.as_slice() {
        [Term { sums, guard, coeff, factors }] => {
            (sums.is_empty() && guard.is_empty() && factors.is_empty()).then_some(*coeff)
        }
        _ => None,
    }
}

/// The access that a sum is, if it is one.
pub(super) fn as_access(sum: &Sum) -> Option<&Access> {
    match sum.as_slice() {
        [Term { sums, guard, coeff, factors }] => match factors.as_slice() {
            [one] if sums.is_empty() && guard.is_empty() && *coeff == 1.0 => Some(one),
            _ => None,
        },
        _ => None,
    }
}

/// `c · Σ t → Σ c · t`. A factor other than ±1 needs a single term, or it is one multiplication for each. A zero that is written has no sign.
pub(super) fn scale(sum: Sum, c: f64) -> Sum {
    sum.into_iter().map(|t| Term { coeff: c * t.coeff + 0.0, ..t }).collect()
}

/// Whether a product may take it as it is: one term, without sums, of at most one factor.
pub(super) fn is_monomial(sum: &Sum) -> bool {
    matches!(sum.as_slice(), [t] if t.sums.is_empty() && t.factors.len() <= 1)
}
