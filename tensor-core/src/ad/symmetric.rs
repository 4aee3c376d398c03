//! A Hessian is symmetric: what is above its diagonal is also what is below.
//!
//! `H[i, k] = Σ terms` becomes `T[i, k] = [i <= k] Σ terms` and `H[i, k] = [i <= k] T[i, k] + [k < i] T[k, i]`, of which the schedule computes T in the
//! place of H and mirrors it. That is done wherever what is off the diagonal is computed: some term of it differs from element to element.
//!
//! Where all that is off the diagonal is on lines beside it, those on one side are computed: see `bands`.
//!
//! Where `T` is one product of matrices, what else is on the diagonal is added to `H`, later.
//!
//! Of the blocks by two variables, `H_xy` and `H_yx`, one is the transpose of the other.

mod bands;

use super::rename::{Renaming, at_gens, bare_index};
use super::support;
use crate::cost;
use crate::index::{Affine, Cond, Pred, cond};
use crate::prim::{Outer, Prim};
use crate::sorted::Set;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// What a size counts as.
const SIZE: i64 = 100;

/// Whether derivatives of `f` are those of a function: that a derivative which is declared has a symmetric derivative, nobody knows. But that of a
/// Rust function of one number has.
pub(super) fn is_certain(f: &Function) -> bool {
    let is_rust = |a: &Access| {
        let rhs = f.definition(a.array).map(|s| &s.rhs);
        matches!(rhs, Some(Rhs::Prim { prim: Prim::Outer(Outer::Rust(_)), args, .. }) if args.len() == 1)
    };
    f.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim { prim: Prim::Outer(Outer::Rust(_)), args, .. } => args.len() == 1,
        // The value, its one partial, its one argument.
        Rhs::Prim { prim: Prim::Outer(Outer::Custom), args, .. } => args.len() == 3 && is_rust(&args[0]),
        Rhs::Prim { prim: Prim::Outer(_), .. } | Rhs::Call(_) => false,
        Rhs::Prim { .. } | Rhs::Contract(_) | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => true,
        Rhs::OfIndex(_) | Rhs::Constant(_) => true,
    })
}

/// A simplified Hessian by so many variables, with what is symmetric in it computed once.
pub(super) fn once(mut f: Function, variables: usize) -> Function {
    if f.results.len() != variables * variables {
        return f;
    }
    for r in 0..variables {
        for c in 0..r {
            transposed(&mut f, [r, c], variables);
        }
        triangle(&mut f, r * variables + r);
    }
    let mut needed: Set<ArrayId> = f.results.iter().copied().collect();
    keep(&mut f, &mut needed);
    f
}

/// The statements for some arrays alone: others were read on the other side only.
fn keep(f: &mut Function, needed: &mut Set<ArrayId>) {
    let mut stmts = std::mem::take(&mut f.stmts);
    stmts.reverse();
    stmts.retain(|s| {
        let is_read = needed.contains(&s.array);
        if is_read {
            s.rhs.reads(f, &mut |_, a| {
                needed.insert(a);
            });
        }
        is_read
    });
    stmts.reverse();
    f.stmts = stmts;
}

/// The statement of a result that nothing else reads.
fn own(f: &Function, result: usize) -> Option<usize> {
    let array = f.results[result];
    let others = f.results.iter().filter(|r| **r == array).count() > 1;
    (!others && reads(f, array) == 0).then(|| f.stmts.iter().position(|s| s.array == array))?
}

/// How often an array is read.
fn reads(f: &Function, array: ArrayId) -> usize {
    let mut count = 0;
    f.stmts.iter().for_each(|s| s.rhs.reads(f, &mut |_, a| count += usize::from(a == array)));
    count
}

/// The block on the diagonal: see the module documentation.
fn triangle(f: &mut Function, result: usize) {
    let Some(at) = own(f, result) else { return };
    if bands::once(f, at) {
        return;
    }
    let (array, gens) = (f.stmts[at].array, f.stmts[at].gens.clone());
    let rank = gens.len() / 2;
    let dimensions = by_length(&f.array(array).extents[..rank]).into_iter();
    let Some((d, all)) =
        dimensions.map(|d| (d, halves(f, at, [d, rank + d]))).find(|(_, all)| !all.is_empty())
    else {
        return;
    };
    let apart = on_diagonal(f, at, [d, rank + d]);
    let support = support_of(f, at);
    let below = reads_columns(f, &all, true) > reads_columns(f, &all, false);
    // From the diagonal on, and beyond it.
    let sides = |i: &Affine, k: &Affine| {
        let (i, k) = if below { (k, i) } else { (i, k) };
        Some((cond::le(i, k)?, cond::lt(k, i)?))
    };
    for e in &all {
        let gens = &f.stmts[e.stmt].gens;
        let Some((own, _)) = sides(&gens[e.pair[0]].affine(), &gens[e.pair[1]].affine()) else { return };
        f.stmts[e.stmt].rhs.guards_mut().into_iter().for_each(|p| p.insert(0, own.clone()));
    }
    let term = |f: &mut Function, gens: &[Index], beyond: bool| {
        let (i, k) = gens.split_at(rank);
        let across = if beyond { [k, i].concat() } else { gens.to_vec() };
        let sides = sides(&i[d].affine(), &k[d].affine());
        let where_ = sides.map(|(own, other)| if beyond { other } else { own });
        let to = Renaming::new(&f.stmts[at].gens, &across);
        let guard = where_.into_iter().chain(to.pred(&support)).collect();
        Term { sums: vec![], guard, coeff: 1.0, factors: vec![at_gens(array, &across)] }
    };
    define(f, result, &|f, gens| {
        let to = Renaming::new(&f.stmts[at].gens, gens);
        let apart = apart.iter().map(|t| Term {
            guard: to.pred(&t.guard),
            factors: t.factors.iter().map(|a| to.access(a)).collect(),
            ..t.clone()
        });
        [term(f, gens, false), term(f, gens, true)].into_iter().chain(apart).collect()
    });
}

