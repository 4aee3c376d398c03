//! What flows between nodes, which have places.

use super::bits::Bits;
use crate::index::Affine;
use crate::schedule::node::{Kind, Node};
use crate::sorted::{Map, Set};

/// The values of a level: the arrays that its nodes write, and, of each that is symmetrized, that its triangles come before that and what is added to it
/// behind. They stand between their writers and their readers: pairs of those are as many as the square of a program.
pub(super) struct Flow {
    /// By place: the values that a node writes.
    pub writes: Vec<Set<usize>>,
    /// By place: those that it reads.
    pub reads: Vec<Set<usize>>,
    /// By value: the places of those that write it, in order.
    pub writers: Vec<Vec<usize>>,
    /// By value: the places of those that read it, in order.
    pub readers: Vec<Vec<usize>>,
    /// How many values are arrays: the first.
    arrays: usize,
}

impl Flow {
    /// Places between which nothing flows yet.
    pub fn none(count: usize) -> Flow {
        let none = vec![Set::new(); count];
        Flow { writes: none.clone(), reads: none, writers: vec![], readers: vec![], arrays: 0 }
    }

    pub fn new(all: &[usize], nodes: &[Node], reads: &[Vec<(u32, Vec<Affine>)>]) -> Flow {
        let mut flow = Flow::none(all.len());
        let mut value_of: Map<u32, usize> = Map::new();
        for (k, n) in all.iter().enumerate() {
            for x in nodes[*n].writes() {
                let value = *value_of.entry(x).or_insert_with(|| flow.another());
                flow.write(k, value);
            }
        }
        flow.arrays = flow.writers.len();
        for (k, n) in all.iter().enumerate() {
            for value in reads[*n].iter().filter_map(|(x, _)| value_of.get(x)) {
                flow.read(k, *value);
            }
        }
        for value in 0..flow.arrays {
            flow.symmetrize(value, |k| &nodes[all[k]]);
        }
        flow
    }

    /// Triangles, then what is symmetrized, then what is added to that.
    fn symmetrize<'a>(&mut self, value: usize, node: impl Fn(usize) -> &'a Node) {
        let same = self.writers[value].clone();
        for a in same.iter().filter(|a| matches!(node(**a).kind, Kind::Symmetrize(_))) {
            let (before, behind) = (self.another(), self.another());
            self.read(*a, before);
            self.write(*a, behind);
            for b in same.iter().filter(|b| *b != a) {
                if node(*b).triangle.is_some() { self.write(*b, before) } else { self.read(*b, behind) }
            }
        }
    }

    /// A value that nobody writes or reads yet.
    pub fn another(&mut self) -> usize {
        self.writers.push(vec![]);
        self.readers.push(vec![]);
        self.writers.len() - 1
    }

    pub fn write(&mut self, place: usize, value: usize) {
        if self.writes[place].insert(value) {
            self.writers[value].push(place);
        }
    }

    pub fn read(&mut self, place: usize, value: usize) {
        if self.reads[place].insert(value) {
            self.readers[value].push(place);
        }
    }

    /// The values that a place writes, and by value those that read it; or else the values that it reads, and those that write it.
    pub fn along(&self, place: usize, is_below: bool) -> (&Set<usize>, &[Vec<usize>]) {
        if is_below { (&self.writes[place], &self.readers) } else { (&self.reads[place], &self.writers) }
    }

    /// Whether a value flows from one place to another.
    pub fn flows(&self, writer: usize, reader: usize) -> bool {
        !self.writes[writer].is_disjoint(&self.reads[reader])
    }

    /// Whether one of two places reads an array that the other writes.
    pub fn is_linked(&self, a: usize, b: usize) -> bool {
        self.written(a).any(|x| self.reads[b].contains(&x))
            || self.written(b).any(|x| self.reads[a].contains(&x))
    }

    /// The arrays that a place writes.
    pub fn written(&self, place: usize) -> impl Iterator<Item = usize> {
        self.writes[place].iter().copied().take_while(|x| *x < self.arrays)
    }

    /// The places that write an array that this one reads, or read one that it writes.
    pub fn linked(&self, place: usize) -> impl Iterator<Item = usize> {
        let read = self.reads[place].iter().take_while(|x| **x < self.arrays);
        let writers = read.flat_map(|x| &self.writers[*x]);
        let all = writers.chain(self.written(place).flat_map(|x| &self.readers[x]));
        all.copied().filter(move |k| *k != place)
    }

    /// An order of items, which are places, in which each comes after those that it reads: of those that may come next the first.
    pub fn order(&self, items: &[Vec<usize>]) -> Vec<usize> {
        let mut item_of = vec![0; self.writes.len()];
        for (k, places) in items.iter().enumerate() {
            places.iter().for_each(|p| item_of[*p] = k);
        }
        let each_after = |k: usize, see: &mut dyn FnMut(usize)| {
            let values = items[k].iter().flat_map(|p| self.writes[*p].iter());
            let readers = values.flat_map(|x| self.readers[*x].iter());
            readers.map(|r| item_of[*r]).filter(|j| *j != k).for_each(see);
        };
        let mut before = vec![0_usize; items.len()];
        (0..items.len()).for_each(|k| each_after(k, &mut |j| before[j] += 1));
        let (mut left, mut ready) = (Bits::new(items.len()), Bits::new(items.len()));
        for (k, before) in before.iter().enumerate() {
            left.insert(k);
            if *before == 0 {
                ready.insert(k);
            }
        }
        let mut out = vec![];
        let mut first = 0;
        // There is always one that is ready, but where values flow in a circle.
        while let Some(k) = ready.next(first).or_else(|| left.next(0)) {
            ready.remove(k);
            left.remove(k);
            first = k + 1;
            each_after(k, &mut |j| {
                before[j] = before[j].saturating_sub(1);
                if before[j] == 0 && left.contains(j) {
                    ready.insert(j);
                    first = first.min(j);
                }
            });
            out.push(k);
        }
        out
    }
}
