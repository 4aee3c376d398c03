//! Maps and sets in the order of their keys, as sorted vectors; and lists put in order.
//!
//! All of them are small here and mostly in order already, where no tree and no other way to sort is faster. And those of the standard library
//! are ten times the code, which whoever uses the macro would compile without optimization for each type of element.

use crate::weights;
use std::borrow::Borrow;
use std::ops::{Deref, Index};
use std::slice;

/// Puts a list in order. What is equal stays as it was.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, &|a, b| a <= b);
}

/// Puts a list in the order of a key of each element. What is equal stays as it was.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, &|a, b| key(a) <= key(b));
}

fn sort_by<T>(list: &mut [T], may_precede: &dyn Fn(&T, &T) -> bool) {
    if list.len() > weights::SORTED_BY_INSERTION {
        let middle = list.len() / 2;
        sort_by(&mut list[..middle], may_precede);
        sort_by(&mut list[middle..], may_precede);
        return merge(list, middle, may_precede);
    }
    for end in 1..list.len() {
        for k in (1..=end).rev() {
            if may_precede(&list[k - 1], &list[k]) {
                break;
            }
            list.swap(k - 1, k);
        }
    }
}

/// Two lists in order, one after the other, become one, in place: the half of the first that comes after the pivot changes places with what of the
/// second comes before it.
fn merge<T>(list: &mut [T], middle: usize, may_precede: &dyn Fn(&T, &T) -> bool) {
    if middle == 0 || middle == list.len() || may_precede(&list[middle - 1], &list[middle]) {
        return;
    }
    let half = middle / 2;
    let pivot = &list[half];
    let before = list[middle..].partition_point(|x| !may_precede(pivot, x));
    list[half..middle + before].rotate_left(middle - half);
    let at = half + before;
    merge(&mut list[..at], half, may_precede);
    merge(&mut list[at + 1..], middle - half - 1, may_precede);
}

/// A map, iterated in the order of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<K, V>(Vec<(K, V)>);

impl<K, V> Map<K, V> {
    /// Without keys.
    #[must_use]
    pub const fn new() -> Map<K, V> {
        Map(Vec::new())
    }

    /// How many keys it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and their values.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.0.iter().map(|(k, v)| (k, v))
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.0.iter().map(|(k, _)| k)
    }

    /// The values, in the order of the keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.0.iter().map(|(_, v)| v)
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Where a key is, or where it would be.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        let at = self.0.partition_point(|(k, _)| k.borrow() < key);
        if self.0.get(at).is_some_and(|(k, _)| k.borrow() == key) { Ok(at) } else { Err(at) }
    }

    /// Whether it has a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        Some(&self.0[at].1)
    }

    /// The value of a key.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        Some(&mut self.0[at].1)
    }

    /// Sets the value of a key; the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// The place of a key, to be filled if it is empty.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }

    /// Takes a key out; the value that it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.place(key).ok()?;
        Some(self.0.remove(at).1)
    }

    /// Keeps the keys that are to be kept.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(k, v)| keep(k, v));
    }
}

