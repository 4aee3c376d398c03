//! Laws, not times: of each family of programs, twice the size costs about twice as much.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_laws::families::{Family, all};
use tensor_laws::measure::{Counts, counts};

/// What doubling may cost, of what grows with the program.
const DOUBLED: f64 = 2.3;

/// What it costs at most where a law holds for sure: counts of allocations depend a little on what is built beside.
const SURELY: f64 = 2.15;

/// What a program may cost beside, whatever its size: steps and allocations of one statement are not even.
const BESIDE: f64 = 2_000.0;

/// Of what is counted by statements that is much.
const FEW: f64 = 300.0;

/// So many pairs for each statement that was looked at are no more than the schedule looks around each of them.
const AROUND: f64 = 32.0;

/// How many times as much the second step costs as the first, by name, where that is more than it may be.
fn broken(all: &[Counts; 3], step: f64) -> Vec<String> {
    let mut out = vec![];
    for k in 0..all[0].each().len() {
        let [a, b, c] = all.each_ref().map(|counts| counts.each()[k].1 as f64);
        let name = all[0].each()[k].0;
        // Memory grows in steps, as lists double.
        let most = if name == "bytes" { step * b } else { b + step * (b - a).max(0.0) };
        let beside = match name {
            // They leap where another way is taken.
            "tokens" => (FEW + b / 3.0).min(BESIDE),
            "visits" => FEW,
            "pairs" if c >= AROUND * all[2].visits as f64 => FEW,
            _ => BESIDE,
        };
        if c > most + beside {
            out.push(format!("{name} {a} {b} {c}"));
        }
    }
    if all.iter().any(|c| c.unfinished > 0) {
        out.push("simplification ends before its fixpoint".to_string());
    }
    out
}

/// What breaks laws in a family from a size on. No size is refused.
fn from(f: &Family, k: usize, doubled: f64) -> Vec<String> {
    let all = f.sizes(k).map(|k| counts(&f.program(k)));
    match all.iter().find_map(|c| c.error.as_ref()).filter(|_| !f.is_mistaken) {
        None => broken(&all, doubled * f.step() / 2.0),
        Some(e) => vec![format!("refused: {e}")],
    }
}

/// Families that break the law at their first sizes, a line each, since a bound of the work first holds between two of them: they have to hold it at twice
/// these. One stands there until it is mended, and no longer.
const OPEN: &str = include_str!("open.txt");

/// Families of many statements, and sizes at which what grows as their square outweighs the rest: they hold their laws there, too.
const FAR: [(&str, usize); 2] = [("body/elements/hessian", 64), ("calls/tensor/hvp", 256)];

/// What is wrong with a family.
fn of(f: &Family) -> Vec<String> {
    let far = FAR.iter().filter(|(name, _)| *name == f.name);
    far.flat_map(|(_, k)| from(f, *k, DOUBLED)).chain(at_first(f)).collect()
}

/// At its first sizes.
fn at_first(f: &Family) -> Vec<String> {
    if !OPEN.lines().any(|line| line == f.name) {
        return from(f, f.from, DOUBLED);
    }
    if from(f, f.from, SURELY).is_empty() {
        return vec!["it holds its law now".to_string()];
    }
    from(f, 2 * f.from, DOUBLED)
}

/// Whether it is far too deep.
fn is_deep(f: &Family) -> bool {
    f.name.starts_with("deep/")
}

#[test]
fn twice_the_size_costs_twice_as_much() {
    let families = all();
    assert!(FAR.iter().all(|(name, _)| families.iter().any(|f| f.name == *name)));
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<String>> = Mutex::default();
    let work = || {
        while let Some(f) = families.get(next.fetch_add(1, Ordering::Relaxed)) {
            let broken = of(f);
            if !broken.is_empty() {
                found.lock().expect("no panic").push(format!("{}: {}", f.name, broken.join(", ")));
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        (0..workers).for_each(|_| {
            scope.spawn(work);
        });
    });
    let mut found = found.into_inner().expect("no panic");
    found.sort();
    assert!(found.is_empty(), "these break a law:\n{}", found.join("\n"));
}

/// A stack of rustc is enough for the longest and the deepest of programs.
#[test]
fn a_large_program_is_compiled_or_refused() {
    let deep: Vec<Family> = all().into_iter().filter(is_deep).collect();
    assert!(!deep.is_empty());
    for f in deep {
        let c = counts(&f.program(f.most));
        assert!(c.tokens > 0, "{}", f.name);
    }
}

/// Laws of what nobody counts hold by themselves.
#[test]
fn all_is_counted() {
    let found: Vec<Counts> = all()
        .iter()
        .filter(|f| f.name.starts_with("tensor/layers"))
        .map(|f| counts(&f.program(f.from)))
        .collect();
    assert!(!found.is_empty());
    for c in found {
        assert!(c.each().iter().all(|(_, n)| *n > 0), "{c:?}");
    }
}
