//! Lines of a symmetric matrix beside its diagonal: those above are also those below.
//!
//! ```text
//! H[i, k] = [k == i + 1] x[i] y[k] + [i == k + 1] x[k] y[i]   →   b[i] = x[i] y[i + 1]     H[i, k] = [k == i + 1] b[i] + [i == k + 1] b[k]
//! ```
//!
//! What is there already, as an array or a number, gets no other name.

use crate::index::{Affine, Cond};
use crate::ssa::rename::Substitution;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// The statement of a Hessian of which every term is on some line, by one of the dimensions, and not all on the diagonal: whether it is one.
pub(super) fn once(f: &mut Function, at: usize) -> bool {
    let rank = f.stmts[at].gens.len() / 2;
    for d in 0..rank {
        let Stmt { gens, rhs: Rhs::Contract(terms), .. } = &f.stmts[at] else { return false };
        let pair = [gens[d], gens[rank + d]];
        let Some(mut lines) = terms.iter().map(|t| line(t, pair)).collect::<Option<Vec<i64>>>() else {
            continue;
        };
        lines.retain(|by| *by > 0);
        lines.sort_unstable();
        lines.dedup();
        if lines.is_empty() {
            continue;
        }
        let array = f.stmts[at].array;
        for by in lines {
            let at = f.stmts.iter().position(|s| s.array == array);
            at.and_then(|at| across(f, at, d, by));
        }
        return true;
    }
    false
}

/// How far right of the diagonal the elements of a term are, if on one line.
fn line(t: &Term, [i, k]: [Index; 2]) -> Option<i64> {
    t.guard.iter().find_map(|c| {
        let Cond::Zero(a) = c else { return None };
        let sign = a.coeff(&k.atom());
        let rest = a.plus_scaled(-sign, &k.affine())?.plus_scaled(sign, &i.affine())?;
        if sign.abs() == 1 { rest.as_constant().map(|c| -sign * c) } else { None }
    })
}

/// The terms of a line, which are also those of the line across.
fn across(f: &mut Function, at: usize, d: usize, by: i64) -> Option<()> {
    let Stmt { gens, rhs: Rhs::Contract(terms), .. } = f.stmts[at].clone() else { return None };
    let rank = gens.len() / 2;
    let (mut own, mut other, mut all) = (vec![], vec![], vec![]);
    for t in terms {
        match line(&t, [gens[d], gens[rank + d]]) {
            Some(o) if o == by => own.push(t),
            Some(o) if o == -by => other.push(t),
            _ => all.push(t),
        }
    }
    match (read(&own), read(&other)) {
        (Some(a), Some(b)) if a == b => return None,
        (Some(_), _) => {}
        (None, _) => own = vec![named(f, at, own, d, by)?],
    }
    let (row, column) = gens.split_at(rank);
    let turned = Substitution::renaming(&gens, &[column, row].concat());
    all.extend(own.iter().map(|t| turned.term(t)).collect::<Option<Vec<Term>>>()?);
    all.extend(own);
    let last = f.stmts.iter().position(|s| s.gens == gens)?;
    f.stmts[last].rhs = Rhs::Contract(all);
    Some(())
}

/// The array that is all that there is on a line, if it is one, or a number.
fn read(terms: &[Term]) -> Option<Option<ArrayId>> {
    match terms {
        [t] if t.sums.is_empty() && t.factors.len() < 2 => Some(t.factors.first().map(|a| a.array)),
        _ => None,
    }
}

/// The terms of a line as one array, without the dimension that the line gives: the term that reads it.
fn named(f: &mut Function, at: usize, own: Vec<Term>, d: usize, by: i64) -> Option<Term> {
    let Stmt { array, gens, .. } = f.stmts[at].clone();
    let (rank, extents) = (gens.len() / 2, f.array(array).extents.clone());
    let but = |all: &[Index]| -> Vec<Index> {
        all.iter().enumerate().filter(|(e, _)| *e != rank + d).map(|(_, g)| *g).collect()
    };
    let new = f.fresh(&gens);
    let mut to: Vec<Affine> = new.iter().map(|g| g.affine()).collect();
    to[rank + d] = new[d].affine().plus_constant(by)?;
    let to = Substitution::new(&gens, &to);
    let mut terms = own.iter().map(|t| to.term(t)).collect::<Option<Vec<Term>>>()?;
    // The element on the line is one of the matrix.
    let within = Cond::NonNeg(extents[d].plus_constant(-1 - by)?.plus_scaled(-1, &new[d].affine())?);
    for t in &mut terms {
        t.guard.retain(|c| !matches!(c, Cond::Zero(a) if a.is_zero()));
        t.guard.push(within.clone());
    }
    let (i, k) = (gens[d], gens[rank + d]);
    let on_line = Cond::Zero(k.affine().plus_scaled(-1, &i.affine())?.plus_constant(-by)?);
    let kept = extents.iter().enumerate().filter(|(e, _)| *e != rank + d).map(|(_, e)| e.clone());
    let b = f.new_array(f.array(array).name.clone(), kept.collect());
    f.stmts.insert(at, Stmt { array: b, gens: but(&new), rhs: Rhs::Contract(terms) });
    let factors = vec![Access { array: b, at: but(&gens).iter().map(|g| g.affine()).collect() }];
    Some(Term { sums: vec![], guard: vec![on_line], coeff: 1.0, factors })
}
