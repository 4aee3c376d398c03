//! Recurrences, one after the other, and what stands between them.
//!
//! The steps of a recurrence are a loop. What stands before it and is read by its steps alone, each at its time, is computed in them if it is cheap, and
//! what stands behind it and reads what each step has computed runs in them, too: nothing of it is stored then.

use super::{Fuser, Group, Item, Loop, Open};
use crate::ast::Keep;
use crate::index::Affine;
use crate::loops::Direction;
use crate::mark::{self, Mark};
use crate::schedule::cost::operations;
use crate::schedule::node::{Kind, Node};
use crate::schedule::range::bare;
use crate::sorted::{self, Map, Set};
use crate::ssa::{ArrayId, Function, Index, RecId};
use crate::weights;

/// Nodes that stand together: the members of a recurrence, or what stands between two.
#[derive(Default)]
pub(super) struct Section {
    pub rec: Option<RecId>,
    pub nodes: Vec<usize>,
}

impl Section {
    /// Nodes inside so many recurrences: the first section, the last, and every other one between are of none.
    pub fn all(f: &Function, nodes: &[Node], some: &[usize], depth: usize) -> Vec<Section> {
        let mut out = vec![Section::default()];
        for n in some {
            let rec = f.definition(nodes[*n].array).and_then(|s| f.recs_of(s).get(depth).copied());
            let last = out.last().and_then(|s| s.rec);
            if rec != last {
                if rec.is_some() && last.is_some() {
                    out.push(Section::default());
                }
                out.push(Section { rec, nodes: vec![] });
            }
            out.last_mut().into_iter().for_each(|s| s.nodes.push(*n));
        }
        if out.last().is_some_and(|s| s.rec.is_some()) {
            out.push(Section::default());
        }
        out
    }
}

/// What is computed in the steps of one recurrence, or of several together.
struct Steps {
    direction: Direction,
    /// Which states the reverse sweep finds stored.
    keep: Option<Keep>,
    /// The members, in order.
    members: Vec<usize>,
    /// They and what joins them, by the indices that are their times.
    group: Group,
    /// All that is written by these.
    written: Set<u32>,
    /// By array of which each step computes the elements of its time: the dimension that is the time.
    computed: Map<u32, usize>,
    /// What is complete behind the steps only.
    incomplete: Set<u32>,
    /// One of the times.
    time: Option<Index>,
}

impl Steps {
    /// The index that is the time of a step, or that of one after it: what reads there at that index finds what has been computed.
    fn time_of(&self, at: &Affine) -> Option<Index> {
        let mut index = at.clone();
        index.constant = 0;
        let is_there = if self.direction == Direction::Forward { at.constant <= 0 } else { at.constant >= 0 };
        bare(&index).filter(|_| is_there)
    }

    /// A node runs in them, by this index.
    fn add(&mut self, node: &Node, n: usize, i: Index) {
        self.group.insert(n, i);
        self.written.extend(node.writes());
    }

    /// The steps of another recurrence are these.
    fn take(&mut self, other: Steps) {
        let Steps { members, group, written, computed, incomplete, keep, direction: _, time: _ } = other;
        if self.keep.is_none() {
            self.keep = keep;
        }
        self.members.extend(members);
        sorted::sort(&mut self.members);
        self.group.extend(group);
        self.written.extend(written);
        self.computed.extend(computed);
        self.incomplete.extend(incomplete);
    }
}

