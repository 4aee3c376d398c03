//! One triangle of a symmetric matrix: `T[i, k] = [i <= k] Σ terms`, which is read on both sides.
//!
//! Where `T` is one matmul, what else is on the diagonal is added later.
//!
//! Of a matrix of blocks that is by one of their dimensions: the blocks on the diagonal are in `T` as they are, or not at all.

use super::{Pair, blocks, position, reads, support_of};
use crate::ad::rename::{Renaming, at_gens, bare_index};
use crate::index::{Affine, Cond, cond};
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// See [`super::triangular`]. The dimension whose indices are compared is the first that has what is computed off the diagonal, so a triangle is what is above
/// the diagonal (or below) where the elements are in order, too.
pub(super) fn triangular(
    f: &mut Function,
    array: ArrayId,
    pairs: &[Pair],
    below: Option<bool>,
) -> Option<Vec<Term>> {
    let is_long = |p: &&Pair| f.array(array).extents[p[0]].as_constant().is_none_or(|n| n > 1);
    let (pair, all) = pairs
        .iter()
        .filter(is_long)
        .map(|pair| (*pair, Entries::of(f, array, *pair)))
        .find(|(_, all)| all.iter().any(|e| e.differ_off_diagonal(f)))?;
    let below = below.unwrap_or_else(|| reads_columns(f, &all, true) > reads_columns(f, &all, false));
    let others: Vec<Pair> = pairs.iter().copied().filter(|p| *p != pair).collect();
    let own = if pairs.len() == 1 { take_diagonal(f, array, pair) } else { None };
    let on_diagonal = own.or_else(|| blocks::triangular(f, &all, &others, Some(below)));
    let has_diagonal = pairs.len() == 1 || on_diagonal.is_none();
    let side = |i: Index, k: Index, with_diagonal: bool| {
        let (i, k) = if below { (k.affine(), i.affine()) } else { (i.affine(), k.affine()) };
        if with_diagonal { cond::le(&i, &k) } else { cond::lt(&i, &k) }
    };
    for e in &all {
        let at = position(f, e.array)?;
        let [i, k] = e.indices(f)?;
        let own = side(i, k, has_diagonal)?;
        f.stmts[at].rhs.guards_mut().into_iter().for_each(|p| p.insert(0, own.clone()));
    }
    let at = position(f, array)?;
    let gens = f.stmts[at].gens.clone();
    let support = support_of(f, at);
    let mut across = gens.clone();
    pairs.iter().for_each(|[i, k]| across.swap(*i, *k));
    let term = |to: &[Index], with_diagonal: bool| {
        let where_ = side(to[pair[0]], to[pair[1]], with_diagonal)?;
        let guard = std::iter::once(where_).chain(Renaming::new(&gens, to).pred(&support)).collect();
        Some(Term { sums: vec![], guard, coeff: 1.0, factors: vec![at_gens(array, to)] })
    };
    let triangles = [term(&gens, has_diagonal)?, term(&across, false)?];
    Some(triangles.into_iter().chain(on_diagonal.unwrap_or_default()).collect())
}

/// How many arrays terms read along the rows of the matrix, on one side of the diagonal: their elements are far apart for what goes along a row.
fn reads_columns(f: &Function, all: &[Entries], above: bool) -> usize {
    let mut count = 0;
    for e in all {
        let (Some(stmt), Some([i, k])) = (f.definition(e.array), e.indices(f)) else { continue };
        let (i, k) = (i.atom(), k.atom());
        let (low, high) = if above { (&i, &k) } else { (&k, &i) };
        let is_there = |t: &&Term| {
            !t.guard.iter().any(|c| matches!(c, Cond::NonNeg(a) if a.coeff(low) > 0 && a.coeff(high) < 0))
        };
        for a in stmt.terms().iter().filter(is_there).flat_map(|t| &t.factors) {
            let by_row = a.at.last().is_some_and(|e| e.mentions(&i) && !e.mentions(&k));
            count += usize::from(by_row && a.at.iter().any(|e| e.mentions(&k)));
        }
    }
    count
}

/// Where the rest of a matrix is one matmul: the terms of the diagonal, which leave the statement. So that is a product alone.
fn take_diagonal(f: &mut Function, array: ArrayId, [i, k]: Pair) -> Option<Vec<Term>> {
    let at = position(f, array)?;
    let Stmt { gens, rhs, .. } = &f.stmts[at];
    let (Rhs::Contract(terms), 2) = (rhs, gens.len()) else { return None };
    let (row, column) = (gens[i].affine(), gens[k].affine());
    let equal = [cond::eq(&row, &column), cond::eq(&column, &row)];
    let (diagonal, rest): (Vec<Term>, Vec<Term>) =
        terms.iter().cloned().partition(|t| t.guard.iter().any(|c| equal.contains(&Some(c.clone()))));
    match rest.as_slice() {
        [product] if is_matrix_product(&f.stmts[at], product) => {
            f.stmts[at].rhs = Rhs::Contract(rest);
            Some(diagonal)
        }
        _ => None,
    }
}

