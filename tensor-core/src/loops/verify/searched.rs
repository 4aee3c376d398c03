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
use crate::index::{Atom, Pred};
use crate::loops::{Leaf, Stmt, Test, VarId};
use crate::sorted::Map;

/// What holds where a statement does not assign a place; `None` where that is not told.
pub(super) fn missed(s: &Stmt, v: VarId) -> Option<Pred> {
    let found = assigned(s, v)?;
    Some(found.iter().map(|p| any(complement(p))).collect())
}

/// The alternatives under which a statement assigns a place.
fn assigned(s: &Stmt, v: VarId) -> Option<Vec<Pred>> {
    let block = |stmts: &[Stmt]| stmts.iter().find_map(|s| assigned(s, v));
    match s {
        Stmt::Leaf(Leaf::ArgExtreme { at, .. }) => (*at == v).then(|| vec![vec![]]),
        Stmt::If { tests, body, .. } => {
            let of_indices = |t: &Test| match t {
                Test::Index(c) => Some(c.clone()),
                Test::Real { .. } | Test::Any(_) => None,
            };
            let inner = block(body)?;
            let tests: Pred = tests.iter().map(of_indices).collect::<Option<_>>()?;
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
                let all = [range.as_slice(), &p].concat();
                exists(&all, &[index.atom()], false, &[], &Facts::default(), &mut Work::default())
            };
            Some(inner.into_iter().map(some).collect::<Option<Vec<_>>>()?.concat())
        }
        Stmt::Leaf(_) => None,
    }
}
