//! Blocks on the diagonal of a symmetric matrix of blocks, which are symmetric by themselves.
//!
//! ```text
//! D[i, a, b] = H[i, a, i, b]   →   D[i, a, b] = [a <= b] Σ terms     H[i, a, k, b] = … + [i == k, a <= b] D[i, a, b] + [i == k, b < a] D[i, b, a]
//! ```

use super::triangle::Entries;
use super::{Pair, bands, position};
use crate::index::{Affine, Cond, Pred, cond};
use crate::mark::{self, Mark};
use crate::ssa::rename::Substitution;
use crate::ssa::{ArrayId, Function, Rhs, Stmt, Term};

/// The terms of the blocks on the diagonal of a matrix, by its other dimensions, of which each element is computed once: what is on the diagonal leaves
/// the matrix, and those that it reads for it. `None`, and nothing is changed, where no element is computed on both sides of a block.
pub(super) fn triangular(
    f: &mut Function,
    all: &[Entries],
    others: &[Pair],
    below: Option<bool>,
) -> Option<Vec<Term>> {
    if others.is_empty() {
        return None;
    }
    let before = f.clone();
    let found = apart(f, all, others, below);
    match &found {
        Some(_) => mark::hit(Mark::TriangleOfBlocks),
        None => *f = before,
    }
    found
}

fn apart(f: &mut Function, all: &[Entries], others: &[Pair], below: Option<bool>) -> Option<Vec<Term>> {
    let whole = all.first()?;
    let gens = f.definition(whole.array)?.gens.clone();
    let diagonal = blocks(f, all)?;
    all.iter().for_each(|e| leave(f, e));
    let of = |d: usize| if d > whole.pair[1] { d - 1 } else { d };
    let others: Vec<Pair> = others.iter().map(|p| p.map(of)).collect();
    let terms = super::triangular(f, diagonal, &others, below)?;
    let [i, k] = whole.pair.map(|d| gens[d].affine());
    let kept: Vec<Affine> = but(&gens, whole.pair[1]).iter().map(|g| g.affine()).collect();
    let to = Substitution::new(&f.definition(diagonal)?.gens, &kept);
    let at_block = |t: &Term| {
        let t = to.term(t)?;
        let guard = [vec![cond::eq(&i, &k)?], t.guard].concat();
        Some(Term { guard, ..t })
    };
    terms.iter().map(at_block).collect()
}

/// The elements on the diagonal as arrays without the dimension of the columns; that of the first.
fn blocks(f: &mut Function, all: &[Entries]) -> Option<ArrayId> {
    let mut made: Vec<(Entries, ArrayId)> = vec![];
    for e in all.iter().rev() {
        let at = position(f, e.array)?;
        let Stmt { gens, rhs, .. } = f.stmts[at].clone().freshened(f, e.array)?;
        let [i, k] = e.pair;
        let mut rhs = Substitution::new(&[gens[k]], &[gens[i].affine()]).rhs(&rhs)?;
        // What the matrix reads may have fewer columns than rows.
        let extents = &f.array(e.array).extents;
        if extents[i] != extents[k] {
            let within = cond::lt(&gens[i].affine(), &extents[k])?;
            rhs.guards_mut().into_iter().for_each(|p| p.insert(0, within.clone()));
        }
        if let Rhs::Contract(terms) = &mut rhs {
            terms.retain_mut(|t| holds(&mut t.guard));
        }
        for (of, array) in &made {
            for a in rhs.accesses_mut().into_iter().filter(|a| a.array == of.array) {
                a.array = *array;
                a.at.remove(of.pair[1]);
            }
        }
        let (name, extents) = (f.array(e.array).name.clone(), but(&f.array(e.array).extents, k));
        let array = f.new_array(name, extents);
        f.stmts.insert(at, Stmt { array, gens: but(&gens, k), rhs, step: None });
        made.push((*e, array));
    }
    made.last().map(|(_, array)| *array)
}

/// The terms on the diagonal leave an array.
fn leave(f: &mut Function, e: &Entries) {
    let (Some(at), Some(pair)) = (position(f, e.array), e.indices(f)) else { return };
    if let Rhs::Contract(terms) = &mut f.stmts[at].rhs {
        terms.retain(|t| bands::line(t, pair) != Some(0));
    }
}

/// Whether a condition may hold at all; those that do anyway are left out.
fn holds(p: &mut Pred) -> bool {
    p.retain(|c| {
        !matches!(c, Cond::Zero(a) if a.is_zero())
            && !matches!(c, Cond::NonNeg(a) if a.as_constant().is_some_and(|c| c >= 0))
    });
    !p.iter().any(|c| match c {
        Cond::Zero(a) => a.is_constant(),
        Cond::NonZero(a) => a.is_zero(),
        Cond::NonNeg(a) => a.is_constant(),
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => false,
    })
}

/// All but one.
pub(super) fn but<T: Clone>(all: &[T], dimension: usize) -> Vec<T> {
    all.iter().enumerate().filter(|(d, _)| *d != dimension).map(|(_, x)| x.clone()).collect()
}
