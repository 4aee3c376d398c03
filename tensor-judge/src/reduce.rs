//! A failing program made small: parts go as long as it fails in the same way.

mod candidates;

use crate::check::Case;
use crate::rewrite::Rule;
use crate::syntax::{alone, edit, print, read, unwrapped, wrapped};
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use tensor_core::ast::Block;

/// What two failures of one cause have in common: the first words of the message, without names and numbers.
#[must_use]
pub fn kind(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let is_word = |w: &&str| w.len() > 1 && w.trim_end_matches([':', ',']).chars().all(char::is_alphabetic);
    line.split_whitespace().filter(is_word).take(6).collect::<Vec<_>>().join(" ")
}

/// How long a program is made smaller, at most.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// The case made small, as long as `judge` finds something of this kind in it.
#[must_use]
pub fn reduced(case: &Case, judge: Find, patience: Duration) -> Case {
    let Some(wanted) = complaint(case, judge) else { return case.clone() };
    let fails = |c: &Case| complaint(c, judge).as_ref() == Some(&wanted);
    reduced_to(case, &fails, patience)
}

/// What finds a fault.
pub type Find<'a> = &'a dyn Fn(&Case) -> Result<(), String>;

/// The kind of what is wrong with a program; a panic is of one kind.
fn complaint(case: &Case, judge: Find) -> Option<String> {
    std::panic::catch_unwind(AssertUnwindSafe(|| judge(case)))
        .unwrap_or_else(|_| Err("a panic".into()))
        .err()
        .map(|e| kind(&e))
}

/// The case made small, as long as `fails` holds of it. The same case always becomes the same, but where time is up.
#[must_use]
pub fn reduced_to(case: &Case, fails: &dyn Fn(&Case) -> bool, patience: Duration) -> Case {
    let start = Instant::now();
    let Some(block) = read(&case.source) else { return case.clone() };
    let with = |block: &Block, sizes: &[i64]| Case {
        source: print::block(&unwrapped(block.clone())),
        sizes: vec![sizes.to_vec()],
        ..case.clone()
    };
    let mut best = wrapped(alone(&block, &case.name).unwrap_or(block));
    // One of the sizes is enough; what is left out with what it does not need may matter after all.
    let Some(mut sizes) = case.sizes.iter().find(|s| fails(&with(&best, s))).cloned() else {
        return case.clone();
    };
    loop {
        let before = (weight(&best), sizes.clone());
        while let Some(smaller) = smaller_sizes(&sizes).into_iter().find(|s| fails(&with(&best, s))) {
            sizes = smaller;
        }
        // A change at one place leaves the numbers of those before it as they are: go on from there.
        let mut next = 0;
        while let Some((at, smaller, new)) = candidates::of(&best, next, &sizes)
            .into_iter()
            .filter(|(_, b, _)| weight(b) < weight(&best))
            .take_while(|_| start.elapsed() < patience)
            .find(|(_, b, s)| fails(&with(b, s)))
        {
            (best, sizes, next) = (smaller, new, at);
        }
        if (weight(&best), sizes.clone()) == before || start.elapsed() >= patience {
            return with(&best, &sizes);
        }
    }
}

/// What becomes less with every step: the expressions, then the text.
fn weight(block: &Block) -> (usize, usize) {
    (edit::size(block), print::block(&unwrapped(block.clone())).len())
}

/// One size less, the smallest first.
fn smaller_sizes(sizes: &[i64]) -> Vec<Vec<i64>> {
    let one = |k: usize| {
        (0..sizes[k]).map(move |s| {
            let mut other = sizes.to_vec();
            other[k] = s;
            other
        })
    };
    (0..sizes.len()).flat_map(one).collect()
}

/// The text of a file of the folder `kept`: what was wrong, at which sizes and arguments, by which rewrite if only that shows it, the program. The
/// message is that of the program before it was made small, for where it tells more.
#[must_use]
pub fn note(case: &Case, judge: Find, rule: Option<Rule>, message: &str) -> String {
    let found = std::panic::catch_unwind(AssertUnwindSafe(|| judge(case)));
    let what =
        found.unwrap_or_else(|_| Err(message.to_string())).err().unwrap_or_else(|| message.to_string());
    let what = what.lines().next().unwrap_or_default();
    let tuple = |s: &Vec<i64>| s.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let sizes: Vec<String> = case.sizes.iter().map(tuple).collect();
    let rule = rule.map(|r| format!("// rule {}\n", r.name)).unwrap_or_default();
    format!("// {what}\n// sizes {}\n// seed {}\n{rule}{}", sizes.join(", "), case.seed, case.source)
}
