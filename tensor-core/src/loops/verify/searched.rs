//! Where a search for a place finds none.
//!
//! ```text
//! let at = least - 1
//! for i in a..b { if t { (.., at) = max((.., at), (.., i)) } }
//! ```
//!
//! leaves what `at` was declared with only where no iteration has the test.

use super::known::writers;
use super::ranges::iterations;
use crate::index::omega::Work;
use crate::index::pred::{any, complement};
use crate::index::project::exists;
use crate::index::query::Facts;
use crate::index::{Atom, Cond, Pred};
use crate::loops::{Leaf, Stmt, Test, VarId};
use crate::sorted::Map;

/// What holds where a statement does not assign a place; `None` where that is not told. `real` says what a test of reals is after it.
pub(super) fn missed(s: &Stmt, v: VarId, real: &mut dyn FnMut(&Test) -> Option<Cond>) -> Option<Pred> {
    let found = assigned(s, v, real)?;
    Some(found.iter().map(|p| any(complement(p))).collect())
}

/// A test as a condition, as far as alternatives are of indices alone.
fn cond(t: &Test, real: &mut dyn FnMut(&Test) -> Option<Cond>) -> Option<Cond> {
    match t {
        Test::Index(c) => Some(c.clone()),
        Test::Real { .. } => real(t),
        Test::Any(ps) => {
            let all = |p: &Vec<Test>| p.iter().map(|t| cond(t, &mut |_| None)).collect::<Option<Pred>>();
            Some(Cond::Any(ps.iter().map(all).collect::<Option<_>>()?))
        }
    }
}

/// The alternatives under which a statement assigns a place.
fn assigned(s: &Stmt, v: VarId, real: &mut dyn FnMut(&Test) -> Option<Cond>) -> Option<Vec<Pred>> {
    let mut block = |stmts: &[Stmt]| stmts.iter().find_map(|s| assigned(s, v, real));
    match s {
        Stmt::Leaf(Leaf::ArgExtreme { at, .. }) => (*at == v).then(|| vec![vec![]]),
        Stmt::If { tests, body, .. } => {
            let inner = block(body)?;
            let tests: Pred = tests.iter().map(|t| cond(t, real)).collect::<Option<_>>()?;
            Some(inner.into_iter().map(|p| [tests.as_slice(), &p].concat()).collect())
        }
        Stmt::For { index, lower, upper, step, body, .. } => {
            let inner = block(body)?;
            let mut written = Map::new();
            writers(body, &mut written);
            let changes = |t: &Atom| match t {
                Atom::Element(a, at) => {
                    written.contains_key(a) || at.iter().any(|e| e.mentions(&index.atom()))
                }
                Atom::Size(_) | Atom::Index(_) | Atom::Floor(..) | Atom::Product(_) => false,
            };
            if inner.iter().flatten().any(|c| c.any_atom(&changes)) {
                return None;
            }
            let range = iterations(*index, lower, upper, step.as_ref());
            let some = |p: Pred| {
                let (reals, p): (Pred, Pred) = p.into_iter().partition(|c| matches!(c, Cond::Opaque { .. }));
                let all = [range.as_slice(), &p].concat();
                let ps = exists(&all, &[index.atom()], false, &[], &Facts::default(), &mut Work::default())?;
                Some(ps.into_iter().map(|p| [p, reals.clone()].concat()).collect::<Vec<Pred>>())
            };
            Some(inner.into_iter().map(some).collect::<Option<Vec<_>>>()?.concat())
        }
        Stmt::Leaf(_) => None,
    }
}
