//! Supports: where a cotangent is not zero, as far as its terms say.
//!
//! Outside the support of `X̄` nothing that `X̄` multiplies is evaluated. This carries the cost bound from a statement to its adjoint,
//! and keeps `0 · ∞` out: `let q = x.ln(); [x > 0.0] * q` has `q̄ = [x > 0] ȳ` and `x̄ = [x > 0] q̄ / x`.

use crate::index::omega::{Stop, Work};
use crate::index::project::{dnf, exists, solve_equalities};
use crate::index::query::{self, Facts};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::ssa::{Function, Index, Term};
use crate::weights;

/// A predicate on the indices of an array, true wherever the array is not zero.
#[derive(Clone, Debug, Default)]
pub struct Support {
    /// The predicate.
    pub pred: Pred,
    /// Whether it contains more than where a term counts: a comparison of reals under a sum has no existential here. Then the array
    /// may be zero inside because a mask is false, and what could meet that zero with an infinity asks a count at run time.
    pub wider: bool,
}

/// `0 <= g`, `g < extent` for each dimension.
#[must_use]
pub fn ranges(gens: &[Index], extents: &[Affine]) -> Pred {
    let of = |(g, n): (&Index, &Affine)| {
        let g = g.affine();
        let below = n.plus_scaled(-1, &g).and_then(|d| d.plus_scaled(1, &Affine::from(-1)));
        [Some(Cond::NonNeg(g)), below.map(Cond::NonNeg)]
    };
    gens.iter().zip(extents).flat_map(of).flatten().collect()
}

/// What holds wherever an array is defined: the assumptions on sizes and the ranges of its dimensions.
#[must_use]
pub fn context(f: &Function, gens: &[Index], extents: &[Affine]) -> Pred {
    [f.assumptions.clone(), ranges(gens, extents)].concat()
}

/// `p{gens := at}`, at once. (Nothing in `at` is one of the gens, which are new.)
#[must_use]
pub fn put(p: &Pred, gens: &[Index], at: &[Affine]) -> Option<Pred> {
    let one = |c: &Cond| gens.iter().zip(at).try_fold(c.clone(), |c, (g, a)| c.substitute(&g.atom(), a, 1));
    p.iter().map(one).collect()
}

/// Whether a condition is about indices and sizes alone.
pub(super) fn is_plain(c: &Cond) -> bool {
    fn plain(a: &Affine) -> bool {
        a.terms.iter().all(|(t, _)| match t {
            Atom::Size(_) | Atom::Index(_) => true,
            Atom::Floor(e, _) => plain(e),
            Atom::Product(fs) => fs.iter().all(|f| plain(&f.clone().into())),
            Atom::Element(..) => false,
        })
    }
    match c {
        Cond::Opaque { .. } => false,
        Cond::Any(ps) => ps.iter().flatten().all(is_plain),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            c.affines().into_iter().all(plain)
        }
    }
}

/// `p` without what `given` says already; `None` where it is empty. What reads arrays stays as it is, behind the rest: an element may
/// be one less than the range that it is tested for.
#[must_use]
pub fn gist(p: &[Cond], given: &[Cond]) -> Option<Pred> {
    let (plain, reads): (Pred, Pred) = p.iter().cloned().partition(is_plain);
    let mut out = query::gist(&plain, given, &Facts::default(), &mut Work::default())?;
    for c in reads {
        if !out.contains(&c) && !given.contains(&c) {
            out.push(c);
        }
    }
    Some(out)
}

/// A union that contains `∃ gone. p`, and whether it contains more.
#[must_use]
pub fn project(f: &Function, p: &[Cond], gone: &[Index], given: &[Cond]) -> (Vec<Pred>, bool) {
    let gone: Vec<Atom> = gone.iter().map(|i| i.atom()).collect();
    let mentions = |c: &Cond| gone.iter().any(|g| c.mentions(g));
    let mut wider = false;
    // Taken apart, alternatives that read would double with each of them; those of other indices stay as they are.
    let stays = |c: &&Cond| matches!(c, Cond::Any(_)) && !is_plain(c) && !mentions(c);
    let (whole, p): (Vec<&Cond>, Vec<&Cond>) = p.iter().partition(stays);
    let p: Pred = p.into_iter().cloned().collect();
    let alternatives = dnf(&p, &gone).unwrap_or_else(|| {
        wider = true;
        vec![p.iter().filter(|c| c.is_affine() || !mentions(c)).cloned().collect()]
    });
    let mut out: Vec<Pred> = vec![];
    for mut q in alternatives {
        q.extend(whole.iter().copied().cloned());
        let (pieces, more) = project_conjunction(f, &q, &gone, given);
        wider |= more;
        out.extend(pieces);
    }
    (out, wider)
}

