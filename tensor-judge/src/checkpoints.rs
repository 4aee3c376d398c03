//! Random programs of which each recurrence has checkpoints.

use crate::check::{self, Case};
use fastrand::Rng;

/// Before which forms a checkpoint stands.
const FORMS: [&str; 3] = ["rec ", "fold ", "scan "];

/// Every how many steps, and between two of these.
const EVERY: [&str; 6] = ["1", "2", "3", "4, 2", "3, 2, 1", "sqrt"];

/// The random program of a seed, with checkpoints; `None` if it has no recurrence, or one that reads more than the last steps.
#[must_use]
pub fn case(seed: u64) -> Option<Case> {
    let case = Case::wide(seed);
    let rng = &mut Rng::with_seed(seed);
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
