//! Questions about predicates: emptiness, entailment, simplification, disjoint splitting.

mod columns;
mod congruent;
mod context;
mod facts;
mod gist;
mod node;
mod simplify;

pub(crate) use columns::Columns;
pub use context::Context;
pub use facts::{Facts, Range};
pub use gist::gist;
pub(crate) use node::facts_rows;
pub use simplify::{coalesce, disjoint, linked, subtract};

use super::affine::Atom;
use super::omega::Work;
use super::pred::Cond;
use std::borrow::Borrow;

/// A point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The atoms that were asked about, sorted.
    pub atoms: Vec<Atom>,
    /// Their values.
    pub values: Vec<i64>,
}

impl Model {
    /// The value of an atom that was asked about.
    #[must_use]
    pub fn get(&self, a: &Atom) -> Option<i64> {
        self.atoms.binary_search(a).ok().and_then(|k| self.values.get(k)).copied()
    }
}

/// The outcome of the search for a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// There is none.
    None,
    /// This one.
    Some(Model),
    /// A limit was exceeded.
    Unknown,
}

/// A point of all of `preds`. Products are atoms of their own here: check that theirs is the product of the values.
#[must_use]
pub fn model(preds: &[&[Cond]], facts: &Facts, work: &mut Work) -> Found {
    Context::new(preds, &[], facts).model(work)
}

/// `true` only if no point satisfies all of `preds`.
#[must_use]
pub fn is_empty(preds: &[&[Cond]], facts: &Facts, work: &mut Work) -> bool {
    Context::new(preds, &[], facts).is_empty(work)
}

/// `p ⊨ c` by looking: the same condition, or the same linear part with a smaller constant.
fn obvious<C: Borrow<Cond>>(p: &[C], c: &Cond) -> bool {
    let contains = |c: &Cond| p.iter().any(|d| d.borrow() == c);
    match c {
        Cond::NonNeg(a) => {
            let implies = |d: &C| match d.borrow() {
                Cond::NonNeg(b) | Cond::Zero(b) => b.constant <= a.constant && b.terms == a.terms,
                Cond::NonZero(_) | Cond::Residue(..) | Cond::NonResidue(..) => false,
                Cond::Opaque { .. } | Cond::Any(_) => false,
            };
            facts::is_never_negative(a) || p.iter().any(implies)
        }
        Cond::Residue(a, k) => a.constant % k == 0 && a.terms.iter().all(|t| t.1 % k == 0) || contains(c),
        Cond::Any(ps) => ps.iter().any(|q| q.iter().all(|c| obvious(p, c))) || contains(c),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonResidue(..) | Cond::Opaque { .. } => contains(c),
    }
}

/// `true` only if every point of all of `preds` satisfies `c`.
#[must_use]
pub fn entails_cond(preds: &[&[Cond]], c: &Cond, facts: &Facts, work: &mut Work) -> bool {
    // What products that do not occur say takes time, and is seldom needed.
    let shortly = || Some(Context::without_others(preds, c, facts)?.entails(c, &mut Work::default()));
    preds.iter().any(|p| obvious(p, c))
        || shortly() == Some(true)
        || Context::new(preds, &[std::slice::from_ref(c)], facts).entails(c, work)
}

/// `true` only if every point of `p` satisfies all of `q`.
#[must_use]
pub fn entails(p: &[Cond], q: &[Cond], facts: &Facts, work: &mut Work) -> bool {
    let mut context = None;
    q.iter().all(|c| {
        obvious(p, c) || context.get_or_insert_with(|| Context::new(&[p], &[q], facts)).entails(c, work)
    })
}
