//! Where the cotangents and tangents of a recurrence are not zero.
//!
//! They read each other, so their supports stand in an equation, `S = F(S)`, where F takes the support of each to what its terms ask of it. What an
//! element reads is computed before it, so the equation has one solution: a guess C is large enough if `F(C) ⊆ C`, and no larger than it must be if
//! `C ⊆ F(C)`. The guesses are some sweeps from nothing, in the order of the values; then *at this time or beyond something outside counts*, apart
//! by the dimensions that all reads between the members keep, and some sweeps down from there. Where that stays too large, what the first sweeps found
//! at any time as well, if that is large enough.

use super::rename::{Renaming, bare_index};
use super::support::{self, Support};
use crate::index::{Affine, Cond, Pred, cond};
use crate::mark::{self, Mark};
use crate::sorted::Map;
use crate::ssa::{Function, Index, Rec, RecId, Step, Stmt, Term};
use crate::weights;

/// A cotangent or tangent of a recurrence: where its terms count.
pub(super) struct Node {
    /// Its gens.
    pub gens: Vec<Index>,
    /// How far they run.
    pub extents: Vec<Affine>,
    /// The dimension that is the time of the outermost rec.
    pub time: usize,
    /// Terms of what is outside of the recurrence; whether one may be zero inside its guard.
    pub outside: Vec<(Term, bool)>,
    /// Terms of other members.
    pub flows: Vec<Flow>,
}

/// A term that is a multiple of an element of another member.
pub(super) struct Flow {
    /// The member.
    pub of: usize,
    /// The element.
    pub at: Vec<Affine>,
    /// Where the term counts; its conditions are on indices alone.
    pub term: Term,
    /// Whether it may be zero there.
    pub masked: bool,
}

/// The supports, one for each member; `None` where nothing counts. The members are in the order of the values, and `later` says whether times that are read
/// are later than those that read.
pub(super) fn supports(f: &mut Function, nodes: &[Node], later: bool) -> Vec<Option<Support>> {
    let mut known: Vec<Option<Support>> = nodes.iter().map(|_| None).collect();
    for _ in 0..weights::ad::SWEEPS {
        let before = known.clone();
        sweep(f, nodes, &mut known);
        if are_within(f, nodes, &known, &before) {
            return known;
        }
    }
    mark::hit(Mark::SupportsGuessed);
    let kept = kept(nodes);
    let guess = nodes.iter().enumerate().map(|(k, _)| beyond(f, nodes, &kept, k, later)).collect();
    let (mut wide, mut is_exact) = narrowed(f, nodes, guess);
    if is_exact {
        return wide;
    }
    let always = nodes.iter().zip(&known).map(|(n, s)| at_any_time(f, n, s.as_ref())).collect();
    if let Some(large) = large_enough(f, nodes, always) {
        mark::hit(Mark::SupportsAtAnyTime);
        let both = wide.iter().zip(&large).map(|(a, b)| both(a.as_ref()?, b.as_ref()?)).collect();
        (wide, is_exact) = narrowed(f, nodes, both);
    }
    wide.iter_mut().flatten().for_each(|s| s.wider |= !is_exact);
    wide
}

/// Some sweeps down from what is large enough, and whether that is no larger than it must be then.
fn narrowed(f: &Function, nodes: &[Node], mut known: Vec<Option<Support>>) -> (Vec<Option<Support>>, bool) {
    for _ in 0..weights::ad::SWEEPS {
        let before = known.clone();
        sweep(f, nodes, &mut known);
        let is_exact = known.iter().flatten().all(|s| !s.wider);
        if are_within(f, nodes, &before, &known) {
            return (known, is_exact);
        }
        known.iter_mut().flatten().for_each(|s| s.wider = false);
    }
    (known, false)
}

/// A sweep down from a guess that may be too small; none if it is.
fn large_enough(f: &Function, nodes: &[Node], guess: Vec<Option<Support>>) -> Option<Vec<Option<Support>>> {
    let mut first = guess.clone();
    sweep(f, nodes, &mut first);
    are_within(f, nodes, &first, &guess).then_some(first)
}

