//! Matrices of derivatives: all rows, or all columns, at once.

use super::columns::columns;
use super::rename::at_gens;
use super::vjp::rows;
use crate::index::affine::product;
use crate::index::omega::Work;
use crate::index::query::{Facts, entails_cond};
use crate::index::{Affine, Cond, Pred};
use crate::ssa::display::named;
use crate::ssa::{ArrayId, Function, Index, Rhs, Stmt, Term, regroup};

/// Where the matrix is computed in one of the two ways.
enum By {
    Rows,
    Columns,
    /// By rows where this holds, which is a condition on sizes.
    Either(Cond),
}

/// See [`super::jacobian`].
pub(super) fn jacobian(f: &Function, wrt: &[usize]) -> Function {
    let parts = match fewer(f, wrt) {
        By::Rows => vec![(true, vec![])],
        By::Columns => vec![(false, vec![])],
        By::Either(c) => {
            vec![(true, vec![c.clone()]), (false, crate::index::pred::complement(&[c]).concat())]
        }
    };
    assemble(f, wrt, &parts)
}

/// See [`super::hessian`].
pub(super) fn by_columns(f: &Function, wrt: &[usize]) -> Function {
    assemble(f, wrt, &[(false, vec![])])
}

/// The number of elements.
fn elements(f: &Function, arrays: &[ArrayId]) -> Option<Affine> {
    arrays.iter().try_fold(Affine::from(0), |sum, a| {
        let count = f.array(*a).extents.iter().try_fold(Affine::from(1), |p, e| product(&p, e))?;
        sum.plus_scaled(1, &count)
    })
}

/// Rows are the elements of the results, columns those of the arguments. As many of each: rows, which know better where nothing is asked for.
fn fewer(f: &Function, wrt: &[usize]) -> By {
    let xs: Vec<ArrayId> = wrt.iter().map(|k| f.params[*k]).collect();
    let counts = elements(f, &f.results).zip(elements(f, &xs));
    let more = counts.and_then(|(rows, columns)| columns.plus_scaled(-1, &rows));
    let Some(more) = more else { return By::Rows };
    let given = f.assumptions.clone();
    let holds = |c: &Cond| entails_cond(&[&given], c, &Facts::default(), &mut Work::default());
    let at_least = Cond::NonNeg(more.clone());
    if holds(&at_least) {
        return By::Rows;
    }
    match more.scale(-1) {
        Some(less) if holds(&Cond::NonNeg(less.clone())) => By::Columns,
        Some(_) | None => By::Either(at_least),
    }
}

/// `i = k` in each dimension.
fn same(i: &[Index], k: &[Index]) -> Pred {
    i.iter().zip(k).filter_map(|(i, k)| i.affine().plus_scaled(-1, &k.affine()).map(Cond::Zero)).collect()
}

/// `J[r, k] = Σ [p] X̄[r; k]`, by rows or by columns where `p` holds.
fn assemble(f: &Function, wrt: &[usize], parts: &[(bool, Pred)]) -> Function {
    let mut out = named(f);
    out.name = format!("{}_jacobian", f.name);
    let xs: Vec<ArrayId> = wrt.iter().map(|k| f.params[*k]).collect();
    let mut found = vec![];
    for (by_rows, p) in parts {
        let seed = |i: &[Index], k: &[Index]| [p.clone(), same(i, k)].concat();
        let all: Vec<Vec<Option<ArrayId>>> = if *by_rows {
            let row = |y: &ArrayId| {
                let batch = f.array(*y).extents.clone();
                rows(&mut out, &f.stmts, *y, &xs, &batch, &seed).into_iter().map(Some).collect()
            };
            f.results.iter().map(row).collect()
        } else {
            let column = |x: &ArrayId| columns(&mut out, &f.stmts, &f.results, *x, &seed, p);
            transposed(xs.iter().map(column).collect(), f.results.len())
        };
        found.push((p, all));
    }
    out.results = vec![];
    for (r, y) in f.results.iter().enumerate() {
        for (c, x) in xs.iter().enumerate() {
            let blocks = found.iter().filter_map(|(p, all)| Some((*p, all[r][c]?)));
            let blocks: Vec<(&Pred, ArrayId)> = blocks.collect();
            let block = sum(&mut out, *y, *x, &blocks);
            out.results.push(block);
        }
    }
    regroup(out)
}

/// Columns of blocks as rows of blocks.
fn transposed(columns: Vec<Vec<Option<ArrayId>>>, rows: usize) -> Vec<Vec<Option<ArrayId>>> {
    (0..rows).map(|r| columns.iter().map(|c| c[r]).collect()).collect()
}

/// The derivative of `y` by `x`.
fn sum(f: &mut Function, y: ArrayId, x: ArrayId, blocks: &[(&Pred, ArrayId)]) -> ArrayId {
    if let [(p, one)] = blocks
        && p.is_empty()
    {
        return *one;
    }
    let extents = [f.array(y).extents.as_slice(), &f.array(x).extents].concat();
    let gens: Vec<Index> = extents.iter().map(|_| f.new_index("i")).collect();
    let name = format!("{}_by_{}", f.array(y).name, f.array(x).name);
    let array = f.new_array(name, extents);
    let term = |(p, block): &(&Pred, ArrayId)| Term {
        sums: vec![],
        guard: (*p).clone(),
        coeff: 1.0,
        factors: vec![at_gens(*block, &gens)],
    };
    let terms = blocks.iter().map(term).collect();
    f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(terms), step: None });
    array
}
