//! Classes of what is the same, by pairs that are.

use crate::sorted;

/// The classes that pairs join: the least equivalence that has them. An element alone is a pair with itself. Time n log n, by trees with halved paths (Tarjan and van
/// Leeuwen, *Worst-case analysis of set union algorithms*, 1984).
pub(crate) fn classes<T: Ord + Copy>(pairs: &[(T, T)]) -> Vec<Vec<T>> {
    let mut all: Vec<T> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    sorted::sort(&mut all);
    all.dedup();
    let mut parents: Vec<usize> = (0..all.len()).collect();
    for (a, b) in pairs {
        let [a, b] = [a, b].map(|x| root(&mut parents, all.partition_point(|y| y < x)));
        parents[a.max(b)] = a.min(b);
    }
    let mut out: Vec<Vec<T>> = all.iter().map(|_| vec![]).collect();
    for (k, x) in all.iter().enumerate() {
        out[root(&mut parents, k)].push(*x);
    }
    out.retain(|class| !class.is_empty());
    out
}

fn root(parents: &mut [usize], mut k: usize) -> usize {
    while parents[k] != k {
        parents[k] = parents[parents[k]];
        k = parents[k];
    }
    k
}

#[cfg(test)]
mod tests {
    use super::classes;

    #[test]
    fn pairs_join_classes() {
        let found = classes(&[(5, 3), (1, 1), (7, 9), (3, 8), (9, 5)]);
        assert_eq!(found, [vec![1], vec![3, 5, 7, 8, 9]]);
        assert!(classes::<u32>(&[]).is_empty());
    }
}