/// Where two supports are, each of which is large enough.
fn both(a: &Support, b: &Support) -> Option<Support> {
    Some(Support { pred: [a.pred.as_slice(), &b.pred].concat(), wider: false })
}

/// A support without what it says of times.
fn at_any_time(f: &Function, n: &Node, s: Option<&Support>) -> Option<Support> {
    let time = n.gens[n.time].atom();
    let timeless = |p: &Pred| -> Pred { p.iter().filter(|c| !c.mentions(&time)).cloned().collect() };
    let (alternatives, plain): (Pred, Pred) =
        s?.pred.iter().cloned().partition(|c| matches!(c, Cond::Any(_)));
    let plain = timeless(&plain);
    let mut pieces = vec![plain];
    for c in &alternatives {
        let Cond::Any(ps) = c else { continue };
        let each = |p: &Pred| ps.iter().map(|q| [p.as_slice(), &timeless(q)].concat()).collect::<Vec<Pred>>();
        pieces = pieces.iter().flat_map(each).collect();
    }
    let given = support::context(f, &n.gens, &n.extents);
    support::union(f, pieces, &given).map(|s| Support { wider: false, ..s })
}

/// Once F, each member by what is known of those before it.
fn sweep(f: &Function, nodes: &[Node], known: &mut [Option<Support>]) {
    for (k, n) in nodes.iter().enumerate() {
        let flow = |flow: &Flow| {
            let of = known[flow.of].as_ref()?;
            let asked = support::put(&of.pred, &nodes[flow.of].gens, &flow.at);
            let masked = flow.masked || of.wider || asked.is_none();
            let guard = [flow.term.guard.clone(), asked.unwrap_or_default()].concat();
            Some((Term { guard, ..flow.term.clone() }, masked))
        };
        let terms: Vec<(Term, bool)> =
            n.outside.iter().cloned().chain(n.flows.iter().filter_map(flow)).collect();
        let all: Vec<(&Term, bool)> = terms.iter().map(|(t, masked)| (t, *masked)).collect();
        let given = support::context(f, &n.gens, &n.extents);
        known[k] = support::of_terms(f, &given, &all);
    }
}

/// Whether the solver finds each of some supports in another.
fn are_within(f: &Function, nodes: &[Node], inner: &[Option<Support>], outer: &[Option<Support>]) -> bool {
    nodes.iter().zip(inner.iter().zip(outer)).all(|(n, (a, b))| is_within(f, n, a.as_ref(), b.as_ref()))
}

/// Whether the solver finds one support in another.
fn is_within(f: &Function, n: &Node, inner: Option<&Support>, outer: Option<&Support>) -> bool {
    let Some(inner) = inner else { return true };
    let given = support::context(f, &n.gens, &n.extents);
    outer.is_some_and(|outer| support::is_within(&inner.pred, &outer.pred, &given))
}

/// Where something outside counts at the same time as an element of a member or beyond it, with the same indices in the dimensions that are kept.
fn beyond(f: &mut Function, nodes: &[Node], kept: &[Vec<usize>], k: usize, later: bool) -> Option<Support> {
    let own = &nodes[k];
    let now = own.gens[own.time].affine();
    let mut terms = vec![];
    for (n, dims) in nodes.iter().zip(kept) {
        for (t, _) in &n.outside {
            let [from, to] = [(n, dims), (own, &kept[k])]
                .map(|(n, dims)| dims.iter().map(|d| n.gens[*d]).collect::<Vec<_>>());
            let mut here = Renaming::new(&from, &to);
            let free: Vec<usize> = (0..n.gens.len()).filter(|d| !dims.contains(d)).collect();
            let gens: Vec<Index> = free.iter().map(|d| n.gens[*d]).collect();
            let extents: Vec<Affine> = free.iter().map(|d| n.extents[*d].clone()).collect();
            let gens = here.extend_fresh(f, &gens);
            let sums = [gens.clone(), here.extend_fresh(f, &t.sums)].concat();
            let then = here.index(n.gens[n.time]).affine();
            let order = if later { cond::le(&now, &then) } else { cond::le(&then, &now) };
            let plain: Pred = t.guard.iter().filter(|c| support::is_plain(c)).map(|c| here.cond(c)).collect();
            let guard = [support::ranges(&gens, &extents), plain, order.into_iter().collect()].concat();
            terms.push(Term { sums, guard, coeff: 1.0, factors: vec![] });
        }
    }
    let all: Vec<(&Term, bool)> = terms.iter().map(|t| (t, false)).collect();
    let given = support::context(f, &own.gens, &own.extents);
    support::of_terms(f, &given, &all).map(|s| Support { wider: false, ..s })
}

