//! The ranges of private sums, from the conditions that bound them.

use super::mentions;
use crate::index::affine::floor;
use crate::index::{Affine, Cond, Pred};
use crate::ssa::Index;
use crate::ssa::rename::{elements_of, indices_of};

/// An index and, if conditions give it, its range `lower..upper`.
pub(super) struct Binder {
    pub index: Index,
    pub range: Option<(Affine, Affine)>,
}

/// A bound that the condition at `position` gives.
struct Bound {
    position: usize,
    value: Affine,
    scaled: bool,
}

/// Takes from the guard a range for each sum, in an order in which no range speaks of a later index. Of several bounds the plainest
/// is taken, and the others stay.
pub(super) fn ranges(guard: &mut Pred, sums: &[Index]) -> Vec<Binder> {
    let mut open = sums.to_vec();
    let mut out = Vec::new();
    while !open.is_empty() {
        let found = (0..open.len()).find_map(|k| {
            let others: Vec<Index> = open.iter().copied().filter(|i| *i != open[k]).collect();
            Some((k, best(guard, open[k], &others, true)?, best(guard, open[k], &others, false)?))
        });
        let Some((k, lower, upper)) = found else {
            out.extend(open.drain(..).map(|index| Binder { index, range: None }));
            return out;
        };
        let (first, second) = (lower.position.max(upper.position), lower.position.min(upper.position));
        guard.remove(first);
        guard.remove(second);
        out.push(Binder { index: open.remove(k), range: Some((lower.value, upper.value)) });
    }
    out
}

fn best(guard: &[Cond], s: Index, others: &[Index], lower: bool) -> Option<Bound> {
    let bounds = guard.iter().enumerate().filter_map(|(position, c)| {
        let (value, scaled) = bound(c, s, lower)?;
        (!mentions(&value, others)).then_some(Bound { position, value, scaled })
    });
    bounds.min_by_key(|b| (b.scaled, indices_of(&b.value).count(), b.position))
}

/// `c s - e >= 0` as `⌈e / c⌉ <= s`, `e - c s >= 0` as `s < ⌊e / c⌋ + 1`.
fn bound(c: &Cond, s: Index, lower: bool) -> Option<(Affine, bool)> {
    let Cond::NonNeg(a) = c else { return None };
    let coeff = a.coeff(&s.atom());
    if coeff == 0 || (coeff > 0) != lower {
        return None;
    }
    let rest = a.plus_scaled(-coeff, &s.affine())?;
    let mut elements = false;
    elements_of(&rest, &mut |_, _| elements = true);
    if elements || rest.mentions(&s.atom()) {
        return None;
    }
    let k = coeff.abs();
    let value = match lower {
        true => floor(&rest.scale(-1)?.plus_scaled(1, &Affine::from(k - 1))?, k)?,
        false => floor(&rest, k)?.plus_scaled(1, &Affine::from(1))?,
    };
    Some((value, k != 1))
}
