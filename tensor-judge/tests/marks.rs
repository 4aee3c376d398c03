//! Whether random programs reach each branch of the passes.

use tensor_core::mark;
use tensor_judge::check::{self, Case};
use tensor_judge::run::mistakes;
use tensor_judge::{layers, second, stages};

/// The seeds of programs with their first derivatives.
const FIRST: u64 = 600;

/// Those of programs with all derivatives.
const ALL: u64 = 60;

/// Those of stages and of layers, whose loops run in turns.
const IN_TURNS: u64 = 30;

/// What is wrong with these programs other tests tell.
#[test]
fn each_branch_is_reached() {
    let cases = |count: u64, case: fn(u64) -> Case| (0..count).map(case).collect::<Vec<Case>>();
    let _ = mistakes(&cases(FIRST, Case::wide), check::judge);
    let _ = mistakes(&cases(ALL, Case::wide), second::judge);
    for case in [stages::case, layers::case] {
        let _ = mistakes(&cases(IN_TURNS, case), check::judge);
    }
    let missing: Vec<_> = mark::ALL.iter().filter(|m| mark::count(**m) == 0).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
