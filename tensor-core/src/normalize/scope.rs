//! Where an expression stands: the indices around it, and the path of conditions on which it is evaluated.

use super::rewrite::{Mentioned, Rewrite, Substitute, fits, minus, plus};
use crate::index::affine::{floor, product};
use crate::index::omega::Work;
use crate::index::project::exists;
use crate::index::query::{Facts, entails_cond};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::sorted::Set;
use crate::ssa::{ArrayId, ArrayKind, Function, Index};
use crate::weights;

/// An index around an expression.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// The index.
    pub index: Index,
    /// The first value of a range over sizes alone that contains its range (for a gen, its range: 0).
    pub lower: Affine,
    /// The length of that range; never negative.
    pub extent: Affine,
}

/// Invariant: the exact range of a reduced index stands in the path; that of a gen is its `Bound`.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Outermost first.
    pub bounds: Vec<Bound>,
    /// In the order of evaluation.
    pub path: Pred,
}

/// `lower <= i < upper`
pub(super) fn range(i: &Affine, lower: &Affine, upper: &Affine) -> Pred {
    let mut last = minus(upper, i);
    last.constant -= 1;
    vec![Cond::NonNeg(minus(i, lower)), Cond::NonNeg(last)]
}

impl Bound {
    /// Of its range.
    pub fn range(&self) -> Pred {
        range(&self.index.affine(), &self.lower, &plus(&self.lower, &self.extent))
    }
}

/// An upper bound of `a` that is never negative: its positive terms. (Sizes, floors and products of them are not.)
fn positive_part(a: &Affine) -> Affine {
    Affine { terms: a.terms.iter().filter(|t| t.1 > 0).cloned().collect(), constant: a.constant.max(0) }
}

impl Scope {
    /// A reduced index of `f`: adds it, with its range to the path.
    pub fn reduce(&mut self, index: Index, lower: &Affine, upper: &Affine, f: &Function) {
        let mut last = upper.clone();
        last.constant -= 1;
        let low = self.extreme(f, lower, false);
        let mut extent = minus(&self.extreme(f, &last, true), &low);
        extent.constant += 1;
        let is_negative = !entails_cond(
            &[&f.assumptions],
            &Cond::NonNeg(extent.clone()),
            &Facts::default(),
            &mut Work::default(),
        );
        if is_negative {
            extent = positive_part(&extent);
        }
        self.path.extend(range(&index.affine(), lower, upper));
        self.bounds.push(Bound { index, lower: low, extent });
    }

    fn bound(&self, index: Index) -> Option<&Bound> {
        self.bounds.iter().find(|b| b.index == index)
    }

    /// A form over sizes alone that is at least (`up`) or at most `a`, by the ranges of the indices and of arrays of them.
    fn extreme(&self, f: &Function, a: &Affine, up: bool) -> Affine {
        let mut out = Affine::from(a.constant);
        for (t, c) in &a.terms {
            out = fits(out.plus_scaled(*c, &self.extreme_atom(f, t, up == (*c > 0))));
        }
        out
    }

    fn extreme_atom(&self, f: &Function, t: &Atom, up: bool) -> Affine {
        match t {
            Atom::Size(_) => t.clone().into(),
            Atom::Index(i) => match self.bound(Index(*i)) {
                Some(b) if up => {
                    let mut last = plus(&b.lower, &b.extent);
                    last.constant -= 1;
                    last
                }
                Some(b) => b.lower.clone(),
                None => Affine::default(),
            },
            Atom::Floor(e, k) => fits(floor(&self.extreme(f, e, up), *k)),
            Atom::Element(array, at) => match &f.array(ArrayId(*array)).kind {
                ArrayKind::Index { formals, lower, upper } => {
                    let mut w = Substitute(formals.iter().copied().zip(at.iter().cloned()).collect());
                    let (lower, mut last) = (w.affine(lower), w.affine(upper));
                    last.constant -= 1;
                    let (first, last) = (self.extreme(f, &lower, up), self.extreme(f, &last, up));
                    // Where nothing counts it is the least value, which may be behind the last.
                    if up { self.greater(f, &last, &first) } else { first }
                }
                ArrayKind::Real => t.clone().into(),
            },
            Atom::Product(fs) => {
                let magnitude = |t: &Atom| {
                    let (high, low) = (self.extreme_atom(f, t, true), self.extreme_atom(f, t, false));
                    plus(&positive_part(&high), &positive_part(&fits(low.scale(-1))))
                };
                let all = fs.iter().fold(Affine::from(1), |p, t| fits(product(&p, &magnitude(t))));
                if up { all } else { fits(all.scale(-1)) }
            }
        }
    }