/// How many arrays terms read along the rows of the Hessian, on one side of the diagonal: their elements are far apart for what goes along a row.
fn reads_columns(f: &Function, all: &[Entries], above: bool) -> usize {
    let mut count = 0;
    for e in all {
        let stmt = &f.stmts[e.stmt];
        let [i, k] = e.pair.map(|d| stmt.gens[d].atom());
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

/// What an element of the Hessian reads, where a half is computed, by a dimension of the rows and that of the columns.
fn halves(f: &Function, at: usize, [i, k]: [usize; 2]) -> Vec<Entries> {
    let mut all = vec![];
    elements(f, at, [i, k], &mut all);
    let is_computed = |e: &Entries| {
        let stmt = &f.stmts[e.stmt];
        stmt.terms().iter().any(|t| is_off_diagonal(stmt, t, e.pair) && differs(stmt, t, e.pair))
    };
    if all.iter().any(is_computed) { all } else { vec![] }
}

/// Where the rest of a matrix is one product of matrices: the terms of the diagonal, which leave the statement. So that is a product alone.
fn on_diagonal(f: &mut Function, at: usize, [i, k]: [usize; 2]) -> Vec<Term> {
    let Stmt { gens, rhs, .. } = &f.stmts[at];
    let (Rhs::Contract(terms), 2) = (rhs, gens.len()) else { return vec![] };
    let (row, column) = (gens[i].affine(), gens[k].affine());
    let equal = [cond::eq(&row, &column), cond::eq(&column, &row)];
    let (diagonal, rest): (Vec<Term>, Vec<Term>) =
        terms.iter().cloned().partition(|t| t.guard.iter().any(|c| equal.contains(&Some(c.clone()))));
    match rest.as_slice() {
        [product] if is_matrix_product(&f.stmts[at], product) => {
            f.stmts[at].rhs = Rhs::Contract(rest);
            diagonal
        }
        _ => vec![],
    }
}

/// The block of the one variable by the other as the transpose of that of the other by the one, or that as the transpose of this: whichever costs less.
fn transposed(f: &mut Function, [r, c]: [usize; 2], variables: usize) {
    let (a, b) = (r * variables + c, c * variables + r);
    let rank = |r: usize| f.array(f.results[r * variables + r]).extents.len() / 2;
    let (Some(at_a), Some(at_b)) = (own(f, a), own(f, b)) else { return };
    let (rows_a, rows_b) = (rank(r), rank(c));
    let is_computed = |at: usize, rows: usize| {
        let rank = f.stmts[at].gens.len();
        let mut all = vec![];
        elements(f, at, [0, rows.min(rank.saturating_sub(1))], &mut all);
        let differs =
            |e: &Entries| f.stmts[e.stmt].terms().iter().any(|t| differs(&f.stmts[e.stmt], t, e.pair));
        rank == 0 || all.iter().any(differs)
    };
    if !is_computed(at_a, rows_a) || !is_computed(at_b, rows_b) {
        return;
    }
    let (from, from_at, to, rows) =
        if cost_without(f, a) <= cost_without(f, b) { (b, at_b, a, rows_a) } else { (a, at_a, b, rows_b) };
    let (support, source) = (support_of(f, from_at), f.results[from]);
    if f.stmts[from_at].gens.is_empty() {
        f.results[to] = source;
        return;
    }
    define(f, to, &|f, gens| {
        let (row, column) = gens.split_at(rows);
        let across = [column, row].concat();
        let guard = Renaming::new(&f.stmts[from_at].gens, &across).pred(&support);
        vec![Term { sums: vec![], guard, coeff: 1.0, factors: vec![at_gens(source, &across)] }]
    });
}

/// A new definition of a result, behind all others.
fn define(f: &mut Function, result: usize, terms: &dyn Fn(&mut Function, &[Index]) -> Vec<Term>) {
    let old = f.results[result];
    let (name, extents) = (f.array(old).name.clone(), f.array(old).extents.clone());
    let Some(gens) = f.definition(old).map(|s| s.gens.clone()) else { return };
    let gens = f.fresh(&gens);
    let terms = terms(f, &gens);
    let array = f.new_array(name, extents);
    f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(terms) });
    f.results[result] = array;
}

