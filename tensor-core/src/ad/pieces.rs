//! Sums of terms that do not meet are kept apart where a sweep goes in all directions at once.
//!
//! Of `Ẏ[i, c] = [i = c] a[i] - [i + 1 = c] b[i]` each element has one term at most. As one array it has n² elements; as two, each of them is
//! a vector. What reads the two costs the same as what reads the sum, since at each element it reads one.

use super::support;
use crate::index::{Cond, Pred};
use crate::ssa::{Function, Term};
use crate::weights;

/// The terms, those together that may both count at some element; of each whether its array may be zero where its guard holds.
pub(super) fn apart<T: Clone>(
    f: &Function,
    given: &[Cond],
    terms: Vec<T>,
    view: &dyn Fn(&T) -> (Term, bool),
) -> Vec<Vec<T>> {
    let whole = |t: &T| {
        let (t, masked) = view(t);
        support::of_terms(f, given, &[(&t, masked)])
    };
    if terms.len() < 2 || terms.len() > 2 * weights::ad::PIECES {
        return vec![terms];
    }
    let mut pieces: Vec<(Vec<Pred>, Vec<T>)> = vec![];
    for t in &terms {
        let Some(s) = whole(t) else { continue };
        let meets = |p: &Pred| support::gist(&[p.clone(), s.pred.clone()].concat(), given).is_some();
        let (met, rest): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|(ps, _)| ps.iter().any(meets));
        pieces = rest;
        let (mut ps, mut ts): (Vec<Pred>, Vec<T>) = (vec![], vec![]);
        for (more, all) in met {
            ps.extend(more);
            ts.extend(all);
        }
        ps.push(s.pred);
        ts.push(t.clone());
        pieces.push((ps, ts));
    }
    if pieces.len() > weights::ad::PIECES {
        return vec![terms];
    }
    pieces.into_iter().map(|p| p.1).collect()
}
