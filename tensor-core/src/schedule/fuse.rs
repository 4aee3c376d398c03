//! Fusion: nodes into a tree of loops.
//!
//! `build(nodes)`: while nodes have open dimensions, `grow` a group from every seed (node, index) and keep the best by
//! score; each group is a loop, with the same inside. `grow`: add (m, index of m) while every access along every edge
//! between m and the group is bare in the loop's index, which is free in the writer, and the group stays convex.

mod batch;
mod graph;
mod grow;
mod outside;
mod sections;

use super::node::{Kind, Node, extent};
use super::range::{bare, bounds, own_bounds};
use super::steps::Steps;
use crate::ast::Keep;
use crate::index::{Affine, Atom};
use crate::loops::Direction;
use crate::loops::outside::Outside;
use crate::sorted::{self, Map, Set};
use crate::ssa::{Function, Index};
use crate::weights;
use crate::weights::schedule::{STRIDE, SUMMED};
use graph::{Bits, Graph};
use outside::best;
use sections::Section;

/// A tree of loops.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// One loop around several nodes.
    Loop(Loop),
    /// One node, inside all its loops.
    Leaf(usize),
}

/// A loop around the nodes in `members`, each by its own index.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// `node → its index`.
    pub members: Group,
    /// Unique in the tree.
    pub id: usize,
    /// What runs inside, in order.
    pub kids: Vec<Item>,
    /// Why not inside one of theirs, where there is one.
    pub outside: Option<Outside>,
    /// In which direction its iterations run, if they are the steps of a recurrence.
    pub steps: Option<Direction>,
    /// Of which of these steps the reverse sweep finds states stored; none: of all.
    pub keep: Option<Keep>,
}

type Group = Map<usize, Index>;
type Open = Map<usize, Vec<Index>>;
/// By node: arrays, and where it reads them.
type Reads = Vec<Vec<(u32, Vec<Affine>)>>;

struct Fuser<'a> {
    nodes: &'a [Node],
    reads: Reads,
    /// Of these, without what earlier steps have computed.
    waits: Reads,
    /// By array: the nodes that read it, and those that write it.
    readers: Map<u32, Set<usize>>,
    writers: Map<u32, Vec<usize>>,
    /// By index: the range by sizes alone.
    extents: Map<Index, (Affine, Affine)>,
    /// Indices that have a range without others, though not by sizes: one that is an element, or whose range the solver does not see.
    alone: Set<Index>,
    results: Set<u32>,
    inputs: Set<u32>,
    /// What is computed from arguments alone, and is no larger than one of them: to store it is to store an argument twice.
    of_arguments: Set<u32>,
    /// Of loops around steps.
    batched: Set<Index>,
}

/// What a group may grow in.
struct Level<'a> {
    /// The places of the nodes that no group has yet.
    left: &'a Bits,
    /// The choices in order, by place.
    seeds: &'a [(usize, Index)],
    /// The loops that may come next, by node, and of those that keep rows.
    choices: &'a Open,
    rows: &'a Open,
    graph: &'a Graph,
}

impl Level<'_> {
    /// The seed that a place and a choice of it are.
    fn seed(&self, place: usize, i: Index) -> Option<usize> {
        let first = self.seeds.partition_point(|s| s.0 < place);
        (first..self.seeds.len()).find(|k| self.seeds[*k] == (place, i))
    }
}

/// A seed with all that can share its loop.
struct Grown {
    /// The seeds that it is made of, and their places.
    joined: Vec<usize>,
    places: Vec<usize>,
    group: Group,
    score: Score,
}

