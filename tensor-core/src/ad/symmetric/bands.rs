//! Lines of a symmetric matrix beside its diagonal: those above are also those below.
//!
//! ```text
//! H[i, k] = [k == i + 1] x[i] y[k] + [i == k + 1] x[k] y[i]   →   b[i] = x[i] y[i + 1]     H[i, k] = [k == i + 1] b[i] + [i == k + 1] b[k]
//! ```
//!
//! What is there already, as an array or a number, gets no other name.

use super::triangle::Entries;
use super::{Pair, blocks, position};
use crate::index::{Affine, Cond};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// The first dimension by which every term of a matrix is on some line, and not all on the diagonal; how far right of it those are that are above.
pub(super) fn lines(f: &Function, array: ArrayId, pairs: &[Pair]) -> Option<(Pair, Vec<i64>)> {
    let stmt = f.definition(array)?;
    pairs.iter().find_map(|pair| {
        let indices = pair.map(|d| stmt.gens[d]);
        let mut lines = stmt.terms().iter().map(|t| line(t, indices)).collect::<Option<Vec<i64>>>()?;
        lines.retain(|by| *by > 0);
        lines.sort_unstable();
        lines.dedup();
        (!lines.is_empty()).then_some((*pair, lines))
    })
}

/// See [`super::triangular`], of a matrix that is on lines by a dimension.
pub(super) fn triangular(
    f: &mut Function,
    array: ArrayId,
    pair: Pair,
    lines: &[i64],
    pairs: &[Pair],
) -> Option<Vec<Term>> {
    let (gens, terms) = (f.definition(array)?.gens.clone(), f.definition(array)?.terms().to_vec());
    let on = |by: i64| -> Vec<Term> {
        terms.iter().filter(|t| line(t, pair.map(|d| gens[d])) == Some(by)).cloned().collect()
    };
    let (mut beside, mut is_less) = (vec![], false);
    for by in lines {
        let sides = [on(*by), on(-*by)];
        let once = if is_one(&sides) { None } else { across(f, array, pair, *by, &sides[0], pairs) };
        is_less |= once.is_some();
        beside.extend(once.unwrap_or_else(|| sides.into_iter().flatten().collect()));
    }
    let (at, diagonal) = (position(f, array)?, on(0));
    f.stmts[at].rhs = Rhs::Contract(diagonal.clone());
    // What is beside the diagonal has its readers meanwhile: an array of both is not the diagonal's to cut.
    let reader = f.new_array(f.array(array).name.clone(), f.array(array).extents.clone());
    f.stmts.push(Stmt { array: reader, gens: gens.clone(), rhs: Rhs::Contract(beside.clone()), step: None });
    let others: Vec<Pair> = pairs.iter().copied().filter(|p| *p != pair).collect();
    let once = blocks::triangular(f, &[Entries { array, pair }], &others, None);
    f.stmts.retain(|s| s.array != reader);
    is_less |= once.is_some();
    if !is_less {
        let at = position(f, array)?;
        f.stmts[at].rhs = Rhs::Contract(terms);
        return None;
    }
    Some(once.unwrap_or(diagonal).into_iter().chain(beside).collect())
}

/// How far right of the diagonal the elements of a term are, if on one line.
pub(super) fn line(t: &Term, [i, k]: [Index; 2]) -> Option<i64> {
    t.guard.iter().find_map(|c| {
        let Cond::Zero(a) = c else { return None };
        let sign = a.coeff(&k.atom());
        let rest = a.plus_scaled(-sign, &k.affine())?.plus_scaled(sign, &i.affine())?;
        if sign.abs() == 1 { rest.as_constant().map(|c| -sign * c) } else { None }
    })
}

/// Whether both sides read the same array, or numbers.
fn is_one([own, other]: &[Vec<Term>; 2]) -> bool {
    matches!((read(own), read(other)), (Some(a), Some(b)) if a == b)
}

/// The array that is all that there is on a line, if it is one, or a number.
fn read(terms: &[Term]) -> Option<Option<ArrayId>> {
    match terms {
        [t] if t.sums.is_empty() && t.factors.len() < 2 => Some(t.factors.first().map(|a| a.array)),
        _ => None,
    }
}

/// The terms of a line and of the line across, by what is on the one.
fn across(
    f: &mut Function,
    array: ArrayId,
    pair: Pair,
    by: i64,
    own: &[Term],
    pairs: &[Pair],
) -> Option<Vec<Term>> {
    let own = if read(own).is_some() { own.to_vec() } else { vec![named(f, array, own, pair, by)?] };
    let gens = f.definition(array)?.gens.clone();
    let mut across = gens.clone();
    pairs.iter().for_each(|[i, k]| across.swap(*i, *k));
    let turned = Substitution::renaming(&gens, &across);
    let other: Vec<Term> = own.iter().map(|t| turned.term(t)).collect::<Option<_>>()?;
    Some(other.into_iter().chain(own).collect())
}

/// The terms of a line as one array, without the dimension that the line gives: the term that reads it.
fn named(f: &mut Function, array: ArrayId, own: &[Term], [row, column]: Pair, by: i64) -> Option<Term> {
    let at = position(f, array)?;
    let (gens, extents) = (f.stmts[at].gens.clone(), f.array(array).extents.clone());
    let new = f.fresh(&gens);
    let mut to: Vec<Affine> = new.iter().map(|g| g.affine()).collect();
    to[column] = new[row].affine().plus_constant(by)?;
    let to = Substitution::new(&gens, &to);
    let mut terms = own.iter().map(|t| to.term(t)).collect::<Option<Vec<Term>>>()?;
    // The element on the line is one of the matrix.
    let within = Cond::NonNeg(extents[column].plus_constant(-1 - by)?.plus_scaled(-1, &new[row].affine())?);
    for t in &mut terms {
        t.guard.retain(|c| !matches!(c, Cond::Zero(a) if a.is_zero()));
        t.guard.insert(0, within.clone());
    }
    let (i, k) = (gens[row], gens[column]);
    let on_line = Cond::Zero(k.affine().plus_scaled(-1, &i.affine())?.plus_constant(-by)?);
    let b = f.new_array(f.array(array).name.clone(), blocks::but(&extents, column));
    let stmt = Stmt { array: b, gens: blocks::but(&new, column), rhs: Rhs::Contract(terms), step: None };
    f.stmts.insert(at, stmt);
    let at = blocks::but(&gens, column).iter().map(|g| g.affine()).collect();
    let factors = vec![Access { array: b, at }];
    Some(Term { sums: vec![], guard: vec![on_line], coeff: 1.0, factors })
}
