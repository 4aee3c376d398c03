//! The questions that scheduling asks of the index algebra.

use crate::index::affine::modulo;
use crate::index::omega::Work;
use crate::index::project;
use crate::index::query;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::Bound;
use crate::simplify::guard::ranged;
use crate::ssa::{Function, Index};

/// `a - b`
pub(super) fn minus(a: &Affine, b: &Affine) -> Affine {
    a.plus_scaled(-1, b).expect("coefficients are capped")
}

/// `a <= b`
pub(super) fn at_most(a: &Affine, b: &Affine) -> Cond {
    Cond::NonNeg(minus(b, a))
}

/// `a < b`
pub(super) fn less(a: &Affine, b: &Affine) -> Cond {
    let mut d = minus(b, a);
    d.constant -= 1;
    Cond::NonNeg(d)
}

/// The most that a form can be, if that is plain: it is a constant, or `c + e - k * (e / k)`.
pub(super) fn greatest(d: &Affine) -> Option<i64> {
    if let Some(c) = d.as_constant() {
        return Some(c);
    }
    let (t, k) = d.terms.iter().find_map(|(t, c)| match t {
        Atom::Floor(_, k) if -c == *k => Some((t, *k)),
        _ => None,
    })?;
    let Atom::Floor(e, _) = t else { return None };
    let rest = d.plus_scaled(k, &Affine::from(t.clone()))?.minus(e)?;
    Some(rest.as_constant()? + k - 1)
}

/// Whether two forms are remainders that differ: `t % 2` and `(t + 1) % 2`.
pub(super) fn never_equal(a: &Affine, b: &Affine) -> bool {
    let Some(((a, k), (b, l))) = remainder(a).zip(remainder(b)) else { return false };
    k == l && a.minus(&b).and_then(|d| d.as_constant()).is_some_and(|d| d % k != 0)
}

/// Of `e % k`, `e` and `k`.
fn remainder(a: &Affine) -> Option<(Affine, i64)> {
    a.terms.iter().find_map(|(t, c)| {
        let k = c.checked_neg().filter(|k| *k >= 2 && matches!(t, Atom::Floor(_, l) if l == k))?;
        let e = a.plus_scaled(k, &Affine::from(t.clone()))?;
        (modulo(&e, k)? == *a).then_some((e, k))
    })
}

/// The index of a form that is an index alone.
pub(super) fn bare(a: &Affine) -> Option<Index> {
    match a.terms.as_slice() {
        [(Atom::Index(i), 1)] if a.constant == 0 => Some(Index(*i)),
        _ => None,
    }
}

/// Whether a form speaks of sizes alone.
pub(super) fn of_sizes(a: &Affine) -> bool {
    a.terms.iter().all(|t| project::available(&t.0, &[]) && !matches!(t.0, Atom::Element(..)))
}

/// Whether it reads an index array.
pub(super) fn reads_element(a: &Affine) -> bool {
    a.any_atom(&|t| matches!(t, Atom::Element(..)))
}

/// Whether a form is affine in an index: that is not inside a quotient, a product or an element.
pub(super) fn moves_evenly(a: &Affine, atom: &Atom) -> bool {
    a.terms.iter().all(|(t, _)| t == atom || !t.mentions(atom))
}

/// Whether it is made of sizes and indices, without floors, elements and products.
pub(super) fn is_plain(a: &Affine) -> bool {
    a.terms.iter().all(|t| matches!(t.0, Atom::Size(_) | Atom::Index(_)))
}

/// Whether a condition can be computed when these indices are known.
pub(super) fn known(c: &Cond, fixed: &[Index]) -> bool {
    let fixed: Vec<Atom> = fixed.iter().map(|i| i.atom()).collect();
    c.affines().iter().all(|a| a.terms.iter().all(|t| project::available(&t.0, &fixed)))
}

/// Whether all atoms of a form can be computed when these indices are known.
pub(super) fn known_form(a: &Affine, fixed: &[Index]) -> bool {
    known(&Cond::NonNeg(a.clone()), fixed)
}

/// Whether a condition may become a bound of a loop, or its stride: one on an element too, where the element is known before the loop. What
/// must write all elements is not narrowed, whatever this says.
pub(super) fn narrows(c: &Cond) -> bool {
    match c {
        Cond::Zero(_) | Cond::NonNeg(_) | Cond::Residue(..) => true,
        Cond::NonZero(_) | Cond::NonResidue(..) | Cond::Opaque { .. } | Cond::Any(_) => false,
    }
}

/// `assumptions ∧ given`. Those say that the extents of arguments are lengths; what a linear map has stored was computed in a scope that may have been empty.
fn context(f: &Function, given: &[Cond]) -> Pred {
    [&f.assumptions, given].concat()
}

/// What of `p` is not entailed by what is given; `None` where it cannot hold.
pub(super) fn gist(f: &Function, p: &[Cond], given: &[Cond]) -> Option<Pred> {
    let given = context(f, given);
    query::gist(p, &given, &f.facts_in(p.iter().chain(&given)), &mut Work::default())
}

/// Likewise, all of it where it cannot hold; sums keep their ranges, which may follow from what is no range: `j < n` from `j * j < n`.
pub(super) fn ranged_gist(f: &Function, p: &Pred, given: &[Cond], sums: &[Index]) -> Pred {
    gist(f, p, given).map_or_else(|| p.clone(), |rest| ranged(rest, p, sums))
}

