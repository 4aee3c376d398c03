//! What values flow to and from, on any path.

/// Some nodes, and all that values of theirs flow to and from.
#[derive(Clone, Debug)]
pub struct Reach {
    members: Bits,
    below: Bits,
    above: Bits,
}

impl Reach {
    fn of_none(count: usize) -> Reach {
        Reach { members: Bits::new(count), below: Bits::new(count), above: Bits::new(count) }
    }

    /// Takes the nodes of another in.
    pub fn join(&mut self, other: &Reach) {
        self.members.join(&other.members);
        self.below.join(&other.below);
        self.above.join(&other.above);
    }

    /// Whether nothing lies between these nodes and those of another.
    pub fn is_convex_with(&self, other: &Reach) -> bool {
        (0..self.members.0.len()).all(|w| {
            let between = self.below.0[w] & other.above.0[w] | other.below.0[w] & self.above.0[w];
            between & !(self.members.0[w] | other.members.0[w]) == 0
        })
    }
}

/// That of each place: those of one part are as one, and values flow between some. There are few: sweeps until nothing changes.
pub(super) fn all(part_of: &[usize], flows: &[(usize, usize)]) -> Vec<Reach> {
    let parts = part_of.iter().max().map_or(0, |last| last + 1);
    let mut reach = vec![Reach::of_none(part_of.len()); parts];
    for (place, part) in part_of.iter().enumerate() {
        reach[*part].members.insert(place);
    }
    let between = flows.iter().map(|(a, b)| (part_of[*a], part_of[*b])).filter(|(a, b)| a != b);
    let mut between: Vec<(usize, usize)> = between.collect();
    between.sort_unstable();
    between.dedup();
    let mut changed = true;
    while changed {
        changed = false;
        for (a, b) in &between {
            let Ok([from, to]) = reach.get_disjoint_mut([*a, *b]) else { continue };
            changed |= from.below.join(&to.members) | from.below.join(&to.below);
            changed |= to.above.join(&from.members) | to.above.join(&from.above);
        }
    }
    part_of.iter().map(|part| reach[*part].clone()).collect()
}

/// A set of places.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    /// Whether there is something new.
    fn join(&mut self, other: &Bits) -> bool {
        let mut is_new = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            is_new |= b & !*a != 0;
            *a |= b;
        }
        is_new
    }
}
