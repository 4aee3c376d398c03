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

/// That of each place by itself: values flow between some. Those before a place mostly have smaller ones: sweeps both ways, until nothing changes.
pub(super) fn all(count: usize, flows: &[(usize, usize)]) -> Vec<Reach> {
    let mut reach = vec![Reach::of_none(count); count];
    for (place, own) in reach.iter_mut().enumerate() {
        own.members.insert(place);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (a, b) in flows {
            let Ok([from, to]) = reach.get_disjoint_mut([*a, *b]) else { continue };
            changed |= to.above.join(&from.members) | to.above.join(&from.above);
        }
        for (a, b) in flows.iter().rev() {
            let Ok([from, to]) = reach.get_disjoint_mut([*a, *b]) else { continue };
            changed |= from.below.join(&to.members) | from.below.join(&to.below);
        }
    }
    reach
}

/// Takes some places for one: what reaches one of them reaches all that is reached from any, and the other way about. The places that this changes.
pub(super) fn merge(reach: &mut [Reach], places: &[usize]) -> Bits {
    let mut changed = Bits::new(reach.len());
    let Some(first) = places.first() else { return changed };
    let mut group = reach[*first].clone();
    places.iter().for_each(|k| group.join(&reach[*k]));
    group.below.without(&group.members);
    group.above.without(&group.members);
    for (k, one) in reach.iter_mut().enumerate() {
        let mut is_new = false;
        if one.below.meets(&group.members) {
            is_new |= one.below.join(&group.members) | one.below.join(&group.below);
        }
        if one.above.meets(&group.members) {
            is_new |= one.above.join(&group.members) | one.above.join(&group.above);
        }
        if is_new {
            changed.insert(k);
        }
    }
    places.iter().for_each(|k| reach[*k] = group.clone());
    changed
}

/// A set of places.
#[derive(Clone, Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    pub fn insert(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    pub fn contains(&self, k: usize) -> bool {
        self.0[k / 64] & 1 << (k % 64) != 0
    }

    pub fn remove(&mut self, k: usize) {
        self.0[k / 64] &= !(1 << (k % 64));
    }

    /// The first place from here on that is in both.
    pub fn next_of_both(&self, other: &Bits, from: usize) -> Option<usize> {
        let word = |w: usize| self.0[w] & other.0[w] & if w == from / 64 { !0 << (from % 64) } else { !0 };
        let at = (from / 64..self.0.len()).find(|w| word(*w) != 0)?;
        Some(64 * at + word(at).trailing_zeros() as usize)
    }

    /// The last place before this one that is in both.
    pub fn last_of_both(&self, other: &Bits, before: usize) -> Option<usize> {
        let word =
            |w: usize| self.0[w] & other.0[w] & if w == before / 64 { !(!0 << (before % 64)) } else { !0 };
        let at = (0..self.0.len().min(before / 64 + 1)).rfind(|w| word(*w) != 0)?;
        Some(64 * at + 63 - word(at).leading_zeros() as usize)
    }

    fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub fn without(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    /// Whether there is something new.
    pub fn join(&mut self, other: &Bits) -> bool {
        let mut is_new = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            is_new |= b & !*a != 0;
            *a |= b;
        }
        is_new
    }
}
