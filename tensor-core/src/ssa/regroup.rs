//! Which statements are recs: the cycles of reads, and nothing else.
//!
//! A statement may run along some sequential dimensions. What is in no cycle does not: it stands before or behind, and its times are gens like
//! others. A cycle is a rec along the first dimension that carries one of its reads, from an earlier time; the reads that are left make the recs
//! within it.

use super::rec::{Rec, RecId, Step};
use super::{ArrayId, Function, Index};
use crate::ast::Keep;
use crate::index::omega::Work;
use crate::index::query::is_empty;
use crate::index::{Affine, Pred, cond};
use crate::sorted::{Map, Set};

/// A sequential dimension of a program.
#[derive(Clone, Debug)]
pub struct Level {
    /// A hint for printing.
    pub name: String,
    /// Whether it runs from the last time to the first.
    pub backward: bool,
    /// What the reverse sweep finds stored, if that is said.
    pub keep: Option<Keep>,
}

/// By array: along which levels it may run, by their numbers, and by which of its gens.
pub type Along = Map<ArrayId, Vec<(usize, Index)>>;

/// A read of one statement by another, by their places.
struct Read {
    by: usize,
    of: usize,
    guard: Pred,
    at: Vec<Affine>,
}

struct Grouping<'a> {
    f: &'a Function,
    levels: &'a [Level],
    /// By statement: its dimensions that may be sequential, outermost first.
    along: Vec<Vec<(usize, Index)>>,
    /// In their new order, with their steps.
    out: Vec<(usize, Option<Step>)>,
    recs: Vec<Rec>,
}

/// The function with its recs, of which `along` says along which levels each array may run, outermost first. None if a cycle runs along none.
#[must_use]
pub fn regrouped(f: Function, levels: &[Level], along: &Along) -> Option<Function> {
    if levels.is_empty() {
        return Some(f);
    }
    let of = |a: &ArrayId| along.get(a).cloned().unwrap_or_default();
    let mut g = Grouping {
        along: f.stmts.iter().map(|s| of(&s.array)).collect(),
        f: &f,
        levels,
        out: vec![],
        recs: vec![],
    };
    let reads = g.reads();
    let all: Vec<usize> = (0..f.stmts.len()).collect();
    g.group(&all, &reads.iter().collect::<Vec<_>>(), &mut vec![], None)?;
    let Grouping { out, recs, .. } = g;
    let stmts = out.into_iter().map(|(k, step)| super::Stmt { step, ..f.stmts[k].clone() }).collect();
    Some(Function { stmts, recs, ..f })
}

/// The recs of a function as levels, and along which of these each of its arrays runs.
#[must_use]
pub fn levels(f: &Function) -> (Vec<Level>, Along) {
    let level = |r: &Rec| Level { name: r.name.clone(), backward: r.backward, keep: r.keep.clone() };
    let along = |s: &super::Stmt| {
        let recs = f.recs_of(s).into_iter().map(|r| r.0 as usize);
        let times = s.step.iter().flat_map(|step| step.times.iter().copied());
        (s.array, recs.zip(times).collect())
    };
    let members = f.stmts.iter().filter(|s| s.step.is_some());
    (f.recs.iter().map(level).collect(), members.map(along).collect())
}

/// The function with the recs that it still needs: what is in no cycle is in none.
#[must_use]
pub fn regroup(f: Function) -> Function {
    let (levels, along) = levels(&f);
    if along.is_empty() {
        return f;
    }
    regrouped(f.clone(), &levels, &along).unwrap_or(f)
}

impl Grouping<'_> {
    fn reads(&self) -> Vec<Read> {
        let places: Map<ArrayId, usize> =
            self.f.stmts.iter().enumerate().map(|(k, s)| (s.array, k)).collect();
        let mut out = vec![];
        for (by, s) in self.f.stmts.iter().enumerate() {
            self.f.each_read(s, &mut |guard, a| {
                if let Some(of) = places.get(&a.array) {
                    out.push(Read { by, of: *of, guard: guard.to_vec(), at: a.at.clone() });
                }
            });
        }
        out
    }

    /// Puts statements in order, those of cycles in recs within `around`, along levels that are not in `used`.
    fn group(
        &mut self,
        items: &[usize],
        reads: &[&Read],
        used: &mut Vec<usize>,
        around: Option<RecId>,
    ) -> Option<()> {
        let cycles = components(items, reads);
        let part: Map<usize, usize> =
            cycles.iter().enumerate().flat_map(|(n, p)| p.iter().map(move |k| (*k, n))).collect();
        let mut within: Vec<Vec<&Read>> = cycles.iter().map(|_| vec![]).collect();
        for r in reads {
            if let Some(n) = part.get(&r.by).filter(|n| part.get(&r.of) == Some(n)) {
                within[*n].push(r);
            }
        }
        for (cycle, inner) in cycles.into_iter().zip(within) {
            if inner.is_empty() {
                let step = around.map(|rec| Step { rec, times: self.times(cycle[0], used) });
                self.out.push((cycle[0], step));
            } else {
                self.cycle(&cycle, &inner, used, around)?;
            }
        }
        Some(())
    }

    /// A rec along the first level that carries a read.
    fn cycle(
        &mut self,
        cycle: &[usize],
        reads: &[&Read],
        used: &mut Vec<usize>,
        around: Option<RecId>,
    ) -> Option<()> {
        let all = |level: &usize| cycle.iter().all(|k| self.along[*k].iter().any(|(l, _)| l == level));
        let candidates: Vec<usize> =
            self.along[cycle[0]].iter().map(|(l, _)| *l).filter(|l| !used.contains(l) && all(l)).collect();
        for level in candidates {
            let left: Vec<&Read> = reads.iter().filter(|r| !self.is_carried(r, level)).copied().collect();
            if left.len() == reads.len() {
                continue;
            }
            let Level { name, backward, keep } = self.levels[level].clone();
            let id = RecId(u32::try_from(self.recs.len()).ok()?);
            self.recs.push(Rec { name, within: around, backward, keep });
            used.push(level);
            self.group(cycle, &left, used, Some(id))?;
            used.pop();
            return Some(());
        }
        None
    }

    fn times(&self, k: usize, used: &[usize]) -> Vec<Index> {
        let time = |level: &usize| self.along[k].iter().find(|(l, _)| l == level).map(|(_, i)| *i);
        used.iter().filter_map(time).collect()
    }

    /// Whether what is read along a level is always of another time, and so of an earlier one.
    fn is_carried(&self, r: &Read, level: usize) -> bool {
        let time = |k: usize| self.along[k].iter().find(|(l, _)| *l == level).map(|(_, i)| *i);
        let (Some(own), Some(read)) = (time(r.by), time(r.of)) else { return false };
        let Some(at) = self.f.stmts[r.of].gens.iter().position(|g| *g == read) else { return false };
        let Some(same) = r.at.get(at).and_then(|at| cond::eq(at, &own.affine())) else { return false };
        let here = self.f.ranges_of(&self.f.stmts[r.by]);
        let p: [&[_]; 4] = [&self.f.assumptions, &here, &r.guard, std::slice::from_ref(&same)];
        // A place that is read is in its range.
        let facts = self.f.facts_in(here.iter().chain(&r.guard).chain([&same]));
        is_empty(&p, &facts, &mut Work::default())
    }
}

