//! Triangles of symmetric matrices that products compute: the kernel writes them to both sides, so there is nothing to symmetrize.
//!
//! ```text
//! matmul i < n, j < n, k < m if i <= j: h[i, j] = a[i, k]*b[k, j]     symmetrize h
//! ```

use super::uses::{Uses, is_on_diagonal};
use crate::index::Affine;
use crate::index::affine::product;
use crate::loops::{Band, Bound, Expr, Leaf, Place, Product, Stmt, Symmetrize, VarId};
use crate::mark::{self, Mark};
use crate::ssa::Index;

/// Statements that do not symmetrize what one product computes, which writes both sides.
pub(super) fn across(mut stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut at = 0;
    while at < stmts.len() {
        let (before, rest) = stmts.split_at_mut(at);
        if let Stmt::Leaf(Leaf::Symmetrize(m)) = &rest[0]
            && let Some(p) = the_product(before, m)
        {
            mark::hit(Mark::Across);
            p.across = true;
            stmts.remove(at);
        } else {
            at += 1;
        }
    }
    stmts
}

/// The one product that computes the triangle, if all else that is written to the matrix is zeros before it, or added to its diagonal.
fn the_product<'a>(before: &'a mut [Stmt], m: &Symmetrize) -> Option<&'a mut Product> {
    let is_whole = m.above && m.block == 1.into() && m.c.at.len() == 2 && m.stride == m.rows;
    let of_triangle =
        before.iter().position(|s| !is_zeros(s, m) && Uses::of(std::slice::from_ref(s)).has(m.c.var))?;
    let stays = |s: &Stmt| {
        let uses = Uses::of(std::slice::from_ref(s));
        !uses.filled.contains(&m.c.var)
            && uses.places.iter().all(|(place, how)| place.var != m.c.var || is_on_diagonal(place, *how))
    };
    if !is_whole || !before[of_triangle + 1..].iter().all(stays) {
        return None;
    }
    let has_one = Uses::of(std::slice::from_ref(&before[of_triangle]))
        .places
        .iter()
        .filter(|u| u.0.var == m.c.var)
        .count()
        == 1;
    find(&mut before[of_triangle], m.c.var).filter(|p| has_one && p.rows.1 == m.rows && p.cols.1 == m.rows)
}

/// The product that writes the triangle of a variable, in loops or not.
fn find(s: &mut Stmt, v: VarId) -> Option<&mut Product> {
    match s {
        Stmt::Leaf(Leaf::Product(p)) => {
            let (row, column) = (p.rows.0.affine(), p.cols.0.affine());
            let is_triangle = p.band == Some(Band::From(0.into())) && p.c.at == [row, column];
            (p.c.var == v && is_triangle).then_some(&mut **p)
        }
        Stmt::For { body, .. } => body.iter_mut().find_map(|s| find(s, v)),
        _ => None,
    }
}

/// Whether a statement sets all of a matrix to zero, by rows and columns or element by element.
fn is_zeros(s: &Stmt, m: &Symmetrize) -> bool {
    let elements = || product(&m.rows, &m.rows);
    match s {
        Stmt::Leaf(Leaf::Fill { var, value }) => *var == m.c.var && *value == 0.0,
        Stmt::For { body, .. } => match body.as_slice() {
            [inner @ Stmt::For { body, .. }] => {
                let both = full(s, &m.rows).zip(full(inner, &m.rows));
                both.is_some_and(|(i, j)| is_zero(body, m, &[i, j]))
            }
            body => elements().and_then(|e| full(s, &e)).is_some_and(|i| is_zero(body, m, &[i])),
        },
        _ => false,
    }
}

/// The index of a loop that runs so often, from 0 on.
fn full(s: &Stmt, count: &Affine) -> Option<Index> {
    let Stmt::For { index, lower, upper, step: None, .. } = s else { return None };
    let is = |bounds: &[Bound], e: &Affine| matches!(bounds, [b] if b.den == 1 && b.num == *e);
    (is(lower, &Affine::zero()) && is(upper, &count.plus_constant(-1)?)).then_some(*index)
}

/// Whether a body does nothing but assign zero to the element at these indices.
fn is_zero(body: &[Stmt], m: &Symmetrize, at: &[Index]) -> bool {
    let is_there = |p: &Place| {
        p.var == m.c.var && p.at.iter().eq(at.iter().map(|i| i.affine()).collect::<Vec<_>>().iter())
    };
    matches!(body, [Stmt::Leaf(Leaf::Assign { target, value: Expr::Number(x) })] if *x == 0.0 && is_there(target))
}
