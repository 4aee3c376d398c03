//! The least counterexample.

use crate::index::affine::{Affine, Atom};
use crate::index::omega::Work;
use crate::index::pred::{Cond, Pred};
use crate::index::query::{Columns, Facts, Found, Model, model};
use crate::sorted;
use crate::weights;

/// The products of a model are products: otherwise it is an artefact of taking them for atoms.
fn is_real(m: &Model) -> bool {
    m.atoms.iter().zip(&m.values).all(|(a, v)| match a {
        Atom::Product(_) => a.eval(&|t| m.get(t).unwrap_or(0)) == *v,
        Atom::Size(_) | Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) => true,
    })
}

/// A point of `p` with small sizes. Sizes of at least one convince more; zero only where nothing else fails.
#[must_use]
pub fn counterexample(p: &Pred, extent: &Affine, facts: &Facts) -> Option<Model> {
    let mentioned = [Cond::NonNeg(extent.clone())];
    let atoms = Columns::of(&[p, &mentioned], facts).atoms;
    let sizes: Vec<Atom> = atoms.into_iter().filter(|a| matches!(a, Atom::Size(_))).collect();
    let positive: Pred = sizes.iter().map(|s| Cond::NonNeg(Affine::from(s.clone()).step(-1))).collect();
    let find = |more: &Pred| small_model(&[p, more], &sizes, facts, &mut Work::default()).0.filter(is_real);
    find(&positive).or_else(|| find(&vec![]))
}

/// The point of `preds` with the least sum of sizes, found by doubling and halving a bound on it. The second
/// result is `true` if there may be one that was not found.
pub fn small_model(
    preds: &[&[Cond]],
    sizes: &[Atom],
    facts: &Facts,
    work: &mut Work,
) -> (Option<Model>, bool) {
    let mut unknown = false;
    let mut at = |budget: i64| {
        let mut sum = Affine { terms: sizes.iter().map(|s| (s.clone(), -1)).collect(), constant: budget };
        sorted::sort(&mut sum.terms);
        let sum = [Cond::NonNeg(sum)];
        match model(&[preds, &[&sum]].concat(), facts, work) {
            Found::Some(m) => Some(m),
            Found::None => None,
            Found::Unknown => {
                unknown = true;
                None
            }
        }
    };
    let (mut low, mut high) = (-1, 1);
    let mut best = None;
    while best.is_none() && high <= weights::index::SIZES_OF_HELP {
        best = at(high);
        if best.is_none() {
            low = high;
            high *= 4;
        }
    }
    while best.is_some() && high - low > 1 {
        let mid = low + (high - low) / 2;
        match at(mid) {
            Some(m) => {
                best = Some(m);
                high = mid;
            }
            None => low = mid,
        }
    }
    (best, unknown)
}
