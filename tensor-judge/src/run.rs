//! Many programs, on all processors.

use crate::check::Case;
use crate::judged;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tensor_core::tally::{self, Tally};

/// What is wrong with a program, if anything.
pub type Judge = fn(&Case) -> Result<(), String>;

/// Judges one program; a panic is a mistake too.
///
/// # Errors
/// What is wrong with it, and its source.
pub fn verdict(case: &Case, judge: Judge) -> Result<(), String> {
    let judged = || to_the_end(|| judge(case));
    let outcome = std::panic::catch_unwind(judged).unwrap_or_else(|_| Err("a panic".into()));
    outcome.map_err(|e| {
        format!("{}, sizes {:?}, seed {}: {e}\n{}", case.name, case.sizes, case.seed, case.source)
    })
}

/// Judges something, and that all that is simplified for it reaches its fixpoint: rules that undo each other keep the others from being tried.
///
/// # Errors
/// What is wrong.
pub fn to_the_end(judge: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let before = tally::count(Tally::Unfinished);
    judge()?;
    if tally::count(Tally::Unfinished) == before {
        Ok(())
    } else {
        Err("simplification does not end".to_string())
    }
}

/// Of so many programs one may be left out: judged at no size, since the evaluator takes too long or a question could not be decided.
const LEFT_OUT: usize = 20;

/// The mistakes of some programs, in their order. It is one too if hardly any are judged.
#[must_use]
pub fn mistakes(cases: &[Case], judge: Judge) -> Vec<String> {
    let left_out = Mutex::new(vec![]);
    let mut found = all(0..cases.len() as u64, |k| {
        let case = cases.get(usize::try_from(k).ok()?)?;
        let before = judged::count();
        let verdict = verdict(case, judge);
        if verdict.is_ok() && judged::count() == before {
            left_out.lock().expect("no panic").push(case.source.clone());
        }
        verdict.err()
    });
    let left_out = left_out.into_inner().expect("no panic");
    if LEFT_OUT * left_out.len() > cases.len() {
        let (count, all) = (left_out.len(), cases.len());
        found.push(format!("{count} of {all} are judged at no size, as\n{}", left_out[0]));
    }
    found
}

/// What `work` finds in some of a range, in order.
///
/// # Panics
/// Where the system gives no threads.
pub fn all<T: Send>(range: Range<u64>, work: impl Fn(u64) -> Option<T> + Sync) -> Vec<T> {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let next = AtomicU64::new(range.start);
    let mine = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|k| *k < range.end);
        std::iter::from_fn(take).filter_map(|k| Some((k, work(k)?))).collect::<Vec<_>>()
    };
    let mut all: Vec<(u64, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                let big = std::thread::Builder::new().stack_size(64 << 20);
                big.spawn_scoped(scope, mine).expect("a thread")
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect()
    });
    all.sort_by_key(|(k, _)| *k);
    all.into_iter().map(|(_, t)| t).collect()
}