/// An array of which an element is read for an element of a matrix.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    pub array: ArrayId,
    /// The dimensions whose indices are compared.
    pub pair: Pair,
}

impl Entries {
    /// Those of a matrix, and what it alone reads, at indices that stand by themselves, once: what is read comes later.
    pub fn of(f: &Function, array: ArrayId, pair: Pair) -> Vec<Entries> {
        let mut out = vec![];
        Entries { array, pair }.collect(f, &mut out);
        out
    }

    fn collect(self, f: &Function, out: &mut Vec<Entries>) {
        let (Some(Stmt { rhs, .. }), Some(compared)) = (f.definition(self.array), self.indices(f)) else {
            return;
        };
        let is_zero_elsewhere = matches!(rhs, Rhs::Contract(_) | Rhs::Prim { .. });
        if !is_zero_elsewhere {
            return;
        }
        out.push(self);
        for (_, a) in rhs.accesses() {
            let at = |g: Index| a.at.iter().position(|e| bare_index(e) == Some(g));
            let (Some(i), Some(k)) = (at(compared[0]), at(compared[1])) else { continue };
            let is_plain = !f.results.contains(&a.array) && reads(f, a.array) == 1;
            if is_plain {
                Entries { array: a.array, pair: [i, k] }.collect(f, out);
            }
        }
    }

    /// The indices that are compared.
    pub fn indices(&self, f: &Function) -> Option<[Index; 2]> {
        let gens = &f.definition(self.array)?.gens;
        Some([*gens.get(self.pair[0])?, *gens.get(self.pair[1])?])
    }

    /// Whether it takes computing to have each element: some term is not one number for all rows, or all columns.
    pub fn differ(&self, f: &Function) -> bool {
        self.any(f, &differs)
    }

    fn differ_off_diagonal(&self, f: &Function) -> bool {
        self.any(f, &|t, pair| is_off_diagonal(t, pair) && differs(t, pair))
    }

    fn any(&self, f: &Function, holds: &dyn Fn(&Term, [Index; 2]) -> bool) -> bool {
        let (Some(stmt), Some(indices)) = (f.definition(self.array), self.indices(f)) else { return false };
        stmt.terms().iter().any(|t| holds(t, indices))
    }
}

/// Whether the elements of a term do not lie on a diagonal.
fn is_off_diagonal(t: &Term, pair: [Index; 2]) -> bool {
    let is_line = |a: &Affine| pair.iter().all(|i| a.mentions(&i.atom()));
    !t.guard.iter().any(|c| matches!(c, Cond::Zero(a) if is_line(a)))
}

/// Whether it takes computing to have each element of a term: it is not one number for all rows, or all columns.
fn differs(t: &Term, pair: [Index; 2]) -> bool {
    pair.iter().any(|i| {
        let is_one = t.guard.iter().any(|c| matches!(c, Cond::Zero(a) if a.mentions(&i.atom())));
        is_one || t.factors.iter().any(|a| a.at.iter().any(|e| e.mentions(&i.atom())))
    })
}

/// `sum k. A[b, i, k] · B[b, k, j]` over indices that stand by themselves, in any order: what the blocked kernel computes.
fn is_matrix_product(stmt: &Stmt, t: &Term) -> bool {
    let ([k], [a, b]) = (t.sums.as_slice(), t.factors.as_slice()) else { return false };
    let bare = |at: &[Affine]| at.iter().all(|e| bare_index(e).is_some());
    let has = |at: &[Affine], i: Index| at.contains(&i.affine());
    let is_range = |c: &Cond| c.is_affine() && !stmt.gens.iter().any(|g| c.mentions(&g.atom()));
    let only = |a: &[Affine], b: &[Affine]| stmt.gens.iter().filter(|g| has(a, **g) && !has(b, **g)).count();
    let (a, b): (&Access, &Access) = (a, b);
    let is_product = has(&a.at, *k) && has(&b.at, *k) && only(&a.at, &b.at) == 1 && only(&b.at, &a.at) == 1;
    is_product && bare(&a.at) && bare(&b.at) && t.guard.iter().all(is_range)
}