/// The nodes of a function as loops, in an order in which they may run.
pub(super) fn fuse(f: &Function, nodes: &[Node]) -> Vec<Item> {
    let (mut extents, mut alone) = (Map::new(), Set::new());
    for n in nodes {
        for i in &n.dims {
            if let Some(e) = extent(f, n, *i) {
                extents.insert(*i, e);
                continue;
            }
            let p = [n.ranges.as_slice(), &n.guard].concat();
            if bounds(f, &p, *i, &[], &[]).or_else(|| own_bounds(f, &p, *i, &[])).is_some() {
                alone.insert(*i);
            }
        }
    }
    let reads: Reads = nodes.iter().map(|n| n.reads(f)).collect();
    let (steps, mut waits) = (Steps::new(f), reads.clone());
    for (n, reads) in nodes.iter().zip(&mut waits).filter(|(n, _)| !n.times.is_empty()) {
        reads.retain(|(x, at)| !steps.is_carried(n, *x, at));
    }
    let mut readers: Map<u32, Set<usize>> = Map::new();
    for (n, reads) in reads.iter().enumerate() {
        for (x, _) in reads {
            readers.entry(*x).or_default().insert(n);
        }
    }
    let mut writers: Map<u32, Vec<usize>> = Map::new();
    for (k, n) in nodes.iter().enumerate() {
        n.writes().into_iter().for_each(|x| writers.entry(x).or_default().push(k));
    }
    let mut fuser = Fuser {
        nodes,
        reads,
        waits,
        readers,
        writers,
        extents,
        alone,
        results: f.results.iter().map(|r| r.0).collect(),
        inputs: f.params.iter().map(|r| r.0).collect(),
        of_arguments: batch::of_arguments(f),
        batched: Set::new(),
    };
    let all = (0..nodes.len()).map(|n| (n, nodes[n].dims.clone())).collect();
    let every: Vec<usize> = (0..nodes.len()).collect();
    let mut tree = fuser.batches(f, Section::all(f, nodes, &every, 0), &all, weights::schedule::BATCHES);
    number(&mut tree, &mut 0);
    tree
}

fn number(items: &mut [Item], next: &mut usize) {
    for item in items {
        if let Item::Loop(l) = item {
            l.id = *next;
            *next += 1;
            number(&mut l.kids, next);
        }
    }
}

/// The order of preference: storage saved in coarse steps, then strides, then size.
type Score = (i64, i64, usize);

