//! A loop by itself: its range, and what is known inside.

use super::{Lower, State};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::loops::{Bound, Order, Stmt};
use crate::schedule::fuse::Loop;
use crate::schedule::node::constant_difference;
use crate::schedule::range::{
    Bounds, bounds, cover, entails, gist, is_plain, known, may_be_asked, moves_evenly, narrows, never,
    own_bounds, ranged_gist, seen_through,
};
use crate::simplify::guard::plainly_ranged;
use crate::sorted::Map;
use crate::ssa::{Function, Index};

impl State {
    /// The guard without what is known. That an iteration is within the array stays where the rest of the guard says so: elements for which
    /// the rest does not hold are written, too.
    fn simplify(&mut self, f: &Function, given: &[Cond]) {
        let guard = std::mem::take(&mut self.node.guard);
        let (mut within, mut guard): (Pred, Pred) = guard.into_iter().partition(|c| self.within.contains(c));
        if let Some(rest) = gist(f, &within, given) {
            within = rest;
        }
        let (known, sums) = ([given, &within].concat(), self.node.sums());
        if !self.node.is_extreme() {
            guard = ranged_gist(f, &guard, &known, sums);
        } else if let Some(rest) = gist(f, &guard, &known) {
            // What an alternative says of the range of an extreme is no range of a loop.
            guard = sums.iter().fold(rest, |rest, i| plainly_ranged(rest, &guard, *i));
        }
        let new = within.iter().filter(|c| !self.within.contains(c)).cloned().collect::<Pred>();
        self.within.extend(new);
        self.node.guard = [within, guard].concat();
    }
}

impl Lower {
    /// The loop itself.
    pub(super) fn each(&mut self, item: &Loop, depth: usize, out: &mut Vec<Stmt>) {
        let members = &item.members;
        let (_, first) = members.iter().next().expect("a loop has members");
        self.indices.push(self.indices[first.0 as usize].clone());
        let index = Index(u32::try_from(self.indices.len() - 1).expect("fewer than 2³² indices"));
        if let Some(why) = &item.outside {
            self.outside.insert(index, why.clone());
        }
        let mut range = self.range(item, depth).unwrap_or_else(|| self.no_range(members, index));
        if item.steps.is_some() {
            range.step = None;
        }
        self.checkpoints.extend(item.keep.clone().map(|keep| (index, keep)));
        for (n, i) in members {
            let s = &mut self.states[*n];
            s.node.substitute(*i, &index.affine());
            s.fixed.push(index);
            s.node.times.retain(|t| t != i);
            s.context.extend(range.conditions(index));
            // The ranges of gens that are open are not yet known.
            let open: Vec<Atom> = s
                .node
                .dims
                .iter()
                .map(|i| i.atom())
                .filter(|a| !s.fixed.iter().any(|j| j.atom() == *a))
                .collect();
            let given: Pred = s
                .context
                .iter()
                .chain(s.node.ranges.iter().filter(|c| open.iter().any(|a| c.mentions(a))))
                .cloned()
                .collect();
            s.simplify(&self.f, &given);
            let within: Pred = s.node.ranges.iter().filter(|c| known(c, &s.fixed)).cloned().collect();
            s.node.ranges.retain(|c| !within.contains(c));
            let rest = gist(&self.f, &within, &s.context).unwrap_or(within);
            s.within.extend(rest.iter().cloned());
            s.node.guard.splice(0..0, rest);
        }
        let body = self.block(&item.kids, depth + 1);
        let bound = |b: &Bound| Bound { num: self.affine(&b.num), den: b.den };
        let lower = range.lower.iter().map(bound).collect();
        let upper = range.upper.iter().map(bound).collect();
        let step = range.step.map(|(a, k)| (self.affine(&a), k));
        let order = item.steps.map_or(Order::Sequence, Order::Steps);
        out.push(Stmt::looped(index, lower, upper, step, order, body));
    }

    /// The range of a loop that never runs; of another without a range the program says so.
    fn no_range(&mut self, members: &Map<usize, Index>, index: Index) -> Bounds {
        let never_runs = |n: &usize| {
            let State { node, context, .. } = &self.states[*n];
            never(&self.f, &[node.ranges.as_slice(), &node.guard].concat(), context)
        };
        if !members.keys().all(never_runs) {
            self.unbounded.push(self.indices[index.0 as usize].clone());
        }
        let end = |k: i64| vec![Bound { num: k.into(), den: 1 }];
        Bounds { lower: end(0), upper: end(-1), step: None }
    }

