//! Forward mode.

use super::call;
use super::linearize::{LinearTerm, linearize};
use super::rename::{Renaming, at_gens, index_names};
use crate::sorted::Map;
use crate::ssa::display::named;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// See [`super::jvp`]. `X[g] ∋ sum s. [p] rest · dY[a]` gives `Ẋ[g] ∋ sum s. [p] rest · Ẏ[a]`.
pub(super) fn jvp(f: &Function, wrt: &[usize]) -> Function {
    let mut out = named(f);
    out.name = format!("{}_jvp", f.name);
    let mut tangents = seeds(&mut out, wrt);
    for stmt in &f.stmts {
        if let Some(c) = stmt.call() {
            let x_dot = call::tangent(&mut out, stmt, c, &[], &|a| tangents.get(&a).copied());
            tangents.extend(x_dot.map(|x_dot| (stmt.array, x_dot)));
            continue;
        }
        let terms = linearize(&mut out, stmt, &|a| tangents.contains_key(&a), &vec![]);
        if !terms.is_empty() {
            let x_dot = tangent(&mut out, stmt, &terms, &tangents);
            tangents.insert(stmt.array, x_dot);
        }
    }
    for r in &f.results {
        let r_dot = match tangents.get(r) {
            Some(r_dot) => *r_dot,
            None => {
                let r_dot = define(&mut out, *r, |_, _| vec![]);
                tangents.insert(*r, r_dot);
                r_dot
            }
        };
        out.results.push(r_dot);
    }
    out
}

/// A parameter for each leaf; the tangent of one that is named twice is the sum.
fn seeds(out: &mut Function, wrt: &[usize]) -> Map<ArrayId, ArrayId> {
    let mut all: Map<ArrayId, Vec<ArrayId>> = Map::new();
    for &k in wrt {
        let x = out.params[k];
        let (name, extents) = (format!("{}_dot", out.array(x).name), out.array(x).extents.clone());
        let x_dot = out.new_array(name, extents);
        out.params.push(x_dot);
        all.entry(x).or_default().push(x_dot);
    }
    let mut tangents = Map::new();
    for (x, dots) in all {
        let x_dot = match dots.as_slice() {
            [x_dot] => *x_dot,
            many => define(out, x, |_, gens| {
                let term = |d: &ArrayId| Term {
                    sums: vec![],
                    guard: vec![],
                    coeff: 1.0,
                    factors: vec![at_gens(*d, gens)],
                };
                many.iter().map(term).collect()
            }),
        };
        tangents.insert(x, x_dot);
    }
    tangents
}

/// A statement for the tangent of `x`.
fn define(
    out: &mut Function,
    x: ArrayId,
    terms: impl FnOnce(&mut Function, &[Index]) -> Vec<Term>,
) -> ArrayId {
    let (name, extents) = (out.array(x).name.clone(), out.array(x).extents.clone());
    let gens: Vec<Index> = index_names(out, x).into_iter().map(|name| out.new_index(name)).collect();
    let x_dot = out.new_array(format!("{name}_dot"), extents);
    let terms = terms(out, &gens);
    out.stmts.push(Stmt { array: x_dot, gens, rhs: Rhs::Contract(terms) });
    x_dot
}

fn tangent(out: &mut Function, stmt: &Stmt, terms: &[LinearTerm], of: &Map<ArrayId, ArrayId>) -> ArrayId {
    define(out, stmt.array, |out, gens| {
        let mut all = vec![];
        for t in terms {
            let mut fresh = Renaming::new(&stmt.gens, gens);
            let sums = fresh.extend_fresh(out, &t.sums);
            let dot = of.get(&t.arg.array).map(|d| Access { array: *d, at: t.arg.at.clone() });
            let factors = t.rest.iter().chain(&dot).map(|a| fresh.access(a)).collect();
            all.push(Term { sums, guard: fresh.pred(&t.guard), coeff: t.coeff, factors });
        }
        all
    })
}
