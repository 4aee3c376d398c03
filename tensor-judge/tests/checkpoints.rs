//! What the reverse sweep finds stored of a recurrence does not matter.

use tensor_judge::check::{self, Case};
use tensor_judge::run::mistakes;
use tensor_judge::second;

/// The seeds.
const PROGRAMS: u64 = 400;

/// Before which forms a checkpoint stands.
const FORMS: [&str; 3] = ["rec ", "fold ", "scan "];

/// Every how many steps, and between two of these.
const EVERY: [&str; 5] = ["1", "2", "3", "4, 2", "3, 2, 1"];

/// A program of which each recurrence has checkpoints; `None` if there is none, or one that reads more than the last steps.
fn checkpointed(seed: u64) -> Option<Case> {
    let case = Case::wide(seed);
    let rng = &mut fastrand::Rng::with_seed(seed);
    let mut source = String::new();
    let mut rest = case.source.as_str();
    let mut found = false;
    while let Some((before, form)) =
        FORMS.iter().filter_map(|f| rest.split_once(f).map(|(b, _)| (b, *f))).min_by_key(|(b, _)| b.len())
    {
        let is_form = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        source += before;
        if is_form {
            let every = EVERY[rng.usize(..EVERY.len())];
            source += &format!("#[checkpoint({every})] ");
            found = true;
        }
        source += form;
        rest = &rest[before.len() + form.len()..];
    }
    source += rest;
    let case = Case { source, ..case };
    (found && check::analyzed(&case).is_ok()).then_some(case)
}

#[test]
fn checkpoints_change_nothing() {
    let cases: Vec<Case> = (0..PROGRAMS).filter_map(checkpointed).collect();
    assert!(cases.len() > 100, "{}", cases.len());
    let wrong = [mistakes(&cases, check::judge), mistakes(&cases[..cases.len() / 4], second::judge)].concat();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong[0]);
}