    /// The bounds of a loop of one node: of a gen by what is known of gens, of a sum by everything.
    fn bounds(&self, n: usize, i: Index) -> Option<Bounds> {
        let s = &self.states[n];
        let node = &s.node;
        let is_gen = !node.is_sum(i);
        let open_sum = |c: &Cond| node.sums().iter().any(|j| !self.entered(n, *j) && c.mentions(&j.atom()));
        let whole = node.is_extreme();
        // What overwrites every element has loops over all of them.
        let may_narrow =
            |c: &Cond| !self.plan.assigns.contains(&n) || self.plan.narrowed.contains(&n) && narrows(c);
        let counts = |c: &&Cond| !is_gen || !whole && !open_sum(c) && may_narrow(c);
        let p: Pred = node.ranges.iter().chain(node.guard.iter().filter(counts)).cloned().collect();
        // A bound is read before the tests that are still to come.
        let now: Pred =
            p.iter().filter(|c| c.is_total() || may_be_asked(&self.f, c, &s.context)).cloned().collect();
        let found = |p: &[Cond]| bounds(&self.f, p, i, &s.fixed, &s.context);
        let is_there = |b: &Bounds| b.conditions(i).iter().all(|c| may_be_asked(&self.f, c, &s.context));
        let through = || {
            let seen = seen_through(&self.f, &p, i, &s.fixed, &s.context);
            // Residues may be in the way: they are tested inside.
            found(&[seen.as_slice(), &now].concat()).or_else(|| found(&seen))
        };
        let of_alternatives = |c: &Cond| {
            let Cond::Any(ps) = c else { return None };
            let each: Option<Vec<Bounds>> = ps.iter().map(|p| found(&[now.as_slice(), p].concat())).collect();
            cover(&each?, &|c| entails(&self.f, &[now.as_slice(), &s.context].concat(), &[], c))
        };
        let alternatives = || now.iter().find_map(of_alternatives);
        let alone = || {
            // Quotients, one in the other, may be too much: what they say is tested inside.
            let has_plain_forms = |c: &&Cond| c.affines().iter().all(|a| is_plain(a));
            let has_even_forms = |c: &&Cond| c.affines().iter().all(|a| moves_evenly(a, &i.atom()));
            let own = |p: &[Cond]| own_bounds(&self.f, p, i, &s.fixed);
            let of =
                |which: &dyn Fn(&&Cond) -> bool| own(&now.iter().filter(which).cloned().collect::<Pred>());
            own(&now).or_else(|| of(&has_even_forms)).or_else(|| of(&has_plain_forms))
        };
        found(&now).or_else(|| {
            let all = found(&p);
            if all.as_ref().is_some_and(is_there) {
                return all;
            }
            // What ends at an element that nothing keeps in range yet comes last.
            through().or_else(alternatives).or_else(alone).or(all)
        })
    }

    fn entered(&self, n: usize, i: Index) -> bool {
        // An index is replaced by that of its loop on entry.
        let node = &self.states[n].node;
        let mentioned = |c: &Cond| c.mentions(&i.atom());
        !node.guard.iter().any(mentioned) && !node.ranges.iter().any(mentioned)
    }

    /// One range for all members. Steps run as far as something is computed that lives on.
    fn range(&self, item: &Loop, depth: usize) -> Option<Bounds> {
        let lives_on = |n: &usize| {
            let slot = &self.plan.slots[&self.states[*n].node.array.0];
            !slot.local || slot.depth <= depth
        };
        let all = || item.members.iter().map(|(n, i)| (*n, *i));
        let some: Map<usize, Index> = all().filter(|(n, _)| item.steps.is_some() && lives_on(n)).collect();
        let members = if some.is_empty() { &item.members } else { &some };
        let found: Vec<Option<Bounds>> = members.iter().map(|(n, i)| self.bounds(*n, *i)).collect();
        self.join(members, &found)
    }

    /// Their common bounds, or what covers all of them.
    fn join(&self, members: &Map<usize, Index>, found: &[Option<Bounds>]) -> Option<Bounds> {
        let same = |f: &dyn Fn(&Bounds) -> Vec<Bound>| -> Option<Vec<Bound>> {
            let first = f(found[0].as_ref()?);
            found.iter().all(|b| b.as_ref().is_some_and(|b| f(b) == first)).then_some(first)
        };
        let step = found[0].as_ref().and_then(|b| b.step.clone());
        let step =
            step.filter(|s| found.iter().all(|b| b.as_ref().is_some_and(|b| b.step.as_ref() == Some(s))));
        let widest = |pick: &dyn Fn(&(Affine, Affine)) -> Affine, sign: i64| -> Option<Vec<Bound>> {
            let mut ends = members.iter().map(|(n, i)| self.extents.get(&(*n, *i)).map(pick));
            let mut best = ends.next()??;
            for e in ends {
                let e = e?;
                if constant_difference(&best, &e)? * sign > 0 {
                    best = e;
                }
            }
            Some(vec![Bound { num: best, den: 1 }])
        };
        let lower = same(&|b| b.lower.clone()).or_else(|| widest(&|e| e.0.clone(), -1))?;
        let upper = same(&|b| b.upper.clone()).or_else(|| widest(&|e| e.1.clone(), 1))?;
        Some(Bounds { lower, upper, step })
    }
}
