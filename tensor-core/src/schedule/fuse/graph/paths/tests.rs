//! Paths by all nodes that are reached, as they may be asked for only where there are few.

use super::super::flow::Flow;
use super::{Paths, Reach};

/// Numbers below a bound: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % bound
    }
}

/// How many places there are.
const PLACES: usize = 30;

/// Values with a writer or two, and some readers behind them, in an order that is not that of places.
fn flow(random: &mut Random) -> Flow {
    let mut order: Vec<usize> = (0..PLACES).collect();
    (1..PLACES).for_each(|k| order.swap(k, random.below(k + 1)));
    let mut flow = Flow::none(PLACES);
    for first in 0..PLACES - 2 {
        let value = flow.another();
        let last = first + random.below(2);
        (first..=last).for_each(|at| flow.write(order[at], value));
        for _ in 0..1 + random.below(3) {
            let at = last + 1 + random.below((PLACES - last - 1).min(6));
            flow.read(order[at], value);
        }
    }
    flow
}

/// All that is reached from some places, through groups as one; they themselves only if a path comes back.
fn reached(paths: &Paths, from: &[usize]) -> Vec<usize> {
    let mut found: Vec<usize> = vec![];
    let mut left = from.to_vec();
    while let Some(k) = left.pop() {
        let readers = paths.flow.writes[k].iter().flat_map(|x| &paths.flow.readers[*x]);
        for reader in readers {
            let group = paths.group_of[*reader].map_or(vec![*reader], |g| paths.groups[g].clone());
            for k in group.into_iter().filter(|k| !found.contains(k)).collect::<Vec<_>>() {
                found.push(k);
                left.push(k);
            }
        }
    }
    found
}

/// Whether a place that is none of these is reached from one of them, and one of them from it.
fn is_convex(paths: &Paths, places: &[usize]) -> bool {
    let below = reached(paths, places);
    let comes_back = |k: &usize| reached(paths, &[*k]).iter().any(|back| places.contains(back));
    !below.iter().any(|k| !places.contains(k) && comes_back(k))
}

/// A group of places that no group has, as large as chance makes it.
fn grown(paths: &Paths, random: &mut Random) -> Vec<usize> {
    let free: Vec<usize> = (0..PLACES).filter(|k| paths.group_of[*k].is_none()).collect();
    let mut group = vec![free[random.below(free.len())]];
    let mut reach: Reach = paths.reach(&group, PLACES);
    for _ in 0..random.below(12) {
        let k = free[random.below(free.len())];
        if group.contains(&k) {
            continue;
        }
        let with = [group.as_slice(), &[k]].concat();
        let may_join = paths.is_convex_with(&mut reach, k);
        assert_eq!(may_join, is_convex(paths, &with), "{k} with {group:?}");
        let is_found = paths.is_convex_with(&mut paths.reach(&group, 1), k);
        assert!(may_join || !is_found, "{k} with {group:?}, without patience");
        if may_join {
            paths.join(&mut reach, k);
            group = with;
        }
    }
    group
}

#[test]
fn as_all_that_is_reached() {
    let (mut larger, mut between) = (0, 0);
    for seed in 1..=100 {
        let mut random = Random(seed);
        let mut paths = Paths::new(flow(&mut random));
        for _ in 0..6 {
            let others: Vec<Vec<usize>> = (0..6).map(|_| grown(&paths, &mut random)).collect();
            let group = grown(&paths, &mut random);
            larger += usize::from(group.len() > 2);
            let mut reach = paths.merge(&group);
            for other in others.iter().filter(|o| !o.iter().any(|k| group.contains(k))) {
                let comes_between = paths.comes_between(&mut reach, other);
                assert_eq!(comes_between, !is_convex(&paths, other), "{group:?} in {other:?}");
                between += usize::from(comes_between);
            }
        }
    }
    assert!(larger > 100 && between > 20, "{larger} {between}");
}
