//! The index of an extreme: something must count in its range, or what uses it must ask.

use super::walk::{Prover, has_comparison};
use crate::index::omega::Work;
use crate::index::pred::any;
use crate::index::project::exists;
use crate::index::query::{Facts, entails, entails_cond};
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::typed::{Expr, ExprKind, LetArg};

impl Prover<'_> {
    /// `let k = argmax i in lower..upper if guard { value }; rest`.
    ///
    /// Where the rest asks for `k` in a condition, it may do so because nothing counts: `k` is then `lower - 1`, and the rest is tried
    /// with that. Else something must count.
    pub(super) fn let_arg(&mut self, arg: &mut LetArg) {
        let range = self.range_of(&arg.binder);
        self.under(range.clone(), |me| {
            me.pred(&mut arg.guard);
            me.under(arg.guard.clone(), |me| me.expr(&mut arg.value));
        });
        if let Some(name) = self.names.arrays.get_mut(arg.element as usize) {
            name.clone_from(&arg.name);
        }
        let is_tried = self.tries > 0 && asks(&arg.rest, arg.element);
        if is_tried {
            self.tries -= 1;
            // What must hold on entry for another reason is no reason against it; what must hold for it alone is, if something counts.
            let ways = [(true, false), (false, true), (true, true)];
            let ways = if self.may_check() { &ways[..] } else { &ways[..2] };
            if ways.iter().any(|way| self.stands(arg, &range, *way)) {
                return;
            }
            if self.tried.is_some() {
                self.errors.push(arg.binder.span, "");
                return;
            }
        }
        let (mut rest, before) = (arg.rest.clone(), self.errors.0.len());
        if is_tried {
            // What is wrong with the rest even where something counts is all that is said.
            self.rest(arg, false, &mut rest);
            if self.errors.0.len() == before {
                self.non_empty(arg, &range);
            }
        } else {
            self.non_empty(arg, &range);
            self.rest(arg, false, &mut rest);
        }
        arg.rest = rest;
    }

    /// Tries whether the rest stands, if nothing may count or something must, and if more may have to hold on entry; if so, it is as walked.
    fn stands(&mut self, arg: &mut LetArg, range: &Pred, (may_be_empty, may_check): (bool, bool)) -> bool {
        let key = (arg.element, may_be_empty);
        let may_check = may_check && self.may_check();
        if !may_check && self.is_missed_again(key) {
            return false;
        }
        let (mut rest, depth) = (arg.rest.clone(), self.path.len());
        self.missed = None;
        let stands = self.attempt(may_check, |me| {
            if !may_be_empty {
                me.non_empty(arg, range);
            }
            me.rest(arg, may_be_empty, &mut rest);
        });
        if stands {
            (arg.may_be_empty, arg.rest) = (may_be_empty, rest);
            // What was missed inside was mended there.
            self.missed = None;
        } else if let Some((path, needed)) = self.missed.clone().filter(|_| !may_check) {
            self.needing.insert(key, (path[depth..].to_vec(), needed));
        }
        stands
    }

    /// Whether what was missed when the same was tried under other conditions is missed under these: then it does not stand again.
    fn is_missed_again(&mut self, key: (u32, bool)) -> bool {
        let Some((behind, needed)) = self.needing.get(&key) else { return false };
        let path = [self.path.as_slice(), behind].concat();
        let is_missed = !entails_cond(&[&path], needed, &Facts::default(), &mut Work::default());
        if is_missed {
            self.missed = Some((path, needed.clone()));
        }
        is_missed
    }

    /// Walks the rest: the result is in the range, and where the guard holds; or, if that may be, just before the range.
    fn rest(&mut self, arg: &LetArg, may_be_empty: bool, rest: &mut Expr) {
        let index = Atom::Index(arg.binder.index);
        let result = Affine::from(Atom::Element(arg.element, vec![]));
        let (lower, upper) = (&arg.binder.lower, &arg.binder.upper);
        let before = lower.plus_constant(-1).and_then(|before| cond::eq(&result, &before));
        let (Some(mut known), Some(before)) = (cond::within(lower, &result, upper), before) else {
            self.errors.push(arg.binder.span, "the numbers in this range are too large");
            return;
        };
        let guard = arg.guard.iter().filter(|c| !has_comparison(c));
        known.extend(guard.filter_map(|c| c.rename(&|a| (*a == index).then(|| result.clone()))));
        if may_be_empty {
            known = vec![any(vec![vec![before], known])];
        }
        self.under(known, |me| me.expr(rest));
    }

    fn non_empty(&mut self, arg: &LetArg, range: &Pred) {
        let op = if arg.is_max { "argmax" } else { "argmin" };
        if arg.guard.is_empty() {
            if let Some(needed) = cond::lt(&arg.binder.lower, &arg.binder.upper) {
                let (what, never) =
                    (format!("the range of `{op}` is not empty"), format!("the range of `{op}` is empty"));
                self.require(&needed, arg.binder.span, &what, &never);
            }
            return;
        }
        let p = [range.as_slice(), &arg.guard].concat();
        let index = [Atom::Index(arg.binder.index)];
        let work = &mut Work::default();
        let some = exists(&p, &index, false, &self.path, &Facts::default(), work);
        let proved = some.is_some_and(|pieces| {
            pieces.iter().any(|p| p.is_empty())
                || entails(&self.path, &[any(pieces)], &Facts::default(), &mut Work::default())
        });
        if !proved {
            let guard = if arg.guard.iter().any(has_comparison) {
                "its guard holds".into()
            } else {
                format!("`{}`", self.names.pred(&arg.guard))
            };
            let (before, name) = (self.names.affine(&arg.binder.lower), &arg.name);
            self.errors.push(
                arg.binder.span,
                format!(
                    "could not prove that `{op}` has an iteration where {guard}\n  help: leave out its condition, require by `where` that it holds somewhere, or use `{name}` only `if {name} >= {before}`: without an iteration it is one less"
                ),
            );
        }
    }
}

/// Whether a condition mentions the element.
fn asks(e: &Expr, element: u32) -> bool {
    let atom = |a: &Atom| matches!(a, Atom::Element(k, _) if *k == element);
    let asked = |p: &Pred| p.iter().any(|c: &Cond| c.any_atom(&atom));
    let mut found = false;
    e.visit(&mut |e| {
        found |= match &e.kind {
            ExprKind::Guard(p, _)
            | ExprKind::If(p, ..)
            | ExprKind::Gen(_, p, _)
            | ExprKind::Reduce(_, _, p, _) => asked(p),
            ExprKind::LetArg(l) => asked(&l.guard),
            ExprKind::Rec(r) => asked(&r.guard),
            _ => false,
        }
    });
    found
}