impl Fuser<'_> {
    /// Sections inside so many recurrences as loops, by what dimensions of their nodes are open.
    pub(super) fn sections(&self, f: &Function, all: Vec<Section>, open: &Open, depth: usize) -> Vec<Item> {
        let (mut between, mut recs): (Vec<Vec<usize>>, Vec<Steps>) = (vec![], vec![]);
        for Section { rec, nodes } in all {
            match rec {
                Some(rec) => recs.push(self.steps(f, rec, nodes, depth)),
                None => between.push(nodes),
            }
        }
        for (k, steps) in recs.iter_mut().enumerate() {
            self.leaders(&mut between[k], steps, open);
        }
        let mut k = 0;
        while k < recs.len() {
            self.behind(&mut between, &mut recs, k, open);
            // Some of it may be read by what has joined alone.
            self.leaders(&mut between[k], &mut recs[k], open);
            k += 1;
        }
        let mut recs = recs.into_iter();
        let mut out = vec![];
        for nodes in between {
            out.extend(self.build(&nodes.iter().map(|n| (*n, open[n].clone())).collect()));
            let Some(Steps { group, members, direction, keep, .. }) = recs.next() else { continue };
            let rest = |(n, i): (&usize, &Index)| {
                (*n, open[n].iter().copied().filter(|j| j != i).collect::<Vec<Index>>())
            };
            let inner: Open = group.iter().map(rest).collect();
            let kids = self.sections(f, self.inside(f, &members, &group, depth + 1), &inner, depth + 1);
            let steps = Some(direction);
            out.push(Item::Loop(Loop { members: group, id: 0, kids, outside: None, steps, keep }));
        }
        out
    }

    /// Takes what follows the steps of a recurrence into them, and the steps of the next if they read these.
    fn behind(&self, between: &mut Vec<Vec<usize>>, recs: &mut Vec<Steps>, k: usize, open: &Open) {
        loop {
            let numbers = self.numbers(&mut between[k + 1], &recs[k]);
            between[k].extend(numbers);
            sorted::sort(&mut between[k]);
            let (first, later) = recs.split_at_mut(k + 1);
            let steps = &mut first[k];
            let (behind, far) = between[k + 1..].split_at_mut(1);
            // What runs the other way cannot join, nor what comes behind that.
            let near = later.iter().take(weights::schedule::RECURRENCES);
            let run = near.take_while(|s| s.direction == steps.direction).count();
            let may_join = |n: usize| {
                let is_between = far[..run].iter().any(|nodes| nodes.binary_search(&n).is_ok());
                is_between || later[..run].iter().any(|s| s.group.contains_key(&n))
            };
            self.followers(&mut behind[0], steps, open, &may_join);
            let next = later.first().and_then(|next| self.continues(steps, next, &behind[0]));
            let Some(free) = next else { return };
            mark::hit(Mark::StepsJoined);
            let (before, behind) = between.remove(k + 1).into_iter().partition(|n| free.contains(n));
            between[k].extend::<Vec<usize>>(before);
            between[k + 1].extend::<Vec<usize>>(behind);
            [k, k + 1].into_iter().for_each(|k| sorted::sort(&mut between[k]));
            let next = recs.remove(k + 1);
            let steps = &mut recs[k];
            for x in free.iter().flat_map(|n| self.nodes[*n].writes()) {
                steps.incomplete.remove(&x);
            }
            steps.take(next);
        }
    }

    /// Whether the steps of the next recurrence may be those of one before it: they read what its steps have computed, and nothing else that comes behind these. What
    /// stands between the two and needs nothing of the first stands before both then.
    fn continues(&self, steps: &Steps, next: &Steps, between: &[usize]) -> Option<Set<usize>> {
        let is_one = steps.direction == next.direction && self.same_extent(steps.time?, next.time?);
        is_one.then_some(())?;
        let mut free: Set<usize> = between.iter().copied().collect();
        let mut behind: Set<u32> = Set::new();
        let is_late = |x: &u32, behind: &Set<u32>| steps.written.contains(x) || behind.contains(x);
        // All that write an array, or none.
        loop {
            let count = free.len();
            for n in between.iter().filter(|n| free.contains(n)).copied().collect::<Vec<usize>>() {
                let written = self.nodes[n].writes();
                let is_bound = self.reads[n].iter().any(|r| is_late(&r.0, &behind))
                    || written
                        .iter()
                        .any(|x| behind.contains(x) || !self.writers[x].iter().all(|m| free.contains(m)));
                if is_bound {
                    behind.extend(written);
                    free.remove(&n);
                }
            }
            if free.len() == count {
                break;
            }
        }
        for (n, time) in &next.group {
            for (x, at) in &self.reads[*n] {
                if let Some(d) = steps.computed.get(x) {
                    (steps.time_of(&at[*d]) == Some(*time)).then_some(())?;
                } else {
                    (!is_late(x, &behind)).then_some(())?;
                }
            }
        }
        Some(free)
    }

    /// The members of a recurrence.
    fn steps(&self, f: &Function, rec: RecId, members: Vec<usize>, depth: usize) -> Steps {
        let written = members.iter().flat_map(|n| self.nodes[*n].writes());
        let dimension = |x: u32| {
            let s = f.definition(ArrayId(x))?;
            let time = s.step.as_ref()?.times.get(depth)?;
            s.gens.iter().position(|g| g == time)
        };
        let computed = written.clone().filter_map(|x| Some((x, dimension(x)?))).collect();
        let written = written.collect();
        let time = |n: &usize| self.nodes[*n].times.get(depth).copied();
        let group: Group = members.iter().filter_map(|n| Some((*n, time(n)?))).collect();
        let time = group.values().next().copied();
        let direction = if f.rec(rec).backward { Direction::Backward } else { Direction::Forward };
        let keep = f.rec(rec).keep.clone();
        Steps { direction, keep, members, time, group, written, computed, incomplete: Set::new() }
    }

    /// Takes what is cheap, and read by the steps alone at their times, out of what stands before them.
    fn leaders(&self, before: &mut Vec<usize>, steps: &mut Steps, open: &Open) {
        let mut kept = vec![];
        for n in before.drain(..).rev() {
            match self.leads(n, steps, open) {
                Some(i) => {
                    mark::hit(Mark::StepsLed);
                    steps.add(&self.nodes[n], n, i);
                }
                None => kept.push(n),
            }
        }
        kept.reverse();
        *before = kept;
    }

    /// The index of a node that is the time in whose step all of it is read.
    fn leads(&self, n: usize, steps: &Steps, open: &Open) -> Option<Index> {
        let node = &self.nodes[n];
        let x = node.array.0;
        let is_alone = self.is_alone(x) && !self.results.contains(&x);
        (self.may_join(n) && node.sums().is_empty() && is_alone).then_some(())?;
        let mut found = None;
        for r in self.readers.get(&x)?.iter() {
            let time = steps.group.get(r)?;
            for (_, at) in self.reads[*r].iter().filter(|read| read.0 == x) {
                let d = at.iter().position(|a| bare(a) == Some(*time))?;
                let i = bare(&node.target[d]);
                (i.is_some() && found.is_none_or(|f| Some(f) == i)).then_some(())?;
                found = i;
            }
        }
        found.filter(|i| self.fits(n, *i, steps, open) && self.is_cheap(n, open))
    }

    /// Takes the numbers that need nothing of the steps out of what stands behind them.
    fn numbers(&self, behind: &mut Vec<usize>, steps: &Steps) -> Vec<usize> {
        let mut others: Set<u32> = Set::new();
        let (mut numbers, mut kept) = (vec![], vec![]);
        for n in behind.drain(..) {
            let is_number = self.nodes[n].target.is_empty() && self.nodes[n].dims.is_empty();
            let is_late = |x: &u32| steps.written.contains(x) || others.contains(x);
            if is_number && !self.reads[n].iter().any(|r| is_late(&r.0)) {
                numbers.push(n);
            } else {
                others.extend(self.nodes[n].writes());
                kept.push(n);
            }
        }
        *behind = kept;
        numbers
    }

    /// Takes what reads the steps at their times out of what stands behind them.
    fn followers(
        &self,
        behind: &mut Vec<usize>,
        steps: &mut Steps,
        open: &Open,
        may_join: &dyn Fn(usize) -> bool,
    ) {
        let is_half = |n: &usize| !self.may_join(*n) && !matches!(self.nodes[*n].kind, Kind::Call(_));
        let halves: Set<u32> = behind.iter().filter(|n| is_half(n)).map(|n| self.nodes[*n].array.0).collect();
        let all: Set<usize> = behind.iter().copied().collect();
        let others = |r: usize| all.contains(&r) || may_join(r);
        let mut kept = vec![];
        for unit in behind.chunk_by(|n, m| self.nodes[*n].array == self.nodes[*m].array) {
            let x = self.nodes[unit[0]].array.0;
            let follows = |n: usize, steps: &Steps| {
                let index = self.follows(n, steps).filter(|_| !halves.contains(&x))?;
                (self.is_cheap(n, open) || self.spares(n, steps, &others)).then_some(index)
            };
            let found: Vec<Option<Option<Index>>> = unit.iter().map(|n| follows(*n, steps)).collect();
            let whole = self
                .whole(unit, &found)
                .filter(|(_, all)| unit.iter().zip(all).all(|(n, i)| self.fits(*n, *i, steps, open)));
            if let Some((d, all)) = whole {
                mark::hit(Mark::StepsFollowed);
                unit.iter().zip(all).for_each(|(n, i)| steps.add(&self.nodes[*n], *n, i));
                steps.computed.insert(x, d);
                continue;
            }
            steps.incomplete.extend(unit.iter().flat_map(|n| self.nodes[*n].writes()));
            for (n, found) in unit.iter().zip(found) {
                match found.flatten().filter(|i| self.fits(*n, *i, steps, open)) {
                    Some(i) => {
                        mark::hit(Mark::StepsFollowed);
                        steps.add(&self.nodes[*n], *n, i);
                    }
                    None => kept.push(*n),
                }
            }
        }
        *behind = kept;
    }

    /// If these are all that write an array, of which each step computes the elements of its time: that dimension, and the time of each.
    fn whole(&self, unit: &[usize], found: &[Option<Option<Index>>]) -> Option<(usize, Vec<Index>)> {
        (self.writers.get(&self.nodes[unit[0]].array.0)?.len() == unit.len()).then_some(())?;
        let mut times = unit.iter().zip(found).filter_map(|(n, found)| self.nodes[*n].position((*found)??));
        let d = times.next()?;
        let time = |(n, found): (&usize, &Option<Option<Index>>)| {
            let i = bare(&self.nodes[*n].target[d])?;
            (*found)?.is_none_or(|f| f == i).then_some(i)
        };
        Some((d, unit.iter().zip(found).map(time).collect::<Option<_>>()?))
    }

    /// The index of a node that is the time at which it reads what the steps compute; `None` inside if it reads none of that; none if it reads what is not there before
    /// the end of a step.
    fn follows(&self, n: usize, steps: &Steps) -> Option<Option<Index>> {
        self.may_join(n).then_some(())?;
        let mut found = None;
        for (x, at) in &self.reads[n] {
            (!steps.incomplete.contains(x)).then_some(())?;
            let Some(d) = steps.computed.get(x) else { continue };
            let i = steps.time_of(&at[*d]);
            (i.is_some() && found.is_none_or(|f| Some(f) == i)).then_some(())?;
            found = i;
        }
        Some(found)
    }

    /// Whether nothing else reads what a node reads of the steps: if it runs in them, it is not stored.
    fn spares(&self, n: usize, steps: &Steps, others: &dyn Fn(usize) -> bool) -> bool {
        let is_in = |r: &usize| steps.group.contains_key(r) || others(*r);
        let is_spared = |x: u32| {
            !self.results.contains(&x) && self.readers.get(&x).is_none_or(|all| all.iter().all(is_in))
        };
        self.reads[n].iter().map(|r| r.0).filter(|x| steps.computed.contains_key(x)).all(is_spared)
    }

    /// Whether one node alone writes an array.
    fn is_alone(&self, x: u32) -> bool {
        self.writers.get(&x).is_some_and(|all| all.len() == 1)
    }

    /// Whether a node is computed element by element.
    pub(super) fn may_join(&self, n: usize) -> bool {
        let node = &self.nodes[n];
        matches!(node.kind, Kind::Value(_) | Kind::Extreme(..))
            && node.dense.is_none()
            && node.triangle.is_none()
    }

    /// Whether a loop of a node is about as long as the steps, and may be theirs.
    fn fits(&self, n: usize, i: Index, steps: &Steps, open: &Open) -> bool {
        open[&n].contains(&i) && steps.time.is_some_and(|t| self.same_extent(t, i))
    }

    /// Whether a node may as well be computed for one step at a time: functions of numbers run in lanes elsewhere.
    fn is_cheap(&self, n: usize, open: &Open) -> bool {
        let node = &self.nodes[n];
        let cost = || node.values().into_iter().map(operations).sum::<f64>();
        let in_lanes = open[&n].len() > 1 || node.dims.iter().any(|i| self.batched.contains(i));
        in_lanes || cost() < weights::cost::FUNCTION
    }

    /// The sections inside the steps of a recurrence: what joined them stands right before what reads it, or right behind what it reads.
    fn inside(&self, f: &Function, members: &[usize], group: &Group, depth: usize) -> Vec<Section> {
        let mut all = Section::all(f, self.nodes, members, depth);
        let mut place: Map<usize, usize> = Map::new();
        for (k, s) in all.iter().enumerate() {
            s.nodes.iter().for_each(|n| {
                place.insert(*n, k);
            });
        }
        let (mut leaders, mut followers): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
        let first = members.first().copied().unwrap_or_default();
        let is_member = |n: &usize| members.binary_search(n).is_ok();
        for n in group.keys().copied().filter(|n| !is_member(n)) {
            if n < first { leaders.push(n) } else { followers.push(n) }
        }
        for n in leaders.into_iter().rev() {
            let readers = self.nodes[n].writes().into_iter().flat_map(|x| self.readers.get(&x));
            // What a member reads behind inner steps may join these with it: before them.
            let before = |r: &usize| {
                let k = *place.get(r)?;
                Some(if is_member(r) { k.saturating_sub(1) / 2 * 2 } else { k })
            };
            let k = readers.flat_map(|r| r.iter()).filter_map(before).min().unwrap_or_default();
            all[k].nodes.push(n);
            place.insert(n, k);
        }
        for n in followers {
            let written = self.reads[n].iter().filter_map(|r| self.writers.get(&r.0)).flatten();
            let at = written.filter_map(|m| place.get(m)).max();
            let k = at.map_or(0, |k| k.div_ceil(2) * 2);
            all[k].nodes.push(n);
            place.insert(n, k);
        }
        all.iter_mut().for_each(|s| sorted::sort(&mut s.nodes));
        all
    }
}
