//! What would make an access provable: a condition on sizes, a range, a guard.

use super::{Question, indices_of};
use crate::index::affine::{Affine, Atom};
use crate::index::cond::{ge, lt};
use crate::index::omega::Work;
use crate::index::pred::{Cond, Pred, complement};
use crate::index::project::{Bound, Bounds, bounds, exists};
use crate::index::query::{entails_cond, gist, is_empty};
use crate::weights;

/// All of them, the least change of the program first.
pub(super) fn helps(q: &Question<'_>, needed: &Cond, text: &str, violated: &Pred) -> Vec<String> {
    let mut out = vec![];
    out.extend(reversed(q));
    out.extend(condition(q, violated).map(|p| format!("require `where {}`", q.names.pred(&p))));
    out.extend(range(q, needed));
    out.push(format!("guard it with `[{text}] *`"));
    out
}

/// The element as many before the last, where the index counts down from the length.
fn reversed(q: &Question<'_>) -> Option<String> {
    let back = q.extent.plus_scaled(-1, q.index)?;
    let down = back.constant == 0 && back.terms.iter().all(|(t, _)| matches!(t, Atom::Index(_)));
    let before = q.index.plus_constant(-1)?;
    let inside = [ge(&before, &Affine::zero())?, lt(&before, q.extent)?];
    let holds = |c: &Cond| entails_cond(&[q.path], c, q.facts, &mut Work::default());
    let text = || format!("write `{}` to count from the last element", q.names.affine(&before));
    (down && inside.iter().all(holds)).then(text)
}

/// The weakest condition on sizes.
fn condition(q: &Question<'_>, violated: &Pred) -> Option<Pred> {
    let work = &mut Work::default();
    let indices = indices_of(violated);
    let bad = exists(violated, &indices, true, &[], q.facts, work)?;
    let mut good: Vec<Pred> = vec![vec![]];
    for b in &bad {
        let without = |g: &Pred| -> Vec<Pred> {
            complement(b).into_iter().map(|c| [g.as_slice(), &c].concat()).collect()
        };
        good = good.iter().flat_map(without).collect();
        good.retain(|g| !is_empty(&[q.path, g], q.facts, work));
        // One will be left, or none is of use.
        if good.len() > weights::index::PIECES_OF_HELP {
            return None;
        }
    }
    let [good] = good.as_slice() else { return None };
    // Said of any sizes for which the loops run at all.
    let runs = match exists(q.path, &indices, true, &[], q.facts, work)?.as_mut_slice() {
        [one] => std::mem::take(one),
        _ => vec![],
    };
    // Not where it would pin a size.
    let all = gist(&[runs.as_slice(), good].concat(), &[], q.facts, work)?;
    if all.iter().any(|c| matches!(c, Cond::Zero(_))) {
        return None;
    }
    let is_of_sizes =
        |c: &Cond| !c.any_atom(&|a| !matches!(a, Atom::Size(_) | Atom::Floor(..) | Atom::Product(_)));
    gist(good, &runs, q.facts, work).filter(|g| !g.is_empty() && g.iter().all(is_of_sizes))
}

/// Another start or end of the range of the only index.
fn range(q: &Question<'_>, needed: &Cond) -> Option<String> {
    let only: Vec<Atom> = q.index.indices().into_iter().map(Atom::Index).collect();
    let [i] = only.as_slice() else { return None };
    let ok = [q.path.as_slice(), std::slice::from_ref(needed)].concat();
    let mut fixed = indices_of(&ok);
    fixed.retain(|j| j != i);
    let of = |p: &Pred| -> Option<Bounds> { bounds(p, i, &fixed, &[], q.facts, &mut Work::default()).ok() };
    let (was, now) = (of(q.path)?, of(&ok)?);
    let one = |b: &[Bound], step: i64| match b {
        [b] if b.den == 1 => Some(q.names.affine(&b.num.clone().step(step))),
        _ => None,
    };
    let name = q.names.atom(i);
    if was.upper != now.upper {
        Some(format!("end the range of `{name}` at `{}`", one(&now.upper, 1)?))
    } else if was.lower != now.lower {
        Some(format!("start the range of `{name}` at `{}`", one(&now.lower, 0)?))
    } else {
        None
    }
}
