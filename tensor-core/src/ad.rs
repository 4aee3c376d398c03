//! Derivatives of functions in Tensor SSA, again in Tensor SSA.

use crate::ssa::Function;

/// Parameters: those of `f`, then a tangent for each leaf of `wrt` (numbers into `f.params`). Results: values, then their tangents.
#[must_use]
pub fn jvp(_f: &Function, _wrt: &[usize]) -> Function {
    todo!()
}

/// Parameters: those of `f`, then a cotangent for each leaf of the result. Results: values, then the cotangents of `wrt`.
#[must_use]
pub fn vjp(_f: &Function, _wrt: &[usize]) -> Function {
    todo!()
}

/// `f` has one result, a scalar. Results: its value, then the derivatives by `wrt`.
#[must_use]
pub fn value_and_grad(_f: &Function, _wrt: &[usize]) -> Function {
    todo!()
}

/// `f` has one result, a scalar. Results: the derivatives by `wrt`.
#[must_use]
pub fn grad(_f: &Function, _wrt: &[usize]) -> Function {
    todo!()
}
