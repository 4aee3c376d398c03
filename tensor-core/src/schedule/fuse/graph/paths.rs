//! Whether a path leaves a group and comes back: it is looked for from the group on, as far as there are places that may join.
//!
//! What flows to and from each place on any path would be as much as the square of a program. So nothing is kept but an order in which all values flow
//! ahead, and what has been looked at for one group.

#[cfg(test)]
mod tests;

use super::bits::Bits;
use super::flow::Flow;

/// Places in an order, and the groups that are formed, each taken for one place.
pub(super) struct Paths {
    pub flow: Flow,
    /// Values flow ahead. The places of a group stand together.
    order: Vec<usize>,
    /// By place: where it stands.
    at: Vec<usize>,
    /// By place: its group, if it has one.
    group_of: Vec<Option<usize>>,
    groups: Vec<Vec<usize>>,
}

/// Some places, and what values of theirs flow to and from, as far as it has been looked at.
pub struct Reach {
    members: Bits,
    below: Side,
    above: Side,
    /// How many places may be found for each of them, either way.
    each: usize,
}

/// One of these directions. How far ahead a place stands is counted in it.
struct Side {
    is_below: bool,
    /// The places that are reached,
    found: Vec<usize>,
    /// how far ahead they stand,
    seen: Bits,
    /// and those of them from where it has not been looked further,
    next: Bits,
    /// of which none stands before this.
    from: usize,
    /// The values that have been followed.
    followed: Bits,
    /// How many more places may be found.
    patience: usize,
}

impl Reach {
    /// Whether a place is one of those that were taken in.
    pub fn has(&self, place: usize) -> bool {
        self.members.contains(place)
    }
}

impl Paths {
    pub fn new(flow: Flow) -> Paths {
        let count = flow.writes.len();
        let alone: Vec<Vec<usize>> = (0..count).map(|k| vec![k]).collect();
        let order = flow.order(&alone);
        let mut paths =
            Paths { flow, order, at: vec![0; count], group_of: vec![None; count], groups: vec![] };
        paths.number(0, count);
        paths
    }

    /// Says of what stands between these where it stands.
    fn number(&mut self, from: usize, to: usize) {
        (from..to).for_each(|at| self.at[self.order[at]] = at);
    }

    /// That of some places, for each of which so many others may be found, either way.
    pub fn reach(&self, places: &[usize], each: usize) -> Reach {
        let count = self.order.len();
        let side = |is_below| Side {
            is_below,
            found: vec![],
            seen: Bits::new(count),
            next: Bits::new(count),
            from: count,
            followed: Bits::new(self.flow.writers.len()),
            patience: 0,
        };
        let mut reach = Reach { members: Bits::new(count), below: side(true), above: side(false), each };
        places.iter().for_each(|k| self.join(&mut reach, *k));
        reach
    }

    /// Takes a place in.
    pub fn join(&self, reach: &mut Reach, place: usize) {
        reach.members.insert(place);
        for side in [&mut reach.below, &mut reach.above] {
            side.patience = side.patience.saturating_add(reach.each);
            self.follow(side, place);
        }
    }

    /// Whether nothing lies between a place and others, between which nothing lies: of those that stand directly before it, none is reached from them
    /// but they themselves, and likewise behind it.
    pub fn is_convex_with(&self, reach: &mut Reach, place: usize) -> bool {
        let members = &reach.members;
        [&mut reach.below, &mut reach.above].into_iter().all(|side| {
            if !self.look(side, self.ahead(side, place)) {
                return false;
            }
            let is_outside = |k: &usize| *k != place && !members.contains(*k);
            let (values, ends) = self.flow.along(place, !side.is_below);
            if side.found.len() <= values.len() {
                let flows = |k: &usize| {
                    if side.is_below { self.flow.flows(*k, place) } else { self.flow.flows(place, *k) }
                };
                return !side.found.iter().any(|k| is_outside(k) && flows(k));
            }
            let is_reached = |k: &usize| side.seen.contains(self.ahead(side, *k));
            !values.iter().flat_map(|x| &ends[*x]).any(|k| is_outside(k) && is_reached(k))
        })
    }

    /// Takes places, between which nothing lies, for one from now on, and gives what reaches them: what stood among them and flows to them stands before
    /// them all now, and the rest behind them.
    pub fn merge(&mut self, places: &[usize]) -> Reach {
        let mut reach = self.reach(places, usize::MAX);
        let stands = || places.iter().map(|k| self.at[*k]);
        let (Some(first), Some(last)) = (stands().min(), stands().max()) else { return reach };
        self.look(&mut reach.above, self.order.len() - first);
        let (members, others): (Vec<usize>, Vec<usize>) =
            self.order[first..=last].iter().partition(|k| reach.has(**k));
        let flows_in = |k: &usize| reach.above.seen.contains(self.ahead(&reach.above, *k));
        let (before, behind): (Vec<usize>, Vec<usize>) = others.into_iter().partition(flows_in);
        self.order[first..=last].copy_from_slice(&[before, members, behind].concat());
        self.number(first, last + 1);
        places.iter().for_each(|k| self.group_of[*k] = Some(self.groups.len()));
        self.groups.push(places.to_vec());
        self.reach(places, usize::MAX)
    }

    /// Whether the group that was formed last, and reaches this, lies between places between which nothing lay before.
    pub fn comes_between(&self, group: &mut Reach, places: &[usize]) -> bool {
        let Some(formed) = self.groups.last() else { return false };
        let stands = || places.iter().map(|k| self.at[*k]);
        let (first, last) = (stands().min().unwrap_or(0), stands().max().unwrap_or(0));
        if !(first..last).contains(&self.at[formed[0]]) {
            return false;
        }
        [&mut group.below, &mut group.above].into_iter().all(|side| {
            let until = if side.is_below { last + 1 } else { self.order.len() - first };
            self.look(side, until);
            places.iter().any(|k| side.seen.contains(self.ahead(side, *k)))
        })
    }

    /// How far ahead a place stands.
    fn ahead(&self, side: &Side, place: usize) -> usize {
        if side.is_below { self.at[place] } else { self.order.len() - 1 - self.at[place] }
    }

    /// Looks for all that is reached and stands before this; whether that ended before patience did.
    fn look(&self, side: &mut Side, until: usize) -> bool {
        while side.from < until {
            side.from = side.next.next(side.from).unwrap_or(self.order.len());
            if side.from >= until {
                break;
            }
            if side.patience == 0 {
                return false;
            }
            side.next.remove(side.from);
            let at = if side.is_below { side.from } else { self.order.len() - 1 - side.from };
            self.follow(side, self.order[at]);
        }
        true
    }

    /// What a place is read by, or reads, is reached, and all of a group with one of it.
    fn follow(&self, side: &mut Side, place: usize) {
        let (values, ends) = self.flow.along(place, side.is_below);
        for x in values {
            if !side.followed.insert(*x) {
                continue;
            }
            for k in &ends[*x] {
                let group = self.group_of[*k].map_or(std::slice::from_ref(k), |g| &self.groups[g]);
                for k in group {
                    let ahead = self.ahead(side, *k);
                    if !side.seen.insert(ahead) {
                        break;
                    }
                    side.found.push(*k);
                    side.patience = side.patience.saturating_sub(1);
                    side.next.insert(ahead);
                    side.from = side.from.min(ahead);
                }
            }
        }
    }
}