/// The cost of all other results.
fn cost_without(f: &Function, result: usize) -> i64 {
    let mut all: Set<ArrayId> = f.results.iter().copied().collect();
    all.remove(&f.results[result]);
    let mut rest = f.clone();
    keep(&mut rest, &mut all);
    cost::polynomial(&rest).eval(&vec![SIZE; f.sizes.len()])
}

/// The dimensions whose indices may be compared: the longest first, and of several the first.
fn by_length(extents: &[Affine]) -> Vec<usize> {
    let mut all: Vec<usize> = (0..extents.len()).filter(|d| length(&extents[*d]) > 1).collect();
    all.sort_by_key(|d| std::cmp::Reverse(length(&extents[*d])));
    all
}

/// That of a dimension, if it is no size.
fn length(extent: &Affine) -> i64 {
    if extent.is_constant() { extent.constant } else { i64::MAX }
}

/// Arrays of which an element is read for an element of the Hessian.
struct Entries {
    stmt: usize,
    /// The dimensions whose indices are compared.
    pair: [usize; 2],
}

/// The statement, and what it alone reads, at indices that stand by themselves, once.
fn elements(f: &Function, stmt: usize, pair: [usize; 2], out: &mut Vec<Entries>) {
    let Stmt { gens, rhs, .. } = &f.stmts[stmt];
    let is_zero_elsewhere = matches!(rhs, Rhs::Contract(_) | Rhs::Prim { .. });
    if !is_zero_elsewhere || pair.iter().any(|d| *d >= gens.len()) {
        return;
    }
    out.push(Entries { stmt, pair });
    let compared = pair.map(|d| gens[d]);
    for (_, a) in rhs.accesses() {
        let at = |g: Index| a.at.iter().position(|e| bare_index(e) == Some(g));
        let (Some(i), Some(k)) = (at(compared[0]), at(compared[1])) else { continue };
        let is_plain = !f.results.contains(&a.array) && reads(f, a.array) == 1;
        if let Some(stmt) = f.stmts.iter().position(|s| s.array == a.array).filter(|_| is_plain) {
            elements(f, stmt, [i, k], out);
        }
    }
}

/// Whether the elements of a term do not lie on a diagonal.
fn is_off_diagonal(stmt: &Stmt, t: &Term, pair: [usize; 2]) -> bool {
    let compared = pair.map(|d| stmt.gens[d].atom());
    !t.guard.iter().any(|c| matches!(c, Cond::Zero(a) if compared.iter().all(|i| a.mentions(i))))
}

/// Whether it takes computing to have each element of a term: it is not one number for all rows, or all columns.
fn differs(stmt: &Stmt, t: &Term, pair: [usize; 2]) -> bool {
    pair.iter().any(|d| {
        let i = stmt.gens[*d].atom();
        let is_one = t.guard.iter().any(|c| matches!(c, Cond::Zero(a) if a.mentions(&i)));
        is_one || t.factors.iter().any(|a| a.at.iter().any(|e| e.mentions(&i)))
    })
}

/// `sum k. A[b, i, k] · B[b, k, j]` over indices that stand by themselves, in any order: what the blocked kernel computes.
fn is_matrix_product(stmt: &Stmt, t: &Term) -> bool {
    let ([k], [a, b]) = (t.sums.as_slice(), t.factors.as_slice()) else { return false };
    let bare = |at: &[Affine]| at.iter().all(|e| bare_index(e).is_some());
    let has = |at: &[Affine], i: Index| at.contains(&i.affine());
    let is_range = |c: &Cond| c.is_affine() && !stmt.gens.iter().any(|g| c.mentions(&g.atom()));
    let only = |a: &[Affine], b: &[Affine]| stmt.gens.iter().filter(|g| has(a, **g) && !has(b, **g)).count();
    let (a, b) = (&a.at, &b.at);
    let is_product = has(a, *k) && has(b, *k) && only(a, b) == 1 && only(b, a) == 1;
    is_product && bare(a) && bare(b) && t.guard.iter().all(is_range)
}

/// The conditions between indices that hold wherever the array is not zero: the others are those of few elements.
fn support_of(f: &Function, stmt: usize) -> Pred {
    let s = &f.stmts[stmt];
    let given = support::context(f, &s.gens, &f.array(s.array).extents);
    let terms: Vec<(&Term, bool)> = s.terms().iter().map(|t| (t, false)).collect();
    let all = support::of_terms(&given, &terms).unwrap_or_default();
    let between = |c: &Cond| c.is_affine() && s.gens.iter().filter(|g| c.mentions(&g.atom())).count() > 1;
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
