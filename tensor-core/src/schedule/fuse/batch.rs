//! Recurrences that run side by side, as those of many series, in one loop around their steps.
//!
//! ```text
//! for i, t { y[i, t] = a y[i, t - 1] + x[i, t] }   →   i { steps t { … } }, not steps t { i { … } }
//! ```
//!
//! Inside of it a state is a number, which lanes keep in registers, and what the reverse sweep reads is that of one iteration, or of as many as run in lanes.
//! Such a loop is an index that all that is read between its statements has alone, at the same place: of which each iteration needs nothing of another. These are
//! classes of what reads and writes at bare indices join.

use super::sections::Section;
use super::{Fuser, Group, Item, Loop, Open};
use crate::classes::classes;
use crate::index::Affine;
use crate::mark::{self, Mark};
use crate::schedule::node::{Kind, scalar_reads};
use crate::schedule::range::bare;
use crate::sorted::Set;
use crate::ssa::{ArrayId, Function, Index};
use crate::weights;

/// A loop around recurrences, and what stands before and behind it.
struct Batch {
    before: Vec<usize>,
    group: Group,
    behind: Vec<usize>,
}

/// An index of a node, or a dimension of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Of(usize, Index),
    At(u32, usize),
}

/// Whether an array has a few elements, whatever the sizes.
fn is_small(extents: &[Affine]) -> bool {
    let count = |n: i64, e: &Affine| n.checked_mul(e.as_constant()?);
    extents.iter().try_fold(1, count).is_some_and(|n| n <= weights::schedule::TOTALS)
}

/// See [`Fuser::of_arguments`].
pub(super) fn of_arguments(f: &Function) -> Set<u32> {
    let mut out: Set<u32> = f.params.iter().map(|x| x.0).collect();
    for s in f.stmts.iter().filter(|s| !s.is_member()) {
        let extents = &f.array(s.array).extents;
        let (mut of_these, mut is_as_large) = (true, extents.is_empty());
        f.reads(s, &mut |_, x| {
            of_these &= out.contains(&x.0);
            is_as_large |= f.array(x).extents == *extents;
        });
        if of_these && is_as_large {
            out.insert(s.array.0);
        }
    }
    out
}

