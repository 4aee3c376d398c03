//! Comparisons as conditions; `None` where a difference does not fit.

use super::affine::Affine;
use super::pred::{Cond, Pred};

/// `a < b`
#[must_use]
pub fn lt(a: &Affine, b: &Affine) -> Option<Cond> {
    Some(Cond::NonNeg(b.minus(a)?.step(-1)))
}

/// `a <= b`
#[must_use]
pub fn le(a: &Affine, b: &Affine) -> Option<Cond> {
    Some(Cond::NonNeg(b.minus(a)?))
}

/// `a > b`
#[must_use]
pub fn gt(a: &Affine, b: &Affine) -> Option<Cond> {
    lt(b, a)
}

/// `a >= b`
#[must_use]
pub fn ge(a: &Affine, b: &Affine) -> Option<Cond> {
    le(b, a)
}

/// `a == b`
#[must_use]
pub fn eq(a: &Affine, b: &Affine) -> Option<Cond> {
    Some(Cond::Zero(a.minus(b)?))
}

/// `a != b`
#[must_use]
pub fn ne(a: &Affine, b: &Affine) -> Option<Cond> {
    Some(Cond::NonZero(a.minus(b)?))
}

/// `a ≡ b (mod k)`; `None` also if `k < 1`. (Modulo 1 it is a condition that always holds.)
#[must_use]
pub fn congruent(a: &Affine, b: &Affine, k: i64) -> Option<Cond> {
    match k {
        ..=0 => None,
        1 => Some(Cond::NonNeg(Affine::zero())),
        2.. => Some(Cond::Residue(a.minus(b)?, k)),
    }
}

/// `lower <= a < upper`
#[must_use]
pub fn within(lower: &Affine, a: &Affine, upper: &Affine) -> Option<Pred> {
    Some(vec![le(lower, a)?, lt(a, upper)?])
}
