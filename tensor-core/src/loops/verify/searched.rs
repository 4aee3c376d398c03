//! Where a search for a place finds none.
//!
//! ```text
//! let at = least - 1
//! for i in a..b { if t { (.., at) = max((.., at), (.., i)) } }
//! ```
//!
//! leaves what `at` was declared with only where the loop is empty, or the test, which is the same for all iterations, fails.

use super::known::writers;
use crate::index::affine::floor;
use crate::index::pred::complement;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::{Bound, Stmt, Test, VarId};
use crate::sorted::Map;

/// The alternatives under which statements do not assign a place; `None` where they are not told.
pub(super) fn misses(stmts: &[Stmt], v: VarId) -> Option<Vec<Pred>> {
    stmts.iter().find_map(|s| missed(s, v))
}

fn missed(s: &Stmt, v: VarId) -> Option<Vec<Pred>> {
    match s {
        Stmt::ArgExtreme { at, .. } => (*at == v).then(Vec::new),
        Stmt::If { tests, body, .. } => {
            let of_indices = |t: &Test| match t {
                Test::Index(c) => Some(c.clone()),
                Test::Real { .. } | Test::Any(_) => None,
            };
            let tests: Pred = tests.iter().map(of_indices).collect::<Option<_>>()?;
            Some([complement(&tests), misses(body, v)?].concat())
        }
        Stmt::For { index, lower, upper, step: None, body, .. } => {
            let inner = misses(body, v)?;
            let mut written = Map::new();
            writers(body, &mut written);
            let changes =
                |t: &Atom| *t == index.atom() || matches!(t, Atom::Element(a, _) if written.contains_key(a));
            if inner.iter().flatten().any(|c| c.any_atom(&changes)) {
                return None;
            }
            Some([empty(lower, upper)?, inner].concat())
        }
        Stmt::For { .. }
        | Stmt::LetIndex { .. }
        | Stmt::Declare { .. }
        | Stmt::DeclareIndex { .. }
        | Stmt::Assign { .. }
        | Stmt::Accumulate { .. }
        | Stmt::Extreme { .. }
        | Stmt::AssignIndex { .. }
        | Stmt::Product(_)
        | Stmt::Mirror(_)
        | Stmt::Call(_)
        | Stmt::Fill { .. } => None,
    }
}

/// Where a loop has no iteration: an end is before a beginning.
fn empty(lower: &[Bound], upper: &[Bound]) -> Option<Vec<Pred>> {
    let pairs = lower.iter().flat_map(|low| upper.iter().map(move |high| (low, high)));
    let before = |(low, high): (&Bound, &Bound)| {
        let first: Affine = floor(&low.num.negated(), low.den)?.negated();
        Some(vec![Cond::NonNeg(first.minus(&floor(&high.num, high.den)?)?.step(-1))])
    };
    pairs.map(before).collect()
}
