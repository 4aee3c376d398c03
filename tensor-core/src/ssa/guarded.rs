//! What a condition reads is kept in range by what stands before it.

use super::rename::elements_of;
use super::{Access, ArrayKind, Function};
use crate::index::query::{Facts, Range};
use crate::index::{Affine, Atom, Cond, Pred, cond};

/// Whether a context and a conjunction entail a condition.
pub type Holds<'a> = dyn Fn(&[Cond], &Cond) -> bool + 'a;

impl Function {
    /// The ranges of the elements of index arrays.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        for (id, a) in (0..).zip(&self.arrays) {
            match &a.kind {
                ArrayKind::Real => {}
                ArrayKind::Index { formals, lower, upper } => {
                    let formals = formals.iter().map(|i| i.0).collect();
                    let (lower, upper) = (lower.clone(), upper.clone());
                    facts.ranges.insert(id, Range::Place { formals, lower, upper });
                }
            }
        }
        facts
    }

    /// Those of the elements in some conditions.
    #[must_use]
    pub fn facts_in<'a>(&self, conds: impl IntoIterator<Item = &'a Cond>) -> Facts {
        let mentions = conds.into_iter().any(|c| c.any_atom(&|t| matches!(t, Atom::Element(..))));
        if mentions { self.facts() } else { Facts::default() }
    }

    /// `p` as a conjunction that may be evaluated from left to right.
    ///
    /// ```text
    /// p ∧ r[a] ∧ …    ↦    p ∧ 0 ≤ a < extent ∧ r[a] ∧ …
    /// ```
    ///
    /// What reads nothing comes first. What reads comes once all before it says that its reads are in range; where nothing
    /// says so, as an index that did has been eliminated, that is said before it.
    #[must_use]
    pub fn guarded(&self, p: &[Cond], holds: &Holds) -> Pred {
        if p.iter().all(Cond::is_total) { p.to_vec() } else { self.guarded_after(&[], p, holds) }
    }

    /// Whether a condition may be evaluated where `before` holds.
    #[must_use]
    pub fn is_guarded(&self, c: &Cond, before: &[Cond], holds: &Holds) -> bool {
        c.is_total() || self.at_once(c, before, holds).as_slice() == std::slice::from_ref(c)
    }

    /// The same behind `before`.
    fn guarded_after(&self, before: &[Cond], p: &[Cond], holds: &Holds) -> Pred {
        let (mut out, mut open) = (before.to_vec(), vec![]);
        for c in p {
            if c.is_total() { out.push(c.clone()) } else { open.push(c.clone()) }
        }
        while !open.is_empty() {
            let (at, now) = self.next(&open, &out, holds);
            open.remove(at);
            out.extend(now);
        }
        out.split_off(before.len())
    }

    /// Which of these comes next, and what it becomes: the first that may be evaluated as it is, else the first. Each is looked at once: in
    /// unions of unions all of it is.
    fn next(&self, open: &[Cond], before: &[Cond], holds: &Holds) -> (usize, Pred) {
        let mut first = None;
        for (at, c) in open.iter().enumerate() {
            let now = self.at_once(c, before, holds);
            if now.as_slice() == std::slice::from_ref(c) {
                return (at, now);
            }
            first.get_or_insert(now);
        }
        (0, first.unwrap_or_default())
    }

    /// A condition behind what is not said of its reads.
    fn at_once(&self, c: &Cond, before: &[Cond], holds: &Holds) -> Pred {
        if let Cond::Any(ps) = c {
            return vec![Cond::Any(ps.iter().map(|p| self.guarded_after(before, p, holds)).collect())];
        }
        let mut known = before.to_vec();
        for needed in self.read_by(c).iter().filter_map(|read| self.in_range(read)).flatten() {
            if !holds(&known, &needed) {
                known.push(needed);
            }
        }
        known.push(c.clone());
        known.split_off(before.len())
    }

    /// `0 ≤ a < extent` for each index of an access; `None` where a difference does not fit.
    #[must_use]
    pub fn in_range(&self, read: &Access) -> Option<Pred> {
        let each = read.at.iter().zip(&self.array(read.array).extents);
        let all: Option<Vec<Pred>> = each.map(|(a, n)| cond::within(&Affine::zero(), a, n)).collect();
        Some(all?.concat())
    }

    /// The elements of index arrays in forms, those that stand in others before them.
    #[must_use]
    pub fn elements_in<'a>(&self, forms: impl IntoIterator<Item = &'a Affine>) -> Vec<Access> {
        let mut out = vec![];
        for a in forms {
            elements_of(a, &mut |array, at| out.push(Access { array, at: at.to_vec() }));
        }
        out
    }

    /// What one condition reads, elements that stand in others before them.
    fn read_by(&self, c: &Cond) -> Vec<Access> {
        let mut out = self.elements_in(c.affines());
        self.each_compared(c, &mut |a| out.push(a));
        out
    }
}

#[cfg(test)]
mod tests;
