//! How many points a guard leaves.

use super::Polynomial;
use crate::index::{Affine, Atom, Cond};
use crate::ssa::Index;

/// The indices of a statement, with their ranges: first and last values over sizes.
pub(super) struct Ranges(Vec<(Index, Affine, Affine)>);

impl Ranges {
    /// Gens and their extents.
    pub fn new(gens: &[Index], extents: &[Affine]) -> Ranges {
        let range = |(g, e): (&Index, &Affine)| (*g, Affine::default(), less_one(e));
        Ranges(gens.iter().zip(extents).map(range).collect())
    }

    /// The points of the gens and of these sums where the guard holds: each range by the two ends that leave least, once what
    /// another index determines is left out.
    pub fn count(&self, sums: &[Index], guard: &[Cond]) -> Polynomial {
        let mut known = Ranges(self.0.clone());
        let mut rest: Vec<Index> = sums.to_vec();
        let gens: Vec<Index> = self.0.iter().map(|r| r.0).collect();
        // Sums have no range but the guard: the first whose ends are known goes first.
        while let Some((k, low, high)) =
            rest.iter().enumerate().find_map(|(k, s)| known.hull(*s, guard).map(|(l, h)| (k, l, h)))
        {
            known.0.push((rest.remove(k), low, high));
        }
        let mut used = vec![false; guard.len()];
        let mut free = vec![];
        for i in gens.iter().chain(sums).rev() {
            let determines = |c: &Cond| matches!(c, Cond::Zero(a) if a.coeff(&i.atom()).abs() == 1);
            match (0..guard.len()).find(|k| !used[*k] && determines(&guard[*k])) {
                Some(k) => used[k] = true,
                None => free.push(*i),
            }
        }
        // Which index is counted for each of another makes no difference to the number, but one order may narrow where the other cannot.
        let sums_first = known.product(&free, guard);
        free.reverse();
        let gens_first = known.product(&free, guard);
        if gens_first.complexity() < sums_first.complexity() { gens_first } else { sums_first }
    }

    /// The product of the lengths of these ranges: a condition narrows the first of the indices that it mentions.
    fn product(&self, free: &[Index], guard: &[Cond]) -> Polynomial {
        let mut out = Polynomial::from_constant(1);
        for k in 0..free.len() {
            let is_other = |c: &Cond| c.indices().iter().any(|i| !free[k..].contains(&Index(*i)));
            let own: Vec<Cond> = guard.iter().filter(|c| !is_other(c)).cloned().collect();
            out = out.times(&self.length(free[k], &own));
        }
        out
    }

    /// The longest range of one index, whatever the others are.
    fn length(&self, i: Index, guard: &[Cond]) -> Polynomial {
        let (mut lows, mut highs) = ends(i, guard);
        if let Some((_, low, high)) = self.0.iter().find(|r| r.0 == i) {
            lows.push(low.clone());
            highs.push(high.clone());
        }
        let pairs = lows.iter().flat_map(|l| highs.iter().map(move |h| (l, h)));
        let lengths = pairs.filter_map(|(l, h)| {
            let last = self.greatest(&h.plus_scaled(-1, l)?)?;
            last.plus_constant(1)
        });
        let shortest = lengths.min_by_key(|e| (e.terms.len(), e.constant.max(0), e.clone()));
        shortest.map_or(Polynomial::from_constant(1), |e| Polynomial::from_affine(&e))
    }

    /// First and last values over sizes alone.
    fn hull(&self, i: Index, guard: &[Cond]) -> Option<(Affine, Affine)> {
        let (lows, highs) = ends(i, guard);
        let low = lows.iter().find_map(|l| self.greatest(&l.negated()))?.negated();
        let high = highs.iter().find_map(|h| self.greatest(h))?;
        Some((low, high))
    }

    /// The greatest value of a form, over sizes alone.
    fn greatest(&self, a: &Affine) -> Option<Affine> {
        let mut out = Affine::from(a.constant);
        for (t, c) in &a.terms {
            let value = match t {
                Atom::Index(i) => {
                    let (_, low, high) = self.0.iter().find(|r| r.0 == Index(*i))?;
                    if *c > 0 { high.clone() } else { low.clone() }
                }
                Atom::Size(_) => Affine::from(t.clone()),
                Atom::Floor(..) | Atom::Product(_) if !has_index(t) => Affine::from(t.clone()),
                Atom::Floor(..) | Atom::Product(_) | Atom::Element(..) => return None,
            };
            out = out.plus_scaled(*c, &value)?;
        }
        Some(out)
    }
}

fn has_index(t: &Atom) -> bool {
    t.any_atom(&|t| matches!(t, Atom::Index(_) | Atom::Element(..)))
}

fn less_one(a: &Affine) -> Affine {
    Affine { constant: a.constant - 1, ..a.clone() }
}

/// The ends that `l <= i`, `i <= u` and `i = e` give.
fn ends(i: Index, guard: &[Cond]) -> (Vec<Affine>, Vec<Affine>) {
    let (mut lows, mut highs) = (vec![], vec![]);
    for c in guard {
        let (a, both) = match c {
            Cond::NonNeg(a) => (a, false),
            Cond::Zero(a) => (a, true),
            Cond::NonZero(_)
            | Cond::Residue(..)
            | Cond::NonResidue(..)
            | Cond::Opaque { .. }
            | Cond::Any(_) => continue,
        };
        let k = a.coeff(&i.atom());
        // k i + rest >= 0, k = ±1
        let Some(rest) = a.plus_scaled(-k, &i.affine()) else { continue };
        if k.abs() != 1 || rest.mentions(&i.atom()) {
            continue;
        }
        if k == 1 || both {
            lows.push(if k == 1 { rest.negated() } else { rest.clone() });
        }
        if k == -1 || both {
            highs.push(if k == 1 { rest.negated() } else { rest });
        }
    }
    (lows, highs)
}
