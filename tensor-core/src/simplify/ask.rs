//! Questions about guards where a statement stands. What cannot be decided stays as it is.

use super::State;
use crate::index::omega::Work;
use crate::index::query::{self, Facts};
use crate::index::{Affine, Atom, Cond, Pred, cond, project};
use crate::ssa::{Function, Index};
use crate::weights;
use std::borrow::Cow;
use std::rc::Rc;
use std::slice;

/// What holds somewhere.
#[derive(Clone)]
pub(super) struct Known {
    pred: Pred,
    facts: Rc<Facts>,
}

/// The ranges of the elements of index arrays.
pub(super) fn facts(f: &Function) -> Rc<Facts> {
    Rc::new(f.facts())
}

/// What holds wherever a statement with these indices and extents is evaluated: the assumptions, the ranges of the indices and those of
/// the elements of index arrays.
pub(super) fn known(s: &State, gens: &[Index], extents: &[Affine]) -> Known {
    let mut pred = s.f.assumptions.clone();
    for (g, e) in gens.iter().zip(extents) {
        pred.extend(cond::within(&Affine::from(0), &g.affine(), e).unwrap_or_default());
    }
    Known { pred, facts: Rc::clone(&s.facts) }
}

impl Known {
    /// What holds where `p` does too.
    pub(super) fn and(&self, p: &[Cond]) -> Known {
        Known { pred: self.pred.iter().chain(p).cloned().collect(), facts: Rc::clone(&self.facts) }
    }

    /// `p` without what the rest of it entails; `None` where that is empty.
    pub(super) fn gist(&self, p: &[Cond]) -> Option<Pred> {
        if p.is_empty() {
            return Some(vec![]);
        }
        query::gist(p, &self.pred, &self.facts, &mut Work::default())
    }

    /// `true` only if every condition of `q` holds.
    pub(super) fn entails(&self, q: &[Cond]) -> bool {
        q.iter().all(|c| self.pred.contains(c))
            || query::entails(&self.about(q), q, &self.facts, &mut Work::default())
            || q.iter().all(|c| self.says(c))
    }

    /// Whether it says a condition itself, or all of an alternative of a union: with products beside it the whole may be too hard a question.
    fn says(&self, c: &Cond) -> bool {
        match c {
            Cond::Any(ps) => {
                ps.iter().any(|p| p.iter().all(|c| self.says(c) || self.entails(slice::from_ref(c))))
            }
            _ => project::tidy(vec![c.clone()]).is_ok_and(|c| c.iter().all(|c| self.pred.contains(c))),
        }
    }

    /// Of many conditions those that say something of `q`: a congruence of a quotient does only where that quotient is asked about.
    fn about(&self, q: &[Cond]) -> Cow<'_, [Cond]> {
        if self.pred.len() <= weights::index::LONG {
            return Cow::Borrowed(&self.pred);
        }
        let is_other = |t: &Atom| matches!(t, Atom::Floor(..)) && !q.iter().any(|c| c.mentions(t));
        let is_congruence = |c: &Cond| matches!(c, Cond::Residue(..) | Cond::NonResidue(..));
        self.pred.iter().filter(|c| !(is_congruence(c) && c.any_atom(&is_other))).cloned().collect()
    }

    /// `true` only if no point satisfies both.
    pub(super) fn excludes(&self, p: &[Cond], q: &[Cond]) -> bool {
        query::is_empty(&[&self.pred, p, q], &self.facts, &mut Work::default())
    }

    /// `ps` as disjoint pieces, if these are at most so many.
    pub(super) fn disjoint(&self, ps: &[Pred], most: usize) -> Option<Vec<Pred>> {
        query::disjoint(ps, &self.pred, &self.facts, most, &mut Work::default())
    }

    /// One conjunction for `p ∨ q`, if there is a simple one.
    pub(super) fn coalesce(&self, p: &Pred, q: &Pred) -> Option<Pred> {
        query::coalesce(p, q, &self.pred, &self.facts, &mut Work::default())
    }

    /// The bounds of the elements of index arrays in `p`, where it holds.
    pub(super) fn element_bounds(&self, p: &[Cond]) -> Pred {
        project::element_bounds(p, &self.pred, &self.facts)
    }

    /// `∃ gone. p` as one conjunction, exactly.
    pub(super) fn exists(&self, p: &[Cond], gone: &[Index]) -> Option<Pred> {
        let gone: Vec<_> = gone.iter().map(|i| i.atom()).collect();
        let mut pieces = project::exists(p, &gone, false, &self.pred, &self.facts, &mut Work::default())?;
        if pieces.len() == 1 { pieces.pop() } else { None }
    }
}