/// `∃ gone. p` as one support, and whether it contains more; `None` if there is nothing in it.
#[must_use]
pub fn exists_in(f: &Function, p: &[Cond], gone: &[Index], given: &[Cond]) -> Option<(Support, bool)> {
    let (pieces, wider) = project(f, p, gone, given);
    union(f, pieces, given).map(|all| (all, wider))
}

/// [`project`] of a conjunction: equalities are solved, so that what depends on a solved index stays; the rest by shadows. What kept
/// a read in range may be gone with an index.
fn project_conjunction(f: &Function, p: &[Cond], gone: &[Atom], given: &[Cond]) -> (Vec<Pred>, bool) {
    let rest = match solve_equalities(p, gone) {
        Ok((_, rest)) => rest,
        Err(Stop::Empty) => return (vec![], false),
        Err(Stop::Unknown) => p.to_vec(),
    };
    let (inner, outer): (Pred, Pred) = rest.into_iter().partition(|c| gone.iter().any(|g| c.mentions(g)));
    let count = inner.len();
    let inner: Pred = inner.into_iter().filter(|c| is_plain(c) && c.is_affine()).collect();
    let mut wider = inner.len() < count;
    let shadows = if inner.is_empty() {
        vec![vec![]]
    } else {
        let plain: Pred = given.iter().chain(&outer).filter(|c| is_plain(c)).cloned().collect();
        exists(&inner, gone, false, &plain, &Facts::default(), &mut Work::default()).unwrap_or_else(|| {
            wider = true;
            vec![vec![]]
        })
    };
    let facts = f.facts_in(given.iter().chain(&outer).chain(shadows.iter().flatten()));
    let holds =
        |before: &[Cond], c: &Cond| query::entails_cond(&[given, before], c, &facts, &mut Work::default());
    let pieces = shadows.into_iter().filter_map(|s| gist(&[s, outer.clone()].concat(), given));
    (pieces.map(|p| f.guarded(&p, &holds)).collect(), wider)
}

/// One predicate for the union; `None` if there is nothing in it.
#[must_use]
pub fn union(f: &Function, pieces: Vec<Pred>, given: &[Cond]) -> Option<Support> {
    let (facts, mut work) = (Facts::default(), Work::default());
    let mut all: Vec<Piece> = vec![];
    'pieces: for p in pieces {
        if work.is_spent() && all.len() > weights::ad::COMPARED {
            break;
        }
        let mut p = Piece::new(p);
        let mut k = 0;
        while k < all.len() {
            let q = &mut all[k];
            if p.is_apart(q, given, &mut work) {
                k += 1;
                continue;
            }
            if implied(&p.pred, &q.pred, given, &mut work) {
                continue 'pieces;
            }
            let plain = p.pred.iter().chain(&q.pred).all(is_plain);
            let joined = if implied(&q.pred, &p.pred, given, &mut work) {
                Some(p.pred.clone())
            } else if plain && !work.is_spent() {
                query::coalesce(&p.pred, &q.pred, given, &facts, &mut work)
            } else {
                either_way(&p.pred, &q.pred)
            };
            match joined {
                // What has grown may swallow what came before.
                Some(joined) => {
                    p = Piece::new(joined);
                    all.remove(k);
                    k = 0;
                }
                None => k += 1,
            }
        }
        all.push(p);
    }
    let mut all: Vec<Pred> = all.into_iter().map(|p| p.pred).collect();
    let conditions: usize = all.iter().map(|p| literals(p)).sum();
    // A conjunction about indices and sizes stays, however long: loops are narrowed by it.
    let is_plain_one = all.len() == 1 && all.iter().flatten().all(is_plain);
    let too_many = conditions > weights::ad::CONDITIONS && !is_plain_one;
    if all.len() > weights::ad::ALTERNATIVES || too_many {
        mark::hit(Mark::SupportGivenUp);
        let kept = if all.len() == 1 { all.pop()? } else { vec![] };
        return Some(Support { pred: kept.into_iter().filter(is_plain).collect(), wider: true });
    }
    let last = all.pop()?;
    let pred =
        if all.is_empty() { last } else { factored(f, all.into_iter().chain([last]).collect(), given) };
    Some(Support { pred, wider: false })
}

/// One of the alternatives of a union.
struct Piece {
    pred: Pred,
    /// What it is about, also by way of what is given, when that has been asked.
    linked: Option<Set<Atom>>,
    /// Whether there are points in it and points outside of it, when that has been asked.
    is_proper: Option<bool>,
}

impl Piece {
    fn new(pred: Pred) -> Piece {
        Piece { pred, linked: None, is_proper: None }
    }

    fn linked(&mut self, given: &[Cond]) -> &Set<Atom> {
        self.linked.get_or_insert_with(|| query::linked(&self.pred, given))
    }

