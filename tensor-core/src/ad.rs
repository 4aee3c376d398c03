//! Derivatives of functions in Tensor SSA, again in Tensor SSA.
//!
//! [`linearize`] gives the differential of a statement as terms `sum s. [p] rest · dY[a]`; [`jvp()`] puts in tangents, [`vjp()`]
//! transposes. The statements of `f` come first in the derivative, as they are; what nothing reads is for simplification to remove.
//!
//! Invariant: a derivative reads what it needs of `f` and adds statements; it never changes one.
//! Invariant: a cotangent without contributions has no statement, unless it is a result.

pub mod linearize;
pub mod rename;
pub mod support;

mod counts;
mod extreme;
mod jvp;
mod site;
mod vjp;

#[cfg(test)]
pub(crate) mod tests;

use crate::ssa::Function;
use vjp::Seed;

/// Parameters: those of `f`, then a tangent for each leaf of `wrt` (numbers into `f.params`). Results: values, then their tangents.
#[must_use]
pub fn jvp(f: &Function, wrt: &[usize]) -> Function {
    jvp::jvp(f, wrt)
}

/// Parameters: those of `f`, then a cotangent for each leaf of the result. Results: values, then the cotangents of `wrt`.
#[must_use]
pub fn vjp(f: &Function, wrt: &[usize]) -> Function {
    let (mut out, bars) = vjp::reverse(f, wrt, Seed::Parameters);
    out.name = format!("{}_vjp", f.name);
    out.results.extend(bars);
    out
}

/// `f` has one result, a scalar. Results: its value, then the derivatives by `wrt`.
#[must_use]
pub fn value_and_grad(f: &Function, wrt: &[usize]) -> Function {
    let (mut out, bars) = vjp::reverse(f, wrt, Seed::One);
    out.name = format!("{}_value_and_grad", f.name);
    out.results.extend(bars);
    out
}

/// `f` has one result, a scalar. Results: the derivatives by `wrt`.
#[must_use]
pub fn grad(f: &Function, wrt: &[usize]) -> Function {
    let (mut out, bars) = vjp::reverse(f, wrt, Seed::One);
    out.name = format!("{}_grad", f.name);
    out.results = bars;
    out
}
