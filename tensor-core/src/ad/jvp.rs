//! Forward mode.

use super::call;
use super::counts::{Counts, Masked, Pending, is_steep, is_steep_by};
use super::linearize::{LinearTerm, linearize};
use super::rename::{Renaming, at_gens, index_names};
use super::support::{self, Support};
use crate::index::{Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::Map;
use crate::ssa::display::named;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// See [`super::jvp`]. `X[g] ∋ sum s. [p] rest · dY[a]` gives `Ẋ[g] ∋ sum s. [p] rest · Ẏ[a]`.
pub(super) fn jvp(f: &Function, wrt: &[usize]) -> Function {
    let mut out = named(f);
    out.name = format!("{}_jvp", f.name);
    let mut tangents = seeds(&mut out, wrt);
    let mut supports = Supports { is_asked: f.stmts.iter().any(is_steep), ..Supports::default() };
    for stmt in &f.stmts {
        if let Some(c) = stmt.call() {
            let x_dot = call::tangent(&mut out, stmt, c, &[], &|a| tangents.get(&a).copied());
            tangents.extend(x_dot.map(|x_dot| (stmt.array, x_dot)));
            continue;
        }
        let terms = linearize(&mut out, stmt, &|a| tangents.contains_key(&a), &vec![]);
        if !terms.is_empty() {
            let x_dot = tangent(&mut out, stmt, &terms, &tangents, &mut supports);
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
    out.stmts.push(Stmt { array: x_dot, gens, rhs: Rhs::Contract(terms), step: None });
    x_dot
}

/// `X[g] ∋ sum s. [p] rest · dY[a]` gives `Ẋ[g] ∋ sum s. [p] rest · Ẏ[a]`; where `rest` may be infinite, `[p ∧ q]` with the support q of
/// `Ẏ[a]`: what may be infinite is not multiplied by zero.
fn tangent(
    out: &mut Function,
    stmt: &Stmt,
    terms: &[LinearTerm],
    of: &Map<ArrayId, ArrayId>,
    supports: &mut Supports,
) -> ArrayId {
    define(out, stmt.array, |out, gens| {
        let extents = out.array(stmt.array).extents.clone();
        let given = support::context(out, gens, &extents);
        let mut all = vec![];
        for t in terms {
            let mut fresh = Renaming::new(&stmt.gens, gens);
            let sums = fresh.extend_fresh(out, &t.sums);
            let arg = fresh.access(&t.arg);
            let mut guard = fresh.pred(&t.guard);
            if is_steep_by(stmt, &t.arg) {
                mark::hit(Mark::SteepTangent);
                match supports.of_element(out, &arg, &[given.as_slice(), &guard].concat()) {
                    Some(asked) => guard.extend(asked),
                    None => continue,
                }
            }
            let dot = of.get(&arg.array).map(|d| Access { array: *d, at: arg.at.clone() });
            let factors = t.rest.iter().map(|a| fresh.access(a)).chain(dot).collect();
            all.push((Term { sums, guard, coeff: t.coeff, factors }, arg));
        }
        supports.remember(out, stmt.array, gens, &given, &all);
        all.into_iter().map(|(t, _)| t).collect()
    })
}

/// Where tangents may differ from zero, by what they are tangents of; of those that are not here nothing is known.
#[derive(Default)]
struct Supports {
    /// Whether anything asks.
    is_asked: bool,
    all: Map<ArrayId, Dot>,
    counts: Counts,
}

/// The support of a tangent, over its gens.
struct Dot {
    gens: Vec<Index>,
    support: Support,
    /// Its number among those that may have to be counted.
    number: usize,
}

impl Supports {
    /// The support of an element, as far as it is not given; `None` where it is empty.
    fn of_element(&mut self, f: &mut Function, arg: &Access, given: &[Cond]) -> Option<Pred> {
        let Some(dot) = self.all.get(&arg.array) else { return Some(vec![]) };
        let Some(p) = support::put(&dot.support.pred, &dot.gens, &arg.at) else { return Some(vec![]) };
        let mut p = support::gist(&p, given)?;
        p.extend(dot.masked(arg).and_then(|m| self.counts.some_live(f, &m)));
        Some(p)
    }

    /// The terms of the tangent of `x`, each with what it is linear in.
    fn remember(
        &mut self,
        f: &Function,
        x: ArrayId,
        gens: &[Index],
        given: &[Cond],
        terms: &[(Term, Access)],
    ) {
        if !self.is_asked {
            return;
        }
        let within = |(t, arg): &(Term, Access)| {
            let dot = self.all.get(&arg.array);
            let own = dot.and_then(|d| support::put(&d.support.pred, &d.gens, &arg.at)).unwrap_or_default();
            let guard = [t.guard.clone(), own].concat();
            (Term { guard, ..t.clone() }, dot.and_then(|d| d.masked(arg)))
        };
        let terms: Vec<(Term, Option<Masked>)> = terms.iter().map(within).collect();
        let marked: Vec<(&Term, bool)> = terms.iter().map(|(t, masked)| (t, masked.is_some())).collect();
        let nowhere = Support { pred: vec![Cond::NonNeg((-1).into())], wider: false };
        let support = support::of_terms(f, given, &marked).unwrap_or(nowhere);
        let (gens, extents) = (gens.to_vec(), f.array(x).extents.clone());
        let number = self.counts.remember(Pending { array: x, gens: gens.clone(), extents, terms });
        self.all.insert(x, Dot { gens, support, number });
    }
}

impl Dot {
    /// The element, if it may be zero inside the support.
    fn masked(&self, arg: &Access) -> Option<Masked> {
        self.support.wider.then(|| Masked { by: self.number, at: arg.at.clone() })
    }
}
