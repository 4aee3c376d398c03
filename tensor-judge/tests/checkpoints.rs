//! What the reverse sweep finds stored of a recurrence does not matter.

use tensor_judge::check::{self, Case};
use tensor_judge::run::mistakes;
use tensor_judge::{checkpoints, second};

/// The seeds.
const PROGRAMS: u64 = 400;

#[test]
fn checkpoints_change_nothing() {
    let cases: Vec<Case> = (0..PROGRAMS).filter_map(checkpoints::case).collect();
    assert!(cases.len() > 100, "{}", cases.len());
    let wrong = [mistakes(&cases, check::judge), mistakes(&cases[..cases.len() / 4], second::judge)].concat();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong[0]);
}