impl Fuser<'_> {
    /// Sections as loops, at most so many times those around the steps of several recurrences.
    pub(super) fn batches(&mut self, f: &Function, all: Vec<Section>, open: &Open, most: usize) -> Vec<Item> {
        let batch = self.batch(f, &all, open).filter(|_| most > 0);
        let Some(Batch { before, group, behind }) = batch else { return self.sections(f, all, open, 0) };
        let section = |fuser: &Self, nodes: &[usize]| Section::all(f, fuser.nodes, nodes, 0);
        let mut out = self.batches(f, section(self, &before), open, most - 1);
        let rest = |(n, i): (&usize, &Index)| {
            (*n, open[n].iter().copied().filter(|j| j != i).collect::<Vec<Index>>())
        };
        self.batched.extend(group.values().copied());
        let nodes: Vec<usize> = group.keys().copied().collect();
        let kids = self.batches(f, section(self, &nodes), &group.iter().map(rest).collect(), most - 1);
        out.push(Item::Loop(Loop { members: group, id: 0, kids, outside: None, steps: None, keep: None }));
        out.extend(self.batches(f, section(self, &behind), open, most - 1));
        out
    }

    /// A loop around recurrences of some sections, if there is one: of several the one with the far strides.
    fn batch(&self, f: &Function, all: &[Section], open: &Open) -> Option<Batch> {
        let members: Set<usize> =
            all.iter().filter(|s| s.rec.is_some()).flat_map(|s| s.nodes.iter().copied()).collect();
        if members.iter().all(|n| open[n].len() < 2) {
            return None;
        }
        let (mut pairs, nodes) = (vec![], all.iter().flat_map(|s| &s.nodes));
        let written: Set<u32> = nodes.clone().flat_map(|n| self.nodes[*n].writes()).collect();
        for n in nodes {
            let node = &self.nodes[*n];
            let targets = node.writes().into_iter().map(|x| (x, &node.target));
            let reads = self.reads[*n].iter().filter(|r| written.contains(&r.0)).map(|(x, at)| (*x, at));
            for (x, at) in targets.chain(reads) {
                for (d, i) in at.iter().enumerate().filter_map(|(d, e)| Some((d, bare(e)?))) {
                    pairs.push((Side::At(x, d), Side::Of(*n, i)));
                }
            }
        }
        let asked: Set<u32> = scalar_reads(f).into_iter().map(|r| r.0).collect();
        let mut best: Option<(i64, Batch)> = None;
        let around = |sides: &Vec<Side>| {
            let group = self.group(f, sides, open)?;
            let is_around = group.keys().any(|n| members.contains(n));
            (is_around && self.stay(f, sides, &group, &asked)).then_some(group)
        };
        for group in classes(&pairs).iter().filter_map(around).take(weights::schedule::BATCHES) {
            let Some(batch) = self.cut(f, all, group) else { continue };
            let stride = batch.group.iter().map(|(n, i)| self.stride(*n, *i)).sum();
            if best.as_ref().is_none_or(|b| b.0 < stride) {
                best = Some((stride, batch));
            }
        }
        let batch = best?.1;
        mark::hit(Mark::StepsInBatch);
        Some(batch)
    }

    /// The nodes that may run in a loop, one index of each, all of the same range.
    fn group(&self, f: &Function, sides: &[Side], open: &Open) -> Option<Group> {
        let mut group = Group::new();
        let mut range = None;
        for side in sides {
            let Side::Of(n, i) = *side else { continue };
            if !open[&n].contains(&i) || !self.may_run(f, n, i) {
                continue;
            }
            let own = self.extents.get(&i)?;
            let is_one = range.is_none_or(|r| r == own) && group.insert(n, i).is_none();
            range = Some(own).filter(|_| is_one);
            range?;
        }
        let (first, last) = range?;
        let count = last.plus_scaled(-1, first)?.as_constant();
        count.is_none_or(|n| n + 1 >= weights::schedule::BATCH).then_some(group)
    }

    /// Whether a node may run in a loop around steps: its index is no time, and what it sums over it are totals.
    fn may_run(&self, f: &Function, n: usize, i: Index) -> bool {
        let node = &self.nodes[n];
        self.may_join(n) && !node.times.contains(&i) && (!node.is_sum(i) || self.is_total(f, n))
    }

    /// Whether a node sums to a few numbers, or to as many for each time of a recurrence.
    fn is_total(&self, f: &Function, n: usize) -> bool {
        let node = &self.nodes[n];
        let is_time = |(x, at): &(u32, Vec<Affine>), i: Index| {
            let Some(s) = f.definition(ArrayId(*x)) else { return false };
            let times = s.step.iter().flat_map(|step| &step.times);
            times.filter_map(|t| s.gens.iter().position(|g| g == t)).any(|d| bare(&at[d]) == Some(i))
        };
        let walks = |e: &Affine| match bare(e) {
            Some(i) => self.reads[n].iter().any(|r| is_time(r, i)),
            None => e.indices().is_empty(),
        };
        let extents = node.target.iter().zip(&f.array(node.array).extents);
        let others: Vec<Affine> = extents.filter(|(at, _)| !walks(at)).map(|(_, e)| e.clone()).collect();
        matches!(node.kind, Kind::Value(_)) && is_small(&others)
    }

    /// What stands before a group and behind it, if all of the recurrences in it are whole.
    fn cut(&self, f: &Function, all: &[Section], group: Group) -> Option<Batch> {
        let has = |n: &usize| group.contains_key(n);
        for s in all.iter().filter(|s| s.nodes.iter().any(has)) {
            let Some(rec) = s.rec else { continue };
            let is_free = |n: &usize| group.get(n).is_some_and(|i| !self.nodes[*n].is_sum(*i));
            (f.rec(rec).keep.is_none() && s.nodes.iter().all(is_free)).then_some(())?;
        }
        let (totals, others): (Vec<_>, Vec<_>) = group.iter().partition(|(n, i)| self.nodes[**n].is_sum(**i));
        let is_whole = |n: &usize| self.nodes[*n].writes().iter().all(|x| self.writers[x].iter().all(has));
        others.iter().all(|(n, _)| is_whole(n)).then_some(())?;
        let mut late: Set<u32> = totals.iter().flat_map(|(n, _)| self.nodes[**n].writes()).collect();
        let mut made: Set<u32> = group.keys().flat_map(|n| self.nodes[*n].writes()).collect();
        let (mut before, mut behind) = (vec![], vec![]);
        for s in all {
            let reads = |n: &usize, of: &Set<u32>| self.reads[*n].iter().any(|r| of.contains(&r.0));
            let units =
                if s.rec.is_some() { s.nodes.chunks(s.nodes.len().max(1)) } else { s.nodes.chunks(1) };
            for unit in units {
                if unit.iter().any(has) {
                    (!unit.iter().any(|n| reads(n, &late) || self.reads_times(f, *n, &made))).then_some(())?;
                } else if unit.iter().any(|n| reads(n, &made)) {
                    let written = unit.iter().flat_map(|n| self.nodes[*n].writes());
                    written.for_each(|x| {
                        late.insert(x);
                        made.insert(x);
                    });
                    behind.extend_from_slice(unit);
                } else {
                    before.extend_from_slice(unit);
                }
            }
        }
        Some(Batch { before, group, behind })
    }

    /// Whether a node reads what others than these have computed for each time, and no argument is as large: steps that are outside need not store that.
    fn reads_times(&self, f: &Function, n: usize, made: &Set<u32>) -> bool {
        let node = &self.nodes[n];
        self.reads[n].iter().filter(|r| !self.of_arguments.contains(&r.0) && !made.contains(&r.0)).any(
            |(x, at)| {
                let is_time = |a: &Affine| node.times.iter().any(|t| a.mentions(&t.atom()));
                let is_long = || f.array(ArrayId(*x)).extents.iter().any(|e| !e.is_constant());
                if node.times.is_empty() { is_long() } else { at.iter().any(is_time) }
            },
        )
    }

    /// Whether arrays that a group computes by these dimensions are read in it alone, each element by the iteration that computes it, or else are stored: results, and
    /// what has few elements for each iteration.
    fn stay(&self, f: &Function, sides: &[Side], group: &Group, asked: &Set<u32>) -> bool {
        sides.iter().all(|side| {
            let Side::At(x, d) = *side else { return true };
            let is_own = |n: &usize| group.get(n).is_some_and(|i| self.nodes[*n].position(*i) == Some(d));
            if !self.writers[&x].iter().any(is_own) {
                return true;
            }
            let mut others = f.array(ArrayId(x)).extents.clone();
            others.remove(d);
            let is_stored = self.results.contains(&x) || is_small(&others);
            let stays = |r: &usize| match group.get(r) {
                None => is_stored,
                Some(i) => {
                    let mut reads = self.reads[*r].iter().filter(|read| read.0 == x);
                    reads.all(|(_, at)| bare(&at[d]) == Some(*i))
                }
            };
            (is_stored || !asked.contains(&x)) && self.readers.get(&x).is_none_or(|all| all.iter().all(stays))
        })
    }
}
