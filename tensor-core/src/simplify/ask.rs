//! Questions about guards where a statement stands. What cannot be decided stays as it is.

use crate::index::project;
use crate::index::query::{self, Facts};
use crate::index::omega::Work;
use crate::index::{Affine, Cond, Pred};
use crate::ssa::rename::{Substitution, elements_of};
use crate::ssa::{ArrayKind, Function, Index};

/// `lower <= i < upper`
pub(super) fn range(i: Index, lower: &Affine, upper: &Affine) -> Option<Pred> {
    let mut above = upper.plus_scaled(-1, &i.affine())?;
    above.constant -= 1;
    Some(vec![Cond::NonNeg(i.affine().plus_scaled(-1, lower)?), Cond::NonNeg(above)])
}

/// What holds wherever a statement with these indices and extents is evaluated: the assumptions, and the ranges of the indices.
pub(super) fn known(f: &Function, gens: &[Index], extents: &[Affine]) -> Pred {
    let mut out = f.assumptions.clone();
    for (g, e) in gens.iter().zip(extents) {
        out.extend(range(*g, &Affine::from(0), e).unwrap_or_default());
    }
    out
}

/// The ranges of the elements of index arrays that the affine forms mention.
pub(super) fn element_ranges<'a>(f: &Function, affines: impl IntoIterator<Item = &'a Affine>) -> Pred {
    let mut out: Pred = vec![];
    for a in affines {
        elements_of(a, &mut |k, at| {
            let ArrayKind::Index { formals, lower, upper } = &f.array(k).kind else { return };
            let here = Substitution::new(formals, at);
            let value = Affine::from(crate::index::Atom::Element(k.0, at.to_vec()));
            let above = here.affine(upper).and_then(|u| u.plus_scaled(-1, &value));
            let below = here.affine(lower).and_then(|l| value.plus_scaled(-1, &l));
            if let (Some(below), Some(mut above)) = (below, above) {
                above.constant -= 1;
                for c in [Cond::NonNeg(below), Cond::NonNeg(above)] {
                    if !out.contains(&c) {
                        out.push(c);
                    }
                }
            }
        });
    }
    out
}

/// `p` without what `given` and the rest of `p` entail; `None` where that is empty.
pub(super) fn gist(p: &[Cond], given: &[Cond]) -> Option<Pred> {
    if p.is_empty() { Some(vec![]) } else { query::gist(p, given, &Facts::default(), &mut Work::default()) }
}

/// `true` only if `given` entails every condition of `q`.
pub(super) fn entails(given: &[Cond], q: &[Cond]) -> bool {
    q.iter().all(|c| given.contains(c)) || query::entails(given, q, &Facts::default(), &mut Work::default())
}

/// `true` only if no point satisfies all of `preds`.
pub(super) fn empty(preds: &[&[Cond]]) -> bool {
    query::is_empty(preds, &Facts::default(), &mut Work::default())
}

/// `ps` as disjoint pieces.
pub(super) fn disjoint(ps: &[Pred], given: &[Cond]) -> Vec<Pred> {
    query::disjoint(ps, given, &Facts::default(), &mut Work::default())
}

/// One conjunction for `p ∨ q`, if there is a simple one.
pub(super) fn coalesce(p: &Pred, q: &Pred, given: &[Cond]) -> Option<Pred> {
    query::coalesce(p, q, given, &Facts::default(), &mut Work::default())
}

/// `∃ gone. p` as one conjunction, exactly.
pub(super) fn exists(p: &[Cond], gone: &[Index], given: &[Cond]) -> Option<Pred> {
    let gone: Vec<_> = gone.iter().map(|i| i.atom()).collect();
    let mut pieces = project::exists(p, &gone, false, given, &Facts::default(), &mut Work::default())?;
    if pieces.len() == 1 { pieces.pop() } else { None }
}
