//! Ranges of private sums: the conditions that bound each of them, in an order in which loops can run.

use super::Index;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::sorted::Set;

/// Adds conditions of `original` to a guard that says the same, until each of `sums` is bounded on both sides by what is known before it.
/// `original` bounds them all.
#[must_use]
pub fn keep(guard: Pred, sums: &[Index], original: &[Cond]) -> Pred {
    let mut added: Pred = vec![];
    loop {
        let all = [added.as_slice(), &guard].concat();
        let open = unbounded(&all, sums);
        let next = open.iter().find_map(|s| {
            let sides = [true, false].map(|lower| missing(&all, *s, lower, &open, original));
            let found: Pred =
                sides.into_iter().collect::<Option<Vec<Option<Cond>>>>()?.into_iter().flatten().collect();
            (!found.is_empty()).then_some(found)
        });
        match next {
            Some(more) => added.extend(more.into_iter().filter(|c| !all.contains(c))),
            None => return all,
        }
    }
}

/// What `original` has to bound a sum on one side: `Some(None)` if the guard bounds it already, `None` if neither does.
fn missing(guard: &[Cond], s: Index, lower: bool, open: &[Index], original: &[Cond]) -> Option<Option<Cond>> {
    let open: Set<Index> = open.iter().copied().filter(|t| *t != s).collect();
    if guard.iter().any(|c| bounds(c, s, lower, &open)) {
        return Some(None);
    }
    original.iter().find(|c| bounds(c, s, lower, &open)).map(|c| Some(c.clone()))
}

/// The sums that no order of loops reaches: each is bounded by none but itself, others of these, and elements of index arrays.
#[must_use]
pub fn unbounded(guard: &[Cond], sums: &[Index]) -> Vec<Index> {
    let mut open: Vec<Index> = sums.to_vec();
    loop {
        let reached = open.iter().position(|s| {
            let others: Set<Index> = open.iter().copied().filter(|t| t != s).collect();
            [true, false].into_iter().all(|lower| guard.iter().any(|c| bounds(c, *s, lower, &others)))
        });
        match reached {
            Some(k) => drop(open.remove(k)),
            None => return open,
        }
    }
}

/// Whether a condition bounds an index from below, or from above, by what mentions none of `open`.
fn bounds(c: &Cond, i: Index, lower: bool, open: &Set<Index>) -> bool {
    let apart = |a: &Affine| a.terms.iter().all(|(t, _)| *t == i.atom() || is_known(t, i, open));
    match c {
        Cond::NonNeg(a) => {
            let k = a.coeff(&i.atom());
            (if lower { k > 0 } else { k < 0 }) && apart(a)
        }
        Cond::Zero(a) => a.coeff(&i.atom()) != 0 && apart(a),
        Cond::Any(ps) => !ps.is_empty() && ps.iter().all(|p| p.iter().any(|c| bounds(c, i, lower, open))),
        Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } => false,
    }
}

fn is_known(t: &Atom, i: Index, open: &Set<Index>) -> bool {
    let form = |e: &Affine| e.terms.iter().all(|(t, _)| is_known(t, i, open));
    match t {
        Atom::Size(_) => true,
        Atom::Index(k) => Index(*k) != i && !open.contains(&Index(*k)),
        Atom::Floor(e, _) => form(e),
        Atom::Element(..) => false,
        Atom::Product(fs) => fs.iter().all(|f| is_known(f, i, open)),
    }
}