/// A key of a map, which may have no value yet.
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut Map<K, V>,
    key: K,
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    /// The value; where there is none, it is set to this one.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let at = match self.map.place(&self.key) {
            Ok(at) => at,
            Err(at) => {
                self.map.0.insert(at, (self.key, value()));
                at
            }
        };
        &mut self.map.0[at].1
    }

    /// The value; where there is none, it is set to this one.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value; where there is none, it is set to the default one.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("a key of the map")
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, all: I) {
        for (k, v) in all {
            self.insert(k, v);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> Map<K, V> {
        let mut map = Map::new();
        map.extend(all);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(all: [(K, V); N]) -> Map<K, V> {
        all.into_iter().collect()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The keys and values of a map.
pub type Iter<'a, K, V> = std::iter::Map<slice::Iter<'a, (K, V)>, fn(&(K, V)) -> (&K, &V)>;

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

/// A set, iterated in order: it can be read as a slice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set<K>(Vec<K>);

impl<K> Set<K> {
    /// Empty.
    #[must_use]
    pub const fn new() -> Set<K> {
        Set(Vec::new())
    }

    /// Keeps the elements that are to be kept.
    pub fn retain(&mut self, keep: impl FnMut(&K) -> bool) {
        self.0.retain(keep);
    }
}

impl<K: Ord> Set<K> {
    /// Where an element is, or where it would be.
    fn place<Q: Ord + ?Sized>(&self, element: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        let at = self.0.partition_point(|e| e.borrow() < element);
        if self.0.get(at).is_some_and(|e| e.borrow() == element) { Ok(at) } else { Err(at) }
    }

    /// Whether it has an element.
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(element).is_ok()
    }

    /// Adds an element; whether it is new.
    pub fn insert(&mut self, element: K) -> bool {
        let place = self.place(&element);
        if let Err(at) = place {
            self.0.insert(at, element);
        }
        place.is_err()
    }

    /// Takes an element out; whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, element: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        let place = self.place(element);
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    /// The elements that are in `other` too.
    pub fn intersection(&self, other: &Set<K>) -> impl Iterator<Item = &K> {
        self.0.iter().filter(|e| other.contains(e))
    }

    /// Whether all of its elements are in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Set<K>) -> bool {
        self.0.iter().all(|e| other.contains(e))
    }

    /// Whether none of its elements is in `other`.
    #[must_use]
    pub fn is_disjoint(&self, other: &Set<K>) -> bool {
        !self.0.iter().any(|e| other.contains(e))
    }
}

impl<K> Default for Set<K> {
    fn default() -> Set<K> {
        Set::new()
    }
}

impl<K> Deref for Set<K> {
    type Target = [K];

    fn deref(&self) -> &[K] {
        &self.0
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, all: I) {
        for element in all {
            self.insert(element);
        }
    }
}

impl<'a, K: Ord + Copy> Extend<&'a K> for Set<K> {
    fn extend<I: IntoIterator<Item = &'a K>>(&mut self, all: I) {
        for element in all {
            self.insert(*element);
        }
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(all: I) -> Set<K> {
        let mut set = Set::new();
        set.extend(all);
        set
    }
}

impl<K: Ord, const N: usize> From<[K; N]> for Set<K> {
    fn from(all: [K; N]) -> Set<K> {
        all.into_iter().collect()
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a Set<K> {
    type Item = &'a K;
    type IntoIter = slice::Iter<'a, K>;

    fn into_iter(self) -> slice::Iter<'a, K> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{Map, Set};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn as_trees() {
        let (mut map, mut set) = (Map::new(), Set::new());
        let (mut map_tree, mut set_tree) = (BTreeMap::new(), BTreeSet::new());
        for k in (0..200_u32).map(|k| k * k * 31 % 64) {
            if k % 3 == 0 {
                assert_eq!(map.remove(&(k / 2)), map_tree.remove(&(k / 2)));
                assert_eq!(set.remove(&(k / 2)), set_tree.remove(&(k / 2)));
            }
            assert_eq!(map.insert(k, k + 1), map_tree.insert(k, k + 1));
            *map.entry(k / 3).or_default() += 1;
            *map_tree.entry(k / 3).or_default() += 1;
            assert_eq!(set.insert(k), set_tree.insert(k));
            assert_eq!(map.get(&k), map_tree.get(&k));
            assert_eq!(map.contains_key(&(k + 1)), map_tree.contains_key(&(k + 1)));
            assert_eq!(set.contains(&(k + 1)), set_tree.contains(&(k + 1)));
            assert!(map.iter().eq(&map_tree) && set.iter().eq(&set_tree));
        }
    }

    #[test]
    fn lists() {
        let list: Vec<u32> = (0..500_u32).map(|k| k * k * 31 % 64).collect();
        let (mut ours, mut theirs) = (list.clone(), list.clone());
        super::sort(&mut ours);
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
        let (mut ours, mut theirs) = (list.clone(), list);
        super::sort_by_key(&mut ours, |x| x % 5);
        theirs.sort_by_key(|x| x % 5);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn of_sets() {
        let (a, b, c) = (Set::from([3, 1, 2, 3]), Set::from([2, 3]), Set::from([4]));
        assert_eq!((a.len(), &a[..]), (3, &[1, 2, 3][..]));
        assert!(b.is_subset(&a) && !a.is_subset(&b) && a.is_disjoint(&c) && !a.is_disjoint(&b));
        assert!(a.intersection(&b).eq(&[2, 3]));
    }
}
