//! A Hessian is symmetric: what is above its diagonal is also what is below.
//!
//! `H[i, k] = Σ terms` becomes `T[i, k] = [i <= k] Σ terms` and `H[i, k] = [i <= k] T[i, k] + [k < i] T[k, i]`, of which the schedule computes T in the
//! place of H and symmetrizes it: see `triangle`. Where all that is off the diagonal is on lines beside it, those on one side are computed: see `bands`.
//!
//! By an `x` of several dimensions, `H[i, a, k, b]` is a matrix of blocks: those on its diagonal are symmetric by themselves, and so on: see `blocks`.
//!
//! Of the blocks by two variables, `H_xy` and `H_yx`, one is the transpose of the other: see `mixed`.
//!
//! That is done wherever what is off the diagonal is computed: some term of it differs from element to element.

mod bands;
mod blocks;
mod mixed;
mod triangle;

use super::rename::Renaming;
use super::support;
use crate::index::{Cond, Pred};
use crate::mark::{self, Mark};
use crate::prim::{Outer, Prim};
use crate::sorted::Set;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// A dimension of the rows of a matrix, and that of the columns which is by the same dimension of a variable.
type Pair = [usize; 2];

/// Whether derivatives of `f` are those of a function: that a derivative which is declared has a symmetric derivative, nobody knows. But that of a
/// Rust function of one number has. (Nor is what recurs looked into.)
pub(super) fn is_certain(f: &Function) -> bool {
    let is_rust = |a: &Access| {
        let rhs = f.definition(a.array).map(|s| &s.rhs);
        matches!(rhs, Some(Rhs::Prim { prim: Prim::Outer(Outer::Rust(_)), args, .. }) if args.len() == 1)
    };
    f.stmts.iter().all(|s| {
        !s.is_member()
            && match &s.rhs {
                Rhs::Prim { prim: Prim::Outer(Outer::Rust(_)), args, .. } => args.len() == 1,
                // The value, its one partial, its one argument.
                Rhs::Prim { prim: Prim::Outer(Outer::Custom), args, .. } => {
                    args.len() == 3 && is_rust(&args[0])
                }
                Rhs::Prim { prim: Prim::Outer(_), .. } | Rhs::Call(_) => false,
                Rhs::Prim { .. } | Rhs::Contract(_) | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => true,
                Rhs::OfIndex(_) | Rhs::Constant(_) => true,
            }
    })
}

/// A simplified Hessian by so many variables, with what is symmetric in it computed once.
pub(super) fn once(mut f: Function, variables: usize) -> Function {
    if f.results.len() != variables * variables {
        return f;
    }
    for r in 0..variables {
        for c in 0..r {
            mixed::transposed(&mut f, [r, c], variables);
        }
        by_itself(&mut f, r * variables + r);
    }
    let mut needed: Set<ArrayId> = f.results.iter().copied().collect();
    // The others were read on the other side only.
    f.keep_only(&mut needed);
    f
}

/// The block by one variable.
fn by_itself(f: &mut Function, result: usize) {
    let Some(at) = own(f, result) else { return };
    let Stmt { array, gens, .. } = f.stmts[at].clone();
    let rank = gens.len() / 2;
    let pairs: Vec<Pair> = (0..rank).map(|d| [d, rank + d]).collect();
    let Some(terms) = triangular(f, array, &pairs, None) else { return };
    define(f, result, &|new| {
        let to = Renaming::new(&gens, new);
        let renamed = |t: &Term| Term {
            guard: to.pred(&t.guard),
            factors: t.factors.iter().map(|a| to.access(a)).collect(),
            ..t.clone()
        };
        terms.iter().map(renamed).collect()
    });
    if !terms.iter().any(|t| t.factors.iter().any(|a| a.array == array)) {
        f.stmts.retain(|s| s.array != array);
    }
}

/// The terms that are all of a symmetric matrix, of which each element is computed on one side; `None` where no element is computed on both.
/// (The statement has what these terms read of it, or none.) `below` asks for the triangle below the diagonal, or that above.
fn triangular(f: &mut Function, array: ArrayId, pairs: &[Pair], below: Option<bool>) -> Option<Vec<Term>> {
    match bands::lines(f, array, pairs) {
        Some((pair, lines)) => {
            bands::triangular(f, array, pair, &lines, pairs).inspect(|_| mark::hit(Mark::TriangleOfLines))
        }
        None => triangle::triangular(f, array, pairs, below).inspect(|_| mark::hit(Mark::Triangle)),
    }
}

/// The statement of a result that nothing else reads.
fn own(f: &Function, result: usize) -> Option<usize> {
    let array = f.results[result];
    let others = f.results.iter().filter(|r| **r == array).count() > 1;
    (!others && reads(f, array) == 0).then(|| position(f, array))?
}

/// Where an array is defined.
fn position(f: &Function, array: ArrayId) -> Option<usize> {
    f.stmts.iter().position(|s| s.array == array)
}

/// How often an array is read.
fn reads(f: &Function, array: ArrayId) -> usize {
    let mut count = 0;
    f.stmts.iter().for_each(|s| s.rhs.reads(f, &mut |_, a| count += usize::from(a == array)));
    count
}

/// A new definition of a result, behind all others.
fn define(f: &mut Function, result: usize, terms: &dyn Fn(&[Index]) -> Vec<Term>) {
    let old = f.results[result];
    let (name, extents) = (f.array(old).name.clone(), f.array(old).extents.clone());
    let Some(gens) = f.definition(old).map(|s| s.gens.clone()) else { return };
    let gens = f.fresh(&gens);
    let terms = terms(&gens);
    let array = f.new_array(name, extents);
    f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(terms), step: None });
    f.results[result] = array;
}

/// The conditions between indices that hold wherever the array is not zero: the others are those of few elements.
fn support_of(f: &Function, stmt: usize) -> Pred {
    let s = &f.stmts[stmt];
    let given = support::context(f, &s.gens, &f.array(s.array).extents);
    let terms: Vec<(&Term, bool)> = s.terms().iter().map(|t| (t, false)).collect();
    let all = support::of_terms(f, &given, &terms).unwrap_or_default();
    let between = |c: &Cond| {
        c.is_affine() && c.is_total() && s.gens.iter().filter(|g| c.mentions(&g.atom())).count() > 1
    };
    all.pred.into_iter().filter(between).collect()
}

impl Stmt {
    /// The terms of a contraction.
    fn terms(&self) -> &[Term] {
        match &self.rhs {
            Rhs::Contract(terms) => terms,
            Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => &[],
            Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => &[],
        }
    }
}
