//! Derivatives of functions in Tensor SSA, again in Tensor SSA.
//!
//! [`linearize`] gives the differential of a statement as terms `sum s. [p] rest · dY[a]`; [`jvp()`] puts in tangents, [`vjp()`]
//! transposes. The statements of `f` come first in the derivative, as they are; what nothing reads is for simplification to remove.
//!
//! Invariant: a derivative reads what it needs of `f` and adds statements; it never changes one.
//! Invariant: a cotangent without contributions has no statement, unless it is a result.

pub mod degree;
pub mod linearize;
pub mod rename;
pub mod support;

mod call;
mod columns;
mod counts;
mod extreme;
mod jacobian;
mod jvp;
mod pieces;
mod rec;
mod site;
mod symmetric;
mod unzip;
mod vjp;

#[cfg(test)]
pub(crate) mod tests;

use crate::ssa::{ArrayId, Function};
pub use unzip::{Unzipped, unzip};
use vjp::Seed;
pub(crate) use vjp::rows;

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

/// Parameters: those of `f`. Results: for each leaf of the result, by each of `wrt`, the matrix of derivatives, the dimensions of the result
/// first; by rows or by columns, whichever are fewer, which sizes may decide at run time.
#[must_use]
pub fn jacobian(f: &Function, wrt: &[usize]) -> Function {
    jacobian::jacobian(f, wrt)
}

/// The Jacobian of a gradient `f` by `wrt`, which is symmetric: by columns, each a Jacobian-vector product.
#[must_use]
pub fn hessian(f: &Function, wrt: &[usize]) -> Function {
    jacobian::by_columns(f, wrt)
}

/// The Hessian `h`, simplified, of `f` by so many variables, with what is symmetric in it computed once.
#[must_use]
pub fn symmetric(f: &Function, h: Function, variables: usize) -> Function {
    if symmetric::is_certain(f) { symmetric::once(h, variables) } else { h }
}

/// `f` is linear in `wrt`. Parameters: the others of `f`, then a cotangent for each leaf of the result. Results: the cotangents of `wrt`.
#[must_use]
pub fn transpose(f: &Function, wrt: &[usize]) -> Function {
    let (mut out, bars) = vjp::reverse(f, wrt, Seed::Parameters);
    out.name = format!("{}_transpose", f.name);
    out.results = bars;
    let gone: Vec<ArrayId> = wrt.iter().map(|k| f.params[*k]).collect();
    out.params.retain(|p| !gone.contains(p));
    out
}
