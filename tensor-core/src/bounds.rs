//! Proves every access in range, and every range sound, or says what fails.
//!
//! A body is walked with its path condition: what holds on entry, then the ranges of the binders, guards and branches around.
//! What speaks of sizes alone and does not follow becomes a check on entry, except for accesses, whose remedy is the user's to
//! choose.

mod access;
mod extreme;
mod gain;
mod order;
#[cfg(test)]
mod tests;
mod walk;

use crate::error::Errors;
use crate::index::{Affine, Cond, Pred};
use crate::typed::{self, Definition, Type};
use walk::Prover;

/// Proves the bodies of a block; adds the entry checks that the proofs rest on. Bodies that fail become `None`.
pub fn prove(block: &mut typed::Block, errors: &mut Errors) {
    let mut reads = vec![None; block.functions.len()];
    for k in block.order.clone() {
        let Some(function) = block.functions.get_mut(k) else { continue };
        match function.body.take() {
            None => {}
            foreign @ Some(Definition::Foreign(_)) => function.body = foreign,
            Some(Definition::Expr(body)) => {
                let comparisons = function.comparisons.clone();
                let mut prover = Prover::new(&block.functions, k, comparisons, errors);
                let proved = prover.prove(body);
                let (comparisons, checks) = prover.finish();
                let function = &mut block.functions[k];
                function.body = proved.map(Definition::Expr);
                function.comparisons = comparisons;
                function.checks.extend(checks);
            }
            Some(Definition::Transform { transform, of, wrt }) => {
                // A transform asks for what its function asks for: its sizes have the same numbers.
                let inherited = block.functions.get(of).map(|f| f.checks.clone()).unwrap_or_default();
                let function = &mut block.functions[k];
                for check in inherited {
                    if function.checks.iter().all(|c| c.condition != check.condition) {
                        function.checks.push(check);
                    }
                }
                function.body = Some(Definition::Transform { transform, of, wrt });
            }
        }
        reads[k] = gain::of_function(&block.functions, k, &reads, errors);
        if reads[k].is_none() {
            block.functions[k].body = None;
        }
    }
}

/// What is assumed of the sizes of a function, beside that they are not negative: its entry checks, and that the lengths of
/// its arguments are lengths.
#[must_use]
pub fn size_facts(f: &typed::Function) -> Pred {
    let mut out: Pred = f.checks.iter().map(|c| c.condition.clone()).collect();
    let mut lengths = vec![];
    f.params.iter().for_each(|p| extents(&p.ty, &mut lengths));
    for a in lengths {
        // That of a bare size is known.
        let c = Cond::NonNeg(a.clone());
        if !a.is_constant() && a.as_atom().is_none() && !out.contains(&c) {
            out.push(c);
        }
    }
    out
}

fn extents<'a>(ty: &'a Type, out: &mut Vec<&'a Affine>) {
    match ty {
        Type::Real | Type::Size => {}
        Type::Array(dims, elem) => {
            out.extend(dims);
            extents(elem, out);
        }
        Type::Tuple(parts) => parts.iter().for_each(|t| extents(t, out)),
    }
}
