//! A failing input, made short.

use crate::judge::judge;
use crate::tree::{Node, Tree};
use std::time::{Duration, Instant};

/// Shrinking stops after this time, with what it has.
const PATIENCE: Duration = Duration::from_secs(60);

/// The input without what its failure does not need.
#[must_use]
pub fn shrink(input: &Tree) -> Tree {
    let wanted = judge(&input.tokens()).failure();
    shrink_to(input, |t| judge(&t.tokens()).failure() == wanted)
}

/// The input without what `holds` does not need.
pub fn shrink_to(input: &Tree, holds: impl Fn(&Tree) -> bool) -> Tree {
    let start = Instant::now();
    let mut best = input.clone();
    // Pieces of halving lengths, until not even one token can go.
    let mut length = best.places().max(1);
    loop {
        let mut place = 0;
        let mut changed = false;
        while place < best.places() && start.elapsed() < PATIENCE {
            let tries = [without(&best, place, length), inside(&best, place)];
            match tries.into_iter().flatten().find(&holds) {
                Some(shorter) => {
                    best = shorter;
                    changed = true;
                }
                None => place += 1,
            }
        }
        if length == 1 && !changed || start.elapsed() >= PATIENCE {
            return best;
        }
        length = (length / 2).max(1);
    }
}

/// Without this node and those that follow it in its list.
fn without(tree: &Tree, place: usize, length: usize) -> Option<Tree> {
    let mut out = tree.clone();
    let (list, k) = out.list(place)?;
    if k + length > list.len() {
        return None;
    }
    list.drain(k..k + length);
    Some(out)
}

/// With what is inside this group instead of the group.
fn inside(tree: &Tree, place: usize) -> Option<Tree> {
    let mut out = tree.clone();
    let (list, k) = out.list(place)?;
    let Node::Group(_, content) = list[k].clone() else { return None };
    list.splice(k..=k, content.0);
    Some(out)
}