impl Fuser<'_> {
    /// See the module documentation. A group that has grown stays as it is while none of its nodes is taken by another, and no path through that comes
    /// between them: whatever could not join it before cannot join it now.
    fn build(&self, open: &Open) -> Vec<Item> {
        let all: Vec<usize> = open.keys().copied().collect();
        let mut graph = Graph::new(&all, self.nodes, (&self.reads, &self.waits), &self.inputs);
        let choices: Open = open.iter().map(|(n, open)| (*n, self.choices(*n, open))).collect();
        let keeps = |(n, all): (&usize, &Vec<Index>)| {
            (*n, all.iter().copied().filter(|i| self.keeps_rows(*n, *i, &open[n])).collect())
        };
        let rows: Open = choices.iter().map(keeps).collect();
        let seeds: Vec<(usize, Index)> =
            all.iter().enumerate().flat_map(|(k, n)| choices[n].iter().map(move |i| (k, *i))).collect();
        let mut left = Bits::new(all.len());
        for (place, _) in &seeds {
            left.insert(*place);
        }
        let mut grown: Vec<Option<Grown>> = seeds.iter().map(|_| None).collect();
        let mut groups: Vec<Group> = vec![];
        let mut reasons: Vec<Option<Outside>> = vec![];
        loop {
            let level = Level { left: &left, seeds: &seeds, choices: &choices, rows: &rows, graph: &graph };
            let tried = self.tried(&mut grown, open, &level);
            let Some(best) = best(&tried) else { break };
            reasons.push(self.outside(best, &tried, open));
            let group = best.group.clone();
            group.keys().for_each(|n| left.remove(graph.place(*n)));
            let mut reach = graph.merge(&group);
            let mut parts = |places: &[usize]| {
                places.iter().any(|k| reach.has(*k)) || graph.comes_between(&mut reach, places)
            };
            grown.iter_mut().for_each(|slot| drop(slot.take_if(|g| parts(&g.places))));
            groups.push(group);
        }
        self.in_order(&all, open, (&groups, &reasons), &graph)
    }

    /// Each seed, grown, but for those of a group to which one before it has grown: they would grow to it again.
    fn tried<'a>(&self, grown: &'a mut [Option<Grown>], open: &Open, level: &Level) -> Vec<&'a Grown> {
        let (mut seen, mut tried) = (Bits::new(grown.len()), Bits::new(grown.len()));
        for (seed, slot) in grown.iter_mut().enumerate() {
            if level.left.contains(level.seeds[seed].0) && !seen.contains(seed) {
                let g = slot.get_or_insert_with(|| self.grow(seed, open, level));
                for k in &g.joined {
                    seen.insert(*k);
                }
                tried.insert(seed);
            }
        }
        grown
            .iter()
            .enumerate()
            .filter(|(seed, _)| tried.contains(*seed))
            .filter_map(|(_, g)| g.as_ref())
            .collect()
    }

    /// The loops that may come next: `argmax` runs innermost, those of a matmul or of a call stay with it.
    fn choices(&self, n: usize, open: &[Index]) -> Vec<Index> {
        let node = &self.nodes[n];
        let open = match &node.kind {
            Kind::ArgExtreme(..) if open.len() > 1 => &open[..open.len() - 1],
            Kind::ArgExtreme(..)
            | Kind::Extreme(..)
            | Kind::Value(_)
            | Kind::Call(_)
            | Kind::Symmetrize(_) => open,
        };
        let all: Vec<Index> = open.iter().copied().filter(|i| node.shares(*i)).collect();
        // One that has no range but by others comes after them.
        let which = |holds: &dyn Fn(&Index) -> bool| -> Option<Vec<Index>> {
            let some: Vec<Index> = all.iter().copied().filter(holds).collect();
            (!some.is_empty()).then_some(some)
        };
        let ranged = which(&|i| self.extents.contains_key(i)).or_else(|| which(&|i| self.alone.contains(i)));
        ranged.unwrap_or(all)
    }

    /// Groups and what is left as items, in an order in which they may run.
    fn in_order(
        &self,
        all: &[usize],
        open: &Open,
        (groups, reasons): (&[Group], &[Option<Outside>]),
        graph: &Graph,
    ) -> Vec<Item> {
        // The items: each group, each node without open dimensions, by their first nodes.
        let mut group_of: Map<usize, usize> = Map::new();
        for (k, g) in groups.iter().enumerate() {
            g.keys().for_each(|n| {
                group_of.insert(*n, k);
            });
        }
        let mut items: Vec<Vec<usize>> = groups.iter().map(|g| g.keys().copied().collect()).collect();
        items.extend(all.iter().filter(|n| !group_of.contains_key(n)).map(|n| vec![*n]));
        sorted::sort(&mut items);
        let mut out = vec![];
        for k in graph.order(&items) {
            let nodes = &items[k];
            let Some(k) = group_of.get(&nodes[0]).copied() else {
                out.push(Item::Leaf(nodes[0]));
                continue;
            };
            let rest = |(n, i): (&usize, &Index)| {
                (*n, open[n].iter().copied().filter(|j| j != i).collect::<Vec<Index>>())
            };
            let kids = self.build(&groups[k].iter().map(rest).collect());
            let (members, outside) = (groups[k].clone(), reasons[k].clone());
            out.push(Item::Loop(Loop { members, id: 0, kids, outside, steps: None, keep: None }));
        }
        out
    }

    /// A node shares a loop only where what remains still walks along rows, if it can: some loop that stays open is
    /// contiguous in, or foreign to, each factor and the target.
    fn keeps_rows(&self, n: usize, i: Index, open: &[Index]) -> bool {
        let node = &self.nodes[n];
        let smooth = |at: &[Affine], j: &Index| match at.split_last() {
            None => true,
            Some((last, rest)) => {
                last.coeff(&j.atom()).abs() <= 1 && rest.iter().all(|a| !a.mentions(&j.atom()))
            }
        };
        let walks = |j: &Index| self.reads[n].iter().all(|(_, at)| smooth(at, j)) && smooth(&node.target, j);
        let able: Vec<&Index> = open.iter().filter(|j| walks(j)).collect();
        open.len() < 2 || able.is_empty() || able.iter().any(|j| **j != i)
    }

    /// The number of iterations, each symbol counted as 100.
    #[allow(clippy::cast_precision_loss)]
    fn iterations(&self, i: Index) -> f64 {
        self.extents
            .get(&i)
            .map_or(weights::nominal::COUNT, |(a, b)| (nominal(b) - nominal(a) + 1.0).max(1.0))
    }

    /// The elements of the target over the open dimensions.
    fn size(&self, n: usize, open: &Open) -> f64 {
        open[&n].iter().filter(|i| !self.nodes[n].is_sum(**i)).map(|i| self.iterations(*i)).product()
    }

    fn score(&self, g: &Group, open: &Open) -> Score {
        let mut saved = self.shared(g, open);
        for (x, n, all) in self.read_inside(g) {
            let size = self.size(n, open);
            saved += if all && !self.results.contains(&x) { 2.0 * size } else { size };
        }
        let strides: i64 = g.iter().map(|(n, i)| self.stride(*n, *i)).sum();
        #[allow(clippy::cast_possible_truncation)]
        ((saved / weights::schedule::SAVED).round() as i64, strides, g.len())
    }

    /// The arrays that a group writes and reads element by element, with the node that does, and whether nothing else reads them.
    fn read_inside(&self, g: &Group) -> Vec<(u32, usize, bool)> {
        let mut out = vec![];
        for (n, _) in g.iter().filter(|(n, i)| !self.nodes[**n].is_sum(**i)) {
            for x in self.nodes[*n].writes() {
                let Some(readers) = self.readers.get(&x) else { continue };
                let inside = readers.iter().filter(|m| g.contains_key(m)).count();
                if inside > 0 {
                    out.push((x, *n, inside == readers.len()));
                }
            }
        }
        out
    }

    /// What reading once saves of the inputs that several nodes of the group read.
    fn shared(&self, g: &Group, open: &Open) -> f64 {
        let of_one = |l: &Vec<f64>| l.iter().sum::<f64>() - l.iter().copied().fold(0.0, f64::max);
        self.footprints(g, open).values().map(of_one).sum()
    }

    /// What each node of the group reads of an input element by element.
    fn footprints(&self, g: &Group, open: &Open) -> Map<u32, Vec<f64>> {
        let mut by_input: Map<u32, Vec<f64>> = Map::new();
        for (n, i) in g {
            let mut mine: Vec<u32> = vec![];
            for (x, at) in &self.reads[*n] {
                if self.inputs.contains(x) && !mine.contains(x) && at.iter().any(|a| bare(a) == Some(*i)) {
                    let used = open[n].iter().filter(|j| at.iter().any(|a| a.mentions(&j.atom())));
                    by_input.entry(*x).or_default().push(used.map(|j| self.iterations(*j)).product());
                    mine.push(*x);
                }
            }
        }
        by_input
    }

    /// Far strides outside, free before reduced.
    fn stride(&self, n: usize, i: Index) -> i64 {
        let node = &self.nodes[n];
        let target = (node.array.0, node.target.clone());
        let mut out = 0;
        for (_, at) in self.reads[n].iter().chain([&target]) {
            let Some((last, rest)) = at.split_last() else { continue };
            if last.mentions(&i.atom()) {
                out -= STRIDE;
            } else {
                let far = rest.iter().rev().enumerate().filter(|(_, a)| a.mentions(&i.atom()));
                out += STRIDE * far.map(|(k, _)| i64::try_from(k).map_or(0, |k| k + 1)).sum::<i64>();
            }
        }
        if node.is_sum(i) { out - SUMMED } else { out }
    }
}

/// Each symbol counted as 100.
#[allow(clippy::cast_precision_loss)]
fn nominal(a: &Affine) -> f64 {
    fn atom(t: &Atom) -> f64 {
        match t {
            Atom::Size(_) | Atom::Index(_) | Atom::Element(..) => weights::nominal::COUNT,
            Atom::Floor(e, k) => (nominal(e) / *k as f64).floor(),
            Atom::Product(fs) => fs.iter().map(atom).product(),
        }
    }
    a.constant as f64 + a.terms.iter().map(|(t, c)| *c as f64 * atom(t)).sum::<f64>()
}
