//! Many programs, on all processors.

use crate::check::Case;

/// What is wrong with a program, if anything.
pub type Judge = fn(&Case) -> Result<(), String>;

/// Judges one program; a panic is a mistake too.
///
/// # Errors
/// What is wrong with it, and its source.
pub fn verdict(case: &Case, judge: Judge) -> Result<(), String> {
    let outcome = std::panic::catch_unwind(|| judge(case)).unwrap_or_else(|_| Err("a panic".into()));
    outcome.map_err(|e| {
        format!("{}, sizes {:?}, seed {}: {e}\n{}", case.name, case.sizes, case.seed, case.source)
    })
}

/// The mistakes of some programs, in their order.
///
/// # Panics
/// Where the system gives no threads.
#[must_use]
pub fn mistakes(cases: &[Case], judge: Judge) -> Vec<String> {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = |k: usize| {
        let mine = cases.iter().enumerate().skip(k).step_by(workers);
        mine.filter_map(|(at, case)| verdict(case, judge).err().map(|e| (at, e))).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, String)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|k| {
                let big = std::thread::Builder::new().stack_size(64 << 20);
                big.spawn_scoped(scope, move || work(k)).expect("a thread")
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect()
    });
    all.sort();
    all.into_iter().map(|(_, e)| e).collect()
}