    /// A form over sizes that is at least `a` and at least `b` wherever something is evaluated here: near one of them, where that is known.
    fn greater(&self, f: &Function, a: &Affine, b: &Affine) -> Affine {
        let ranges: Pred = self.bounds.iter().flat_map(Bound::range).collect();
        let is_at_least = |a: &Affine, b: &Affine| {
            let c = Cond::NonNeg(minus(a, b));
            entails_cond(&[&f.assumptions, &ranges, &self.path], &c, &Facts::default(), &mut Work::default())
        };
        let next = plus(a, &1.into());
        let near = [a, b, &next].into_iter().find(|c| is_at_least(c, a) && is_at_least(c, b));
        near.cloned().unwrap_or_else(|| plus(&positive_part(a), &positive_part(b)))
    }

    /// The path for a value that depends on the indices in `used`, and the indices that it then depends on:
    /// `∃ others. path` where that is one conjunction; otherwise the value is kept for each of the others apart, since more
    /// of it must not be evaluated than the program asks for. What a call returns is not yet there where its path is asked: nothing follows from the
    /// ranges of the indices of that, which are `own`.
    pub fn settle(&self, mut used: Set<Index>, own: &[Index], f: &Function) -> (Pred, Set<Index>) {
        'again: loop {
            let (mut kept, rest): (Pred, Pred) =
                self.path.iter().cloned().partition(|c| !self.is_outside(&Mentioned::of_cond(c), &used));
            let mut around = f.assumptions.clone();
            let is_around = |b: &&Bound| used.contains(&b.index) && !own.contains(&b.index);
            around.extend(self.bounds.iter().filter(is_around).flat_map(Bound::range));
            let given = [around.as_slice(), &kept].concat();
            let mut first: Pred = vec![];
            let groups = self.groups(&rest, &used);
            for group in &groups {
                let about = |c: &&Cond| !Mentioned::of_cond(c).is_disjoint(group);
                let mut p: Pred =
                    self.bounds.iter().filter(|b| group.contains(&b.index)).flat_map(Bound::range).collect();
                p.extend(rest.iter().filter(about).cloned());
                let gone: Vec<Atom> = group.iter().map(|i| i.atom()).collect();
                let shadow = exists(&p, &gone, false, &given, &Facts::default(), &mut Work::default());
                match shadow.as_deref() {
                    Some([one]) => first.extend(one.iter().cloned()),
                    Some(_) | None => {
                        used.extend(group);
                        continue 'again;
                    }
                }
            }
            // What reads comes after the conditions that it is read under. What is eliminated may be left out since a condition behind it says it.
            let (mut path, last): (Pred, Pred) = first.into_iter().partition(Cond::is_total);
            let may_need_others = !groups.is_empty() && !kept.iter().all(Cond::is_total);
            path.append(&mut kept);
            path.extend(last);
            if may_need_others {
                let facts = f.facts();
                let holds = |before: &[Cond], c: &Cond| {
                    entails_cond(&[&around, before], c, &facts, &mut Work::default())
                };
                path = f.guarded(&path, &holds);
            }
            return (path, used);
        }
    }

    fn is_outside(&self, mentioned: &Set<Index>, used: &Set<Index>) -> bool {
        mentioned.iter().any(|i| !used.contains(i) && self.bound(*i).is_some())
    }

    /// The indices that are not used, those together that a condition connects.
    fn groups(&self, rest: &Pred, used: &Set<Index>) -> Vec<Set<Index>> {
        let mut groups: Vec<Set<Index>> =
            self.bounds.iter().map(|b| b.index).filter(|i| !used.contains(i)).map(|i| [i].into()).collect();
        for c in rest {
            let mentioned = Mentioned::of_cond(c);
            let (joined, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|g| !g.is_disjoint(&mentioned));
            groups = apart;
            groups.push(joined.into_iter().flatten().collect());
        }
        groups
    }

    /// `guard` without what the ranges of `gens` and its other conditions say already.
    pub fn tidy(guard: &Pred, gens: &[(Index, Affine)], bound: &Set<Index>, assumptions: &Pred) -> Pred {
        let mut given = assumptions.clone();
        for (g, extent) in gens {
            given.extend(range(&g.affine(), &Affine::default(), extent));
        }
        let mut kept: Pred = vec![];
        let mut work = Work::default();
        for c in guard {
            // The range of a bound index is never left to be concluded.
            let is_range = Mentioned::of_cond(c).iter().any(|i| bound.contains(i));
            // Of many the last are the nearest; what is not seen here simplification may see.
            let near = &kept[kept.len().saturating_sub(weights::index::LONG)..];
            let known = |work: &mut Work| entails_cond(&[&given, near], c, &Facts::default(), work);
            if kept.contains(c) || (!is_range && !work.is_spent() && known(&mut work)) {
                continue;
            }
            kept.push(c.clone());
        }
        kept
    }
}
