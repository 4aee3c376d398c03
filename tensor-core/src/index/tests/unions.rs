//! Conjunctions of unions as unions of conjunctions.

use crate::index::pred::Pred;
use crate::index::project::dnf;
use crate::index::{Affine, Cond};

/// `x_first = 0 ∨ x_(first + 1) = 0 ∨ …`, each with more conditions.
fn union(numbers: impl Iterator<Item = u32>, more: &[Cond]) -> Cond {
    let one = |k: u32| [vec![Cond::Zero(index(k))], more.to_vec()].concat();
    Cond::Any(numbers.map(one).collect())
}

fn index(k: u32) -> Affine {
    crate::index::Atom::Index(k).into()
}

#[test]
fn what_lies_in_another_alternative_goes() {
    let all = union(0..16, &[]);
    let more = union(0..16, &[Cond::Zero(index(99))]);
    let p = [all.clone(), more.clone(), all, more].to_vec();
    let expected: Vec<Pred> = (0..16).map(|k| vec![Cond::Zero(index(k)), Cond::Zero(index(99))]).collect();
    let mut found = dnf(&p, &[]).expect("few alternatives");
    for alternative in &mut found {
        alternative.sort();
        alternative.dedup();
    }
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn too_many_alternatives_are_given_up() {
    assert_eq!(dnf(&[union(0..16, &[]), union(20..36, &[])], &[]), None);
}
