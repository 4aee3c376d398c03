//! Conditions by numbers, and those that have to do with one.

use crate::index::{Affine, Atom, Cond, Pred};
use std::collections::{HashMap, HashSet};

/// Conditions that have been met, each once, with its indices and elements.
#[derive(Default)]
pub(super) struct Conds {
    numbers: HashMap<Cond, u32>,
    all: Vec<Cond>,
    atoms: HashMap<Atom, u32>,
    /// For each condition.
    own: Vec<Vec<u32>>,
    /// The conditions that were last asked for, which most of the next begin with.
    last: (Pred, Vec<u32>),
}

impl Conds {
    /// The number of a condition.
    pub fn number(&mut self, c: &Cond) -> u32 {
        if let Some(k) = self.numbers.get(c) {
            return *k;
        }
        let k = u32::try_from(self.all.len()).expect("fewer than 2³² conditions");
        let mut own: Vec<u32> = vec![];
        atoms(c, &mut |t| {
            let next = u32::try_from(self.atoms.len()).expect("fewer than 2³² indices and elements");
            let number = *self.atoms.entry(t.clone()).or_insert(next);
            if !own.contains(&number) {
                own.push(number);
            }
        });
        self.own.push(own);
        self.numbers.insert(c.clone(), k);
        self.all.push(c.clone());
        k
    }

    /// Those of several.
    pub fn numbered(&mut self, given: &[Cond]) -> Vec<u32> {
        let (mut conds, mut numbers) = std::mem::take(&mut self.last);
        let same = conds.iter().zip(given).take_while(|(a, b)| a == b).count();
        numbers.truncate(same);
        numbers.extend(given[same..].iter().map(|c| self.number(c)));
        conds.truncate(same);
        conds.extend_from_slice(&given[same..]);
        self.last = (conds, numbers.clone());
        numbers
    }

    /// The condition of a number.
    pub fn get(&self, k: u32) -> &Cond {
        &self.all[k as usize]
    }

    /// Those of several numbers.
    pub fn pred(&self, numbers: &[u32]) -> Pred {
        numbers.iter().map(|k| self.get(*k).clone()).collect()
    }

    /// For each condition how far it is from `c`, if it has to do with it, directly or by way of others: what shares an index or an element; 0 for
    /// what is of sizes alone.
    pub fn distances(&self, given: &[u32], c: u32) -> Vec<Option<usize>> {
        let own = |k: u32| &self.own[k as usize];
        let mut distances: Vec<Option<usize>> =
            given.iter().map(|k| own(*k).is_empty().then_some(0)).collect();
        let mut seen: HashSet<u32> = HashSet::new();
        let mut here: Vec<u32> = own(c).clone();
        let mut far = 0;
        while !here.is_empty() {
            far += 1;
            seen.extend(&here);
            let reached: HashSet<u32> = std::mem::take(&mut here).into_iter().collect();
            for (distance, k) in distances.iter_mut().zip(given) {
                if distance.is_none() && own(*k).iter().any(|t| reached.contains(t)) {
                    *distance = Some(far);
                    here.extend(own(*k).iter().filter(|t| !seen.contains(t)));
                }
            }
        }
        distances
    }
}

/// Those no further away, each once.
pub(super) fn within(given: &[u32], distances: &[Option<usize>], far: usize) -> Vec<u32> {
    let near = given.iter().zip(distances).filter(|(_, distance)| distance.is_some_and(|d| d <= far));
    let mut known: HashSet<u32> = HashSet::new();
    near.map(|(k, _)| *k).filter(|k| known.insert(*k)).collect()
}

/// Those conditions that have to do with one, also by way of others.
pub(super) fn relevant(given: &[Cond], c: &Cond) -> Pred {
    let mut conds = Conds::default();
    let (given, c) = (conds.numbered(given), conds.number(c));
    conds.pred(&within(&given, &conds.distances(&given, c), usize::MAX))
}

/// The indices and elements of a condition.
fn atoms(c: &Cond, f: &mut dyn FnMut(&Atom)) {
    fn of(t: &Atom, f: &mut dyn FnMut(&Atom)) {
        if matches!(t, Atom::Index(_) | Atom::Element(..)) {
            f(t);
        }
        let within = |e: &Affine, f: &mut dyn FnMut(&Atom)| e.terms.iter().for_each(|t| of(&t.0, f));
        match t {
            Atom::Size(_) | Atom::Index(_) => {}
            Atom::Floor(e, _) => within(e, f),
            Atom::Element(_, at) => at.iter().for_each(|e| within(e, f)),
            Atom::Product(fs) => fs.iter().for_each(|t| of(t, f)),
        }
    }
    c.affines().into_iter().flat_map(|a| &a.terms).for_each(|t| of(&t.0, f));
}