/// Whether what is given and `before` entail a condition.
pub(super) fn entails(f: &Function, given: &[Cond], before: &[Cond], c: &Cond) -> bool {
    let known = context(f, &[given, before].concat());
    query::entails(
        &known,
        std::slice::from_ref(c),
        &f.facts_in(known.iter().chain([c])),
        &mut Work::default(),
    )
}

/// Whether what a condition reads is in range where all that is given holds, as far as can be proved.
pub(super) fn may_be_asked(f: &Function, c: &Cond, given: &[Cond]) -> bool {
    f.is_guarded(c, &[], &|before, needed| entails(f, given, before, needed))
}

/// A conjunction that may be evaluated from left to right where all that is given holds.
pub(super) fn guarded(f: &Function, p: &[Cond], given: &[Cond]) -> Pred {
    f.guarded(p, &|before, needed| entails(f, given, before, needed))
}

/// Whether `p` never holds.
pub(super) fn never(f: &Function, p: &[Cond], given: &[Cond]) -> bool {
    let given = context(f, given);
    query::is_empty(&[p, &given], &f.facts_in(p.iter().chain(&given)), &mut Work::default())
}

/// `p1 ∨ p2 ∨ …` as alternatives of which at most one holds.
pub(super) fn disjoint(f: &Function, ps: &[Pred], given: &[Cond]) -> Vec<Pred> {
    let facts = f.facts_in(ps.iter().flatten().chain(given));
    query::disjoint(ps, given, &facts, usize::MAX, &mut Work::default()).unwrap_or_default()
}

/// The bounds of `i` and its stride where `p` holds, given the indices in `fixed`.
pub(super) struct Bounds {
    /// The greatest of these.
    pub lower: Vec<Bound>,
    /// The least of these.
    pub upper: Vec<Bound>,
    /// Congruent to the form modulo the number.
    pub step: Option<(Affine, i64)>,
}

impl Bounds {
    /// What holds of `i` in a loop of these bounds.
    pub fn conditions(&self, i: Index) -> Pred {
        let scaled = |k: i64| i.affine().scale(k).expect("coefficients are capped");
        let lower = self.lower.iter().map(|b| at_most(&b.num, &scaled(b.den)));
        let upper = self.upper.iter().map(|b| at_most(&scaled(b.den), &b.num));
        let step = self.step.iter().map(|(a, k)| Cond::Residue(minus(&i.affine(), a), *k));
        lower.chain(upper).chain(step).collect()
    }
}

/// What `p` says of an index by those that are fixed alone: others, and elements, may stand between it and its bounds.
pub(super) fn seen_through(f: &Function, p: &[Cond], i: Index, fixed: &[Index], given: &[Cond]) -> Pred {
    let given = context(f, given);
    let all = [project::element_bounds(p, &given, &f.facts_in(p.iter().chain(&given))), p.to_vec()].concat();
    let is_open = |j: u32| j != i.0 && !fixed.contains(&Index(j));
    project::seen_without(&all, &|a| project::has_element(a) || matches!(a, Atom::Index(j) if is_open(*j)))
}

/// See [`Bounds`]. `None` if `p` bounds `i` on no side, or not visibly.
pub(super) fn bounds(f: &Function, p: &[Cond], i: Index, fixed: &[Index], given: &[Cond]) -> Option<Bounds> {
    let fixed: Vec<Atom> = fixed.iter().map(|i| i.atom()).collect();
    let given = context(f, given);
    let facts = f.facts_in(p.iter().chain(&given));
    let b = project::bounds(p, &i.atom(), &fixed, &given, &facts, &mut Work::default()).ok()?;
    let list = |bs: &[project::Bound]| -> Vec<Bound> {
        bs.iter().map(|b| Bound { num: b.num.clone(), den: b.den }).collect()
    };
    let (mut lower, mut upper) = (list(&b.lower), list(&b.upper));
    if let Some(e) = &b.exactly {
        lower = list(std::slice::from_ref(e));
        upper.clone_from(&lower);
    }
    (!lower.is_empty() && !upper.is_empty()).then_some(Bounds { lower, upper, step: b.stride })
}

/// Likewise, by the conditions on `i` alone: what is said of others may be more than the solver takes in.
pub(super) fn own_bounds(f: &Function, p: &[Cond], i: Index, fixed: &[Index]) -> Option<Bounds> {
    let own: Pred = p.iter().filter(|c| c.mentions(&i.atom())).cloned().collect();
    bounds(f, &own, i, fixed, &[])
}

/// One range around several, where an end of one of them is seen to be the end of all: `entailed` says whether a condition holds.
pub(super) fn cover(all: &[Bounds], entailed: &dyn Fn(&Cond) -> bool) -> Option<Bounds> {
    let end = |of: fn(&Bounds) -> &[Bound], is_lower: bool| {
        let is_outer = |b: &Bound, c: &Bound| {
            let (Some(b), Some(c)) = (b.num.scale(c.den), c.num.scale(b.den)) else { return false };
            b == c || entailed(&if is_lower { at_most(&b, &c) } else { at_most(&c, &b) })
        };
        let is_end = |b: &&Bound| all.iter().all(|other| of(other).iter().any(|c| is_outer(b, c)));
        all.iter().flat_map(of).find(is_end).map(|b| vec![b.clone()])
    };
    Some(Bounds { lower: end(|b| &b.lower, true)?, upper: end(|b| &b.upper, false)?, step: None })
}
