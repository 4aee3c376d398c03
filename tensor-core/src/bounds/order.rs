//! Order: what an element of a recurrence reads of its own tensor has been computed before it.
//!
//! At `y[a]` in the body of `rec i₁, …` that is `a₁ < i₁ ∨ (a₁ = i₁ ∧ a₂ < i₂) ∨ …`, with `>` where a range is reversed.

use super::walk::Prover;
use crate::error::Span;
use crate::index::explain::counterexample;
use crate::index::omega::Work;
use crate::index::pred::{any, indices};
use crate::index::project::{Bound, bounds};
use crate::index::query::{Facts, Model, entails_cond, gist, is_empty};
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::typed::{Binder, Expr, ExprKind, IndexArg, Rec, Var};
use crate::weights;

/// A recurrence around what is walked.
#[derive(Clone)]
pub(super) struct Unfinished {
    vars: Vec<Var>,
    binders: Vec<Binder>,
    /// The element that is computed.
    own: Vec<Affine>,
    backward: Vec<bool>,
    /// Where it is said which states the reverse sweep finds stored.
    checkpoint: Option<Span>,
    /// What was read of what is there, so far.
    in_order: Vec<Read>,
}

/// A read of a tensor that is not finished.
#[derive(Clone)]
struct Read {
    /// What holds there.
    path: Pred,
    at: Vec<Affine>,
    /// As it is written.
    access: String,
}

/// Whether an element is computed before another; `None` where the numbers are too large.
fn before(at: &[Affine], own: &[Affine], backward: &[bool]) -> Option<Cond> {
    let mut alternatives = vec![];
    let mut same: Pred = vec![];
    for ((a, own), backward) in at.iter().zip(own).zip(backward) {
        let earlier = if *backward { cond::gt(a, own)? } else { cond::lt(a, own)? };
        alternatives.push([same.as_slice(), &[earlier]].concat());
        same.push(cond::eq(a, own)?);
    }
    Some(any(alternatives))
}

fn is_given(path: &Pred, c: &Cond) -> bool {
    entails_cond(&[path], c, &Facts::default(), &mut Work::default())
}

/// Whether an element comes before, in an order that says when one does.
fn comes_before(path: &Pred, at: &[Affine], earlier: &impl Fn(&[Affine]) -> Option<Cond>) -> bool {
    earlier(at).is_some_and(|c| is_given(path, &c))
}

/// A read of what may not be there.
struct Question<'a> {
    around: &'a Unfinished,
    at: Vec<Affine>,
    needed: Cond,
    name: &'a str,
    /// As it is written.
    access: &'a str,
}

