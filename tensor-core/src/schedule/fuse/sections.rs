//! Recurrences, one after the other, and what stands between them.
//!
//! The steps of a recurrence are a loop. What stands before it and is read by its steps alone, each at its time, is computed in them if it is cheap, and
//! what stands behind it and reads what each step has computed runs in them, too: nothing of it is stored then.

use super::{Fuser, Group, Item, Loop, Open};
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
    rec: Option<RecId>,
    nodes: Vec<usize>,
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

/// What is computed in the steps of one recurrence.
struct Joined {
    /// The members and what joins them, by the indices that are their times.
    group: Group,
    /// By array that they compute: the dimension that is the time.
    computed: Map<u32, usize>,
    /// What of it no step has complete.
    incomplete: Set<u32>,
    /// The range of the times.
    time: Option<Index>,
}

impl Fuser<'_> {
    /// Sections inside so many recurrences as loops, by what dimensions of their nodes are open.
    pub(super) fn sections(
        &self,
        f: &Function,
        mut all: Vec<Section>,
        open: &Open,
        depth: usize,
    ) -> Vec<Item> {
        let mut steps: Vec<Joined> =
            all.iter().skip(1).step_by(2).map(|s| self.steps(f, &s.nodes, depth)).collect();
        for (k, steps) in steps.iter_mut().enumerate() {
            self.leaders(&mut all[2 * k].nodes, steps, open);
        }
        for (k, steps) in steps.iter_mut().enumerate() {
            let numbers = self.numbers(&mut all[2 * k + 2].nodes, steps);
            all[2 * k].nodes.extend(numbers);
            sorted::sort(&mut all[2 * k].nodes);
            self.followers(&mut all[2 * k + 2].nodes, steps, open);
            // Some of it may be read by what has joined alone.
            self.leaders(&mut all[2 * k].nodes, steps, open);
        }
        let mut steps = steps.into_iter();
        let mut out = vec![];
        for section in all {
            let Some(rec) = section.rec else {
                out.extend(self.build(&section.nodes.iter().map(|n| (*n, open[n].clone())).collect()));
                continue;
            };
            let Some(Joined { group, .. }) = steps.next() else { continue };
            let rest = |(n, i): (&usize, &Index)| {
                (*n, open[n].iter().copied().filter(|j| j != i).collect::<Vec<Index>>())
            };
            let inner: Open = group.iter().map(rest).collect();
            let kids = self.sections(f, self.inside(f, &section, &group, depth + 1), &inner, depth + 1);
            let direction = if f.rec(rec).backward { Direction::Backward } else { Direction::Forward };
            out.push(Item::Loop(Loop { members: group, id: 0, kids, outside: None, steps: Some(direction) }));
        }
        out
    }

    /// The members of a recurrence.
    fn steps(&self, f: &Function, members: &[usize], depth: usize) -> Joined {
        let written = members.iter().flat_map(|n| self.nodes[*n].writes());
        let dimension = |x: u32| {
            let s = f.definition(ArrayId(x))?;
            let time = s.step.as_ref()?.times.get(depth)?;
            s.gens.iter().position(|g| g == time)
        };
        let computed = written.filter_map(|x| Some((x, dimension(x)?))).collect();
        let time = |n: &usize| self.nodes[*n].times.get(depth).copied();
        let group: Group = members.iter().filter_map(|n| Some((*n, time(n)?))).collect();
        let time = group.values().next().copied();
        Joined { time, group, computed, incomplete: Set::new() }
    }

    /// Takes what is cheap, and read by the steps alone at their times, out of what stands before them.
    fn leaders(&self, before: &mut Vec<usize>, steps: &mut Joined, open: &Open) {
        let mut kept = vec![];
        for n in before.drain(..).rev() {
            match self.leads(n, steps, open) {
                Some(i) => {
                    mark::hit(Mark::StepsLed);
                    steps.group.insert(n, i);
                }
                None => kept.push(n),
            }
        }
        kept.reverse();
        *before = kept;
    }

    /// The index of a node that is the time in whose step all of it is read.
    fn leads(&self, n: usize, steps: &Joined, open: &Open) -> Option<Index> {
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
        found.filter(|i| self.fits(n, *i, steps, open))
    }

    /// Takes the numbers that need nothing of the steps out of what stands behind them.
    fn numbers(&self, behind: &mut Vec<usize>, steps: &Joined) -> Vec<usize> {
        let mut needed: Set<u32> = steps.computed.keys().copied().collect();
        let (mut numbers, mut kept) = (vec![], vec![]);
        for n in behind.drain(..) {
            let is_number = self.nodes[n].target.is_empty() && self.nodes[n].dims.is_empty();
            if is_number && !self.reads[n].iter().any(|r| needed.contains(&r.0)) {
                numbers.push(n);
            } else {
                needed.extend(self.nodes[n].writes());
                kept.push(n);
            }
        }
        *behind = kept;
        numbers
    }

    /// Takes what reads the steps at their times out of what stands behind them.
    fn followers(&self, behind: &mut Vec<usize>, steps: &mut Joined, open: &Open) {
        let is_half = |n: &usize| !self.may_join(*n) && !matches!(self.nodes[*n].kind, Kind::Call(_));
        let halves: Set<u32> = behind.iter().filter(|n| is_half(n)).map(|n| self.nodes[*n].array.0).collect();
        let mut kept = vec![];
        for n in behind.drain(..) {
            let node = &self.nodes[n];
            let index = self.follows(n, steps, open).filter(|_| !halves.contains(&node.array.0));
            let Some(i) = index else {
                steps.incomplete.extend(node.writes());
                kept.push(n);
                continue;
            };
            mark::hit(Mark::StepsFollowed);
            steps.group.insert(n, i);
            match node.position(i).filter(|_| self.is_alone(node.array.0)) {
                Some(d) => {
                    steps.computed.insert(node.array.0, d);
                }
                None => {
                    steps.incomplete.insert(node.array.0);
                }
            }
        }
        *behind = kept;
    }

    /// The index of a node that is the time at which it reads what the steps compute, if it reads nothing else that is not there before them.
    fn follows(&self, n: usize, steps: &Joined, open: &Open) -> Option<Index> {
        self.may_join(n).then_some(())?;
        let mut found = None;
        for (x, at) in &self.reads[n] {
            (!steps.incomplete.contains(x)).then_some(())?;
            let Some(d) = steps.computed.get(x) else { continue };
            let i = bare(&at[*d]);
            (i.is_some() && found.is_none_or(|f| Some(f) == i)).then_some(())?;
            found = i;
        }
        found.filter(|i| self.fits(n, *i, steps, open))
    }

    /// Whether one node alone writes an array.
    fn is_alone(&self, x: u32) -> bool {
        self.writers.get(&x).is_some_and(|all| all.len() == 1)
    }

    /// Whether a node is computed element by element.
    fn may_join(&self, n: usize) -> bool {
        let node = &self.nodes[n];
        matches!(node.kind, Kind::Value(_)) && node.dense.is_none() && node.triangle.is_none()
    }

    /// Whether a loop of a node is as long as the steps, and may be theirs: functions that would be called for one number at a time run in lanes elsewhere.
    fn fits(&self, n: usize, i: Index, steps: &Joined, open: &Open) -> bool {
        let range = |i: Index| self.extents.get(&i);
        let is_long = steps.time.is_some_and(|t| range(t).is_some() && range(t) == range(i));
        let cost = || self.nodes[n].values().into_iter().map(operations).sum::<f64>();
        is_long && open[&n].contains(&i) && (open[&n].len() > 1 || cost() < weights::cost::FUNCTION)
    }

    /// The sections inside the steps of a recurrence: what joined them stands right before what reads it, or right behind what it reads.
    fn inside(&self, f: &Function, section: &Section, group: &Group, depth: usize) -> Vec<Section> {
        let mut all = Section::all(f, self.nodes, &section.nodes, depth);
        let mut place: Map<usize, usize> = Map::new();
        for (k, s) in all.iter().enumerate() {
            s.nodes.iter().for_each(|n| {
                place.insert(*n, k);
            });
        }
        let members: Set<usize> = section.nodes.iter().copied().collect();
        let (mut leaders, mut followers): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
        let first = section.nodes.first().copied().unwrap_or_default();
        for n in group.keys().copied().filter(|n| !members.contains(n)) {
            if n < first { leaders.push(n) } else { followers.push(n) }
        }
        for n in leaders.into_iter().rev() {
            let readers = self.nodes[n].writes().into_iter().flat_map(|x| self.readers.get(&x));
            // What a member reads behind inner steps may join these with it: before them.
            let before = |r: &usize| {
                let k = *place.get(r)?;
                Some(if members.contains(r) { k.saturating_sub(1) / 2 * 2 } else { k })
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