/// The strongly connected components of some statements, each after those that it reads and otherwise in the order of the list.
pub(in crate::ssa) fn strongly_connected(
    items: &[usize],
    edges: &dyn Fn(usize) -> Vec<usize>,
) -> Vec<Vec<usize>> {
    let mut state = Tarjan::default();
    for start in items {
        state.from(*start, edges);
    }
    let mut parts = state.parts;
    parts.iter_mut().for_each(|p| p.sort_unstable());
    let part: Map<usize, usize> =
        parts.iter().enumerate().flat_map(|(n, p)| p.iter().map(move |k| (*k, n))).collect();
    let needs: Vec<Set<usize>> = parts
        .iter()
        .enumerate()
        .map(|(n, p)| {
            let all = p.iter().flat_map(|k| edges(*k)).filter_map(|k| part.get(&k).copied());
            all.filter(|m| *m != n).collect()
        })
        .collect();
    let mut left: Vec<usize> = (0..parts.len()).collect();
    left.sort_by_key(|n| parts[*n].first().copied());
    let (mut done, mut out) = (vec![false; parts.len()], vec![]);
    // The reads of components are no cycle: one is always ready.
    while let Some(at) = left.iter().position(|n| needs[*n].iter().all(|m| done[*m])) {
        let n = left.remove(at);
        done[n] = true;
        out.push(std::mem::take(&mut parts[n]));
    }
    out
}

fn components(items: &[usize], reads: &[&Read]) -> Vec<Vec<usize>> {
    let own: Set<usize> = items.iter().copied().collect();
    let mut edges: Map<usize, Vec<usize>> = Map::new();
    for r in reads.iter().filter(|r| own.contains(&r.by) && own.contains(&r.of)) {
        edges.entry(r.by).or_default().push(r.of);
    }
    strongly_connected(items, &|k| edges.get(&k).cloned().unwrap_or_default())
}

/// Tarjan's algorithm, without recursion.
#[derive(Default)]
struct Tarjan {
    index: Map<usize, usize>,
    low: Map<usize, usize>,
    stack: Vec<usize>,
    parts: Vec<Vec<usize>>,
}

impl Tarjan {
    fn from(&mut self, start: usize, edges: &dyn Fn(usize) -> Vec<usize>) {
        if self.index.contains_key(&start) {
            return;
        }
        let mut open = vec![(start, self.enter(start, edges))];
        while let Some((k, rest)) = open.last_mut() {
            let k = *k;
            match rest.pop() {
                Some(next) if !self.index.contains_key(&next) => {
                    let of_next = self.enter(next, edges);
                    open.push((next, of_next));
                }
                Some(next) => {
                    if self.stack.contains(&next) {
                        self.lower(k, self.index.get(&next).copied());
                    }
                }
                None => {
                    open.pop();
                    let low = self.low.get(&k).copied();
                    if let Some((before, _)) = open.last() {
                        self.lower(*before, low);
                    }
                    if low == self.index.get(&k).copied() {
                        let at = self.stack.iter().position(|j| *j == k).unwrap_or(0);
                        self.parts.push(self.stack.split_off(at));
                    }
                }
            }
        }
    }

    fn enter(&mut self, k: usize, edges: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
        let n = self.index.len();
        self.index.insert(k, n);
        self.low.insert(k, n);
        self.stack.push(k);
        edges(k)
    }

    fn lower(&mut self, k: usize, to: Option<usize>) {
        if let (Some(low), Some(to)) = (self.low.get_mut(&k), to) {
            *low = (*low).min(to);
        }
    }
}