impl Prover<'_> {
    pub(super) fn rec(&mut self, r: &mut Rec) {
        r.binders.iter().for_each(|b| self.range(b));
        let own: Option<Vec<Affine>> =
            r.binders.iter().map(|b| Affine::index(b.index).minus(&b.lower)).collect();
        let Some(own) = own else {
            self.errors.push(r.body.span, "the numbers in the ranges of this recurrence are too large");
            return;
        };
        let (vars, binders, backward) = (r.vars.clone(), r.binders.clone(), r.backward.clone());
        let checkpoint = r.checkpoint.as_ref().map(|c| c.span);
        self.unfinished.push(Unfinished { vars, binders, own, backward, checkpoint, in_order: vec![] });
        self.iterations(&r.binders, &mut r.guard, &mut r.body);
        self.unfinished.pop();
    }

    /// That an element which is in range has been computed, if a recurrence around is about to give it.
    pub(super) fn order(&mut self, array: &Expr, args: &[IndexArg], name: &str, access: &str) {
        let ExprKind::Var(v) = &array.kind else { return };
        let Some(around) = self.unfinished.iter().find(|u| u.vars.contains(v)).cloned() else { return };
        let at: Vec<Affine> = args.iter().take(around.own.len()).map(|a| a.index.clone()).collect();
        let ago = around.own.first().zip(at.first()).and_then(|(own, at)| own.minus(at));
        if let Some(span) = around.checkpoint
            && self.tried.is_none()
            && !ago.is_some_and(|ago| ago.is_constant())
        {
            let message = format!(
                "a checkpoint stores the last states, but `{access}` reads back a number of steps that varies\n  help: read back a fixed number of steps, as `[t - 1]`, or store all states: without `#[checkpoint(…)]`"
            );
            self.errors.push(span, message);
            return;
        }
        let Some(needed) = before(&at, &around.own, &around.backward) else {
            let message =
                format!("could not prove that `{access}` is computed before: its numbers are too large");
            self.errors.push(array.span, message);
            return;
        };
        if self.holds(&needed) {
            let read = Read { path: self.path.clone(), at, access: access.to_string() };
            let around = self.unfinished.iter_mut().find(|u| u.vars.contains(v));
            around.into_iter().for_each(|u| u.in_order.push(read.clone()));
            return;
        }
        if self.tried.is_some() {
            self.missed(array.span, Some(needed));
            return;
        }
        let question = Question { around: &around, at, needed, name, access };
        let text = self.too_early(&question);
        self.errors.push(array.span, text);
    }

    fn holds(&self, c: &Cond) -> bool {
        is_given(&self.path, c)
    }

    /// What is read too early, and where; and what helps.
    fn too_early(&self, q: &Question<'_>) -> String {
        let mut violated = self.path.clone();
        violated.push(any(q.needed.negate()));
        let point = counterexample(&violated, &Affine::zero(), &Facts::default());
        let text = match point {
            Some(point) => {
                let value = |a: &Atom| point.get(a).unwrap_or(0);
                let element = |at: &[Affine]| {
                    at.iter().map(|a| a.eval(&value).to_string()).collect::<Vec<_>>().join(", ")
                };
                format!(
                    "`{}` is read before it is computed: with {} element {} in the step of element {}",
                    q.access,
                    self.values(&point),
                    element(&q.at),
                    element(&q.around.own)
                )
            }
            None => {
                let needed = self.names.cond(&q.needed);
                format!("could not prove that `{}` is computed before it is read: `{needed}`", q.access)
            }
        };
        format!("{text}\n  help: {}", self.ways(q))
    }

    /// `n = 1, i = 0`
    fn values(&self, m: &Model) -> String {
        let is_named = |a: &Atom| matches!(a, Atom::Size(_) | Atom::Index(_) | Atom::Element(..));
        let all = m.atoms.iter().zip(&m.values).filter(|(a, _)| is_named(a));
        all.map(|(a, v)| format!("{} = {v}", self.names.atom(a))).collect::<Vec<_>>().join(", ")
    }

    /// Another direction, the indices exchanged, another range or a guard, or another element: the first that is proved.
    fn ways(&self, q: &Question<'_>) -> String {
        if let Some(way) = self.other_directions(q).or_else(|| self.exchanged(q)).or_else(|| self.clash(q)) {
            return way;
        }
        let needed = [q.needed.clone()];
        if is_empty(&[&self.path, &needed], &Facts::default(), &mut Work::default()) {
            return format!("read an element before it, as `{}`", self.element_before(q));
        }
        let guard = gist(&needed, &self.path, &Facts::default(), &mut Work::default());
        let guard = format!("guard it with `[{}] *`", self.names.pred(&guard.unwrap_or(needed.to_vec())));
        let ways: Vec<String> = self.range_that_helps(q).into_iter().chain([guard]).collect();
        ways.join(", or ")
    }

    /// All other directions of the indices, those with the fewest turned around first.
    fn flips(backward: &[bool]) -> Vec<Vec<bool>> {
        // There are few indices: a tensor has few dimensions.
        let mut flips: Vec<usize> = (1..1_usize << backward.len().min(weights::text::DIRECTIONS)).collect();
        flips.sort_by_key(|bits| bits.count_ones());
        let flipped =
            |bits: usize| backward.iter().enumerate().map(|(k, b)| *b != (bits >> k & 1 == 1)).collect();
        flips.into_iter().map(flipped).collect()
    }

    /// Whether what is asked for comes before in another order, and what was read so far.
    fn helps(&self, q: &Question<'_>, earlier: &impl Fn(&[Affine]) -> Option<Cond>) -> bool {
        comes_before(&self.path, &q.at, earlier)
            && q.around.in_order.iter().all(|r| comes_before(&r.path, &r.at, earlier))
    }

    fn other_directions(&self, q: &Question<'_>) -> Option<String> {
        let Unfinished { binders, own, backward, .. } = q.around;
        let flips = Self::flips(backward);
        let other = flips.iter().find(|other| self.helps(q, &|at| before(at, own, other)))?;
        let turned = binders.iter().zip(backward.iter().zip(other)).filter(|(_, (was, is))| was != is);
        let one = |(b, (was, _)): (&Binder, (&bool, &bool))| {
            let index = self.names.atom(&Atom::Index(b.index));
            let range = format!("{}..{}", self.names.affine(&b.lower), self.names.affine(&b.upper));
            if *was {
                format!("let `{index}` run upwards, `{range}`")
            } else {
                format!("let `{index}` run the other way, `({range}).rev()`")
            }
        };
        Some(turned.map(one).collect::<Vec<_>>().join(" and "))
    }

    fn exchanged(&self, q: &Question<'_>) -> Option<String> {
        let ([i, j], [p, r]) = (q.around.own.as_slice(), q.around.backward.as_slice()) else { return None };
        let earlier = |at: &[Affine]| match at {
            [a, b] => before(&[b.clone(), a.clone()], &[j.clone(), i.clone()], &[*r, *p]),
            _ => None,
        };
        let names: Vec<String> =
            q.around.binders.iter().rev().map(|b| self.names.atom(&Atom::Index(b.index))).collect();
        self.helps(q, &earlier)
            .then(|| format!("let the other index run outside, `rec {}`", names.join(", ")))
    }

    /// Another read, which needs the direction that is there, where this one needs another.
    fn clash(&self, q: &Question<'_>) -> Option<String> {
        let Unfinished { own, backward, in_order, .. } = q.around;
        let flips = Self::flips(backward);
        let other =
            flips.iter().find(|other| comes_before(&self.path, &q.at, &|at| before(at, own, other)))?;
        let with = in_order.iter().find(|r| !comes_before(&r.path, &r.at, &|at| before(at, own, other)))?;
        Some(format!(
            "read one of `{}` and `{}` alone: no direction computes both before",
            with.access, q.access
        ))
    }

    /// `y[t - 1]`
    fn element_before(&self, q: &Question<'_>) -> String {
        let count = q.around.own.len();
        let step = |k: usize| match (k + 1 == count, q.around.backward[k]) {
            (true, true) => 1,
            (true, false) => -1,
            (false, _) => 0,
        };
        let one = |(k, own): (usize, &Affine)| {
            own.plus_constant(step(k)).map(|a| self.names.affine(&a)).unwrap_or_default()
        };
        let at: Vec<String> = q.around.own.iter().enumerate().map(one).collect();
        format!("{}[{}]", q.name, at.join(", "))
    }

    /// Another start or end of the range of an index that the recurrence does not run over.
    fn range_that_helps(&self, q: &Question<'_>) -> Option<String> {
        let own = |i: &u32| q.around.binders.iter().any(|b| b.index == *i);
        let mut mentioned: Vec<u32> = q.at.iter().flat_map(Affine::indices).filter(|i| !own(i)).collect();
        mentioned.dedup();
        let [i] = mentioned.as_slice() else { return None };
        let i = Atom::Index(*i);
        let ok = [self.path.as_slice(), std::slice::from_ref(&q.needed)].concat();
        let fixed: Vec<Atom> = indices(&ok).into_iter().map(Atom::Index).filter(|j| *j != i).collect();
        let of = |p: &Pred| bounds(p, &i, &fixed, &[], &Facts::default(), &mut Work::default()).ok();
        let (was, now) = (of(&self.path)?, of(&ok)?);
        // The end that comes to what there was.
        let end = |was: &[Bound], now: &[Bound], step: i64| {
            let mut new = now.iter().filter(|b| !was.contains(b));
            let only = new.next().filter(|b| b.den == 1)?.num.plus_constant(step)?;
            new.next().is_none().then(|| self.names.affine(&only))
        };
        let name = self.names.atom(&i);
        if let Some(upper) = end(&was.upper, &now.upper, 1) {
            return Some(format!("end the range of `{name}` at `{upper}`"));
        }
        end(&was.lower, &now.lower, 0).map(|lower| format!("start the range of `{name}` at `{lower}`"))
    }
}