    fn is_proper(&mut self, given: &[Cond], work: &mut Work) -> bool {
        let facts = Facts::default();
        *self.is_proper.get_or_insert_with(|| {
            !query::entails(given, &self.pred, &facts, work)
                && !query::is_empty(&[given, &self.pred], &facts, work)
        })
    }

    /// Whether they are about different things: then neither lies in the other, and their union is no conjunction.
    fn is_apart(&mut self, other: &mut Piece, given: &[Cond], work: &mut Work) -> bool {
        self.pred.iter().chain(&other.pred).all(is_plain)
            && self.linked(given).is_disjoint(other.linked(given))
            && self.is_proper(given, work)
            && other.is_proper(given, work)
    }
}

/// How many conditions there are in a conjunction, those of its alternatives among them.
fn literals(p: &[Cond]) -> usize {
    let of_one = |c: &Cond| match c {
        Cond::Any(ps) => ps.iter().map(|p| literals(p)).sum(),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => 1,
        Cond::Residue(..) | Cond::NonResidue(..) | Cond::Opaque { .. } => 1,
    };
    p.iter().map(of_one).sum()
}

/// `a ∧ p ∨ ¬a ∧ p = p`, for a comparison of reals `a`: both branches of a choice.
fn either_way(p: &Pred, q: &Pred) -> Option<Pred> {
    let mut own = p.iter().filter(|c| !q.contains(c));
    let mut other = q.iter().filter(|c| !p.contains(c));
    let (Some(a), Some(b), None, None) = (own.next(), other.next(), own.next(), other.next()) else {
        return None;
    };
    let is_opaque = matches!(a, Cond::Opaque { .. });
    (is_opaque && a.negate() == [vec![b.clone()]]).then(|| {
        mark::hit(Mark::BothBranches);
        p.iter().filter(|c| *c != a).cloned().collect()
    })
}

/// Whether the solver finds `p` in `q`.
#[must_use]
pub fn is_within(p: &Pred, q: &Pred, given: &[Cond]) -> bool {
    implied(p, q, given, &mut Work::default())
}

/// Whether `p` lies in `q`. What reads arrays is compared by looks.
fn implied(p: &Pred, q: &Pred, given: &[Cond], work: &mut Work) -> bool {
    let plain: Pred = p.iter().filter(|c| is_plain(c)).cloned().collect();
    q.iter().all(|c| {
        p.contains(c)
            || (is_plain(c)
                && !work.is_spent()
                && query::entails_cond(&[given, &plain], c, &Facts::default(), work))
    })
}

/// `(c ∧ p) ∨ (c ∧ q) = c ∧ (p ∨ q)`, for conditions `c` whose reads are in range without `p` and `q`.
fn factored(f: &Function, pieces: Vec<Pred>, given: &[Cond]) -> Pred {
    let Some(first) = pieces.first() else { return vec![] };
    let facts = f.facts_in(given.iter().chain(pieces.iter().flatten()));
    let holds =
        |before: &[Cond], c: &Cond| query::entails_cond(&[given, before], c, &facts, &mut Work::default());
    let shared = first.iter().filter(|c| pieces.iter().all(|p| p.contains(c)));
    let (plain, reads): (Vec<&Cond>, Vec<&Cond>) = shared.partition(|c| is_plain(c));
    let mut common: Pred = plain.into_iter().cloned().collect();
    for c in reads {
        if f.is_guarded(c, &common, &holds) {
            common.push(c.clone());
        }
    }
    let rest = |p: &Pred| p.iter().filter(|c| !common.contains(c)).cloned().collect();
    let rest = pieces.iter().map(rest).collect();
    [common, vec![Cond::Any(rest)]].concat()
}

/// Where `array[gens] = Σ terms` is not zero: `∪_t ∃ sums_t. guard_t`. `None`: nowhere. Those marked as
/// wider may be zero inside their guards: where another is not, that says nothing.
#[must_use]
pub fn of_terms(f: &Function, given: &[Cond], terms: &[(&Term, bool)]) -> Option<Support> {
    let (mut sure, mut doubtful) = (vec![], vec![]);
    for (t, masked) in terms {
        let (p, more) = project(f, &t.guard, &t.sums, given);
        if *masked || more {
            doubtful.extend(p);
        } else if p.iter().any(Vec::is_empty) {
            return Some(Support::default());
        } else {
            sure.extend(p);
        }
    }
    let mut work = Work::default();
    doubtful.retain(|p| !sure.iter().any(|q| implied(p, q, given, &mut work)));
    let wider = !doubtful.is_empty();
    let all = union(f, [sure, doubtful].concat(), given)?;
    Some(Support { wider: wider || all.wider, ..all })
}