/// The dimensions, by member in one order, that all reads between the members keep, but the time.
fn kept(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = vec![vec![]; nodes.len()];
    let Some(first) = nodes.first() else { return out };
    for start in (0..first.gens.len()).filter(|d| *d != first.time) {
        if let Some(class) = class(nodes, start)
            && class.iter().zip(nodes).zip(&out).all(|((d, n), taken)| *d != n.time && !taken.contains(d))
        {
            class.into_iter().zip(&mut out).for_each(|(d, dims)| dims.push(d));
        }
    }
    out
}

/// The dimensions of all members that are the same as this one of the first in all reads, if there is one in each.
fn class(nodes: &[Node], start: usize) -> Option<Vec<usize>> {
    let mut at: Vec<Option<usize>> = vec![None; nodes.len()];
    at[0] = Some(start);
    let place = |flow: &Flow, g: Index| flow.at.iter().position(|e| bare_index(e) == Some(g));
    let mut changed = true;
    while changed {
        changed = false;
        for (k, n) in nodes.iter().enumerate() {
            for flow in &n.flows {
                match (at[k], at[flow.of]) {
                    (Some(d), of) => {
                        let there = place(flow, n.gens[d])?;
                        if of.is_some_and(|e| e != there) {
                            return None;
                        }
                        changed |= of.is_none();
                        at[flow.of] = Some(there);
                    }
                    (None, Some(e)) => {
                        let i = bare_index(&flow.at[e])?;
                        at[k] = Some(n.gens.iter().position(|g| *g == i)?);
                        changed = true;
                    }
                    (None, None) => {}
                }
            }
        }
    }
    at.into_iter().collect()
}

/// The place of the time of the outermost rec among the gens of a member.
pub(super) fn time(s: &Stmt) -> usize {
    let first = s.step.iter().flat_map(|step| &step.times).next();
    first.and_then(|t| s.gens.iter().position(|g| g == t)).unwrap_or_default()
}

/// Whether the outermost rec of some statements runs from the last time to the first.
pub(super) fn is_backward(f: &Function, stmts: &[&Stmt]) -> bool {
    let outermost = stmts.first().and_then(|s| f.recs_of(s).first().copied());
    outermost.is_some_and(|r| f.rec(r).backward)
}

/// Recs of a derivative, by those that they are like.
pub(super) struct Recs {
    of: Map<RecId, RecId>,
    turned: bool,
}

impl Recs {
    /// In the same direction, or `turned` into the other.
    pub fn new(turned: bool) -> Recs {
        Recs { of: Map::new(), turned }
    }

    /// The step of a statement whose gens from `first` on are those of `s`.
    pub fn step(&mut self, f: &mut Function, s: &Stmt, gens: &[Index], first: usize) -> Option<Step> {
        let step = s.step.as_ref()?;
        let time = |t: &Index| gens.get(first + s.gens.iter().position(|g| g == t)?).copied();
        let times = step.times.iter().map(time).collect::<Option<Vec<_>>>()?;
        Some(Step { rec: self.like(f, step.rec), times })
    }

    fn like(&mut self, f: &mut Function, rec: RecId) -> RecId {
        if let Some(new) = self.of.get(&rec) {
            return *new;
        }
        let old = f.rec(rec).clone();
        let within = old.within.map(|w| self.like(f, w));
        let new = RecId(u32::try_from(f.recs.len()).expect("fewer than 2³² recs"));
        f.recs.push(Rec { within, backward: old.backward ^ self.turned, ..old });
        self.of.insert(rec, new);
        new
    }
}
