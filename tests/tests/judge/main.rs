//! Random programs through every pass, judged by the reference evaluator of the typed language.
//!
//! For each program: every pass preserves the value and raises no cost; `jvp` and `vjp` are transposes of each other; `jvp` agrees with
//! differences; the derivatives keep the bounds on cost of *Differentiating a Tensor Language* (Sections 5 and 6), on Tensor SSA and on the loops.

mod check;
mod compare;
mod layers;
mod second;
mod stages;

use check::Case;

/// The seeds of a run of the tests.
const PROGRAMS: u64 = 2000;

/// Those of second derivatives, which take longer.
const TWICE: u64 = 300;

/// Programs beyond these that once went wrong.
const FOUND: [u64; 8] = [489, 956, 1085, 1102, 2059, 2260, 2309, 2369];

/// Those in stages.
const STAGES: u64 = 300;

/// Those of matrices.
const LAYERS: u64 = 300;

/// A judgement of one program.
type Judge = fn(&Case) -> Result<(), String>;

/// The mistakes of the programs of some seeds, on all processors.
fn run(seeds: &[u64], case: fn(u64) -> Case, judge: Judge) -> Vec<String> {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = |k: usize| {
        let mine = seeds.iter().copied().skip(k).step_by(workers);
        mine.filter_map(|seed| {
            let case = case(seed);
            let verdict = std::panic::catch_unwind(|| judge(&case)).unwrap_or_else(|_| Err("a panic".into()));
            verdict.err().map(|e| format!("seed {seed}: {e}\n{}", case.source))
        })
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|k| {
                let big = std::thread::Builder::new().stack_size(64 << 20);
                big.spawn_scoped(scope, move || work(k).collect::<Vec<_>>()).expect("a thread")
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect()
    })
}

fn all(count: u64, case: fn(u64) -> Case, judge: Judge) {
    let range = std::env::var("JUDGE_SEEDS").ok().and_then(|text| {
        let (a, b) = text.split_once("..")?;
        Some(a.parse().ok()?..b.parse().ok()?)
    });
    let seeds: Vec<u64> = range.map_or_else(|| (0..count).chain(FOUND).collect(), Iterator::collect);
    let mistakes = run(&seeds, case, judge);
    let heads: Vec<&str> = mistakes.iter().filter_map(|m| m.lines().next()).collect();
    let first = mistakes.first().map_or("", |m| m);
    assert!(mistakes.is_empty(), "{} programs fail:\n{}\n{first}", mistakes.len(), heads.join("\n"));
}

#[test]
fn random_programs() {
    all(PROGRAMS, Case::random, check::judge);
}

#[test]
fn second_derivatives() {
    all(TWICE, Case::random, second::judge);
}

#[test]
fn stages() {
    all(STAGES, stages::case, check::judge);
}

#[test]
fn layers() {
    all(LAYERS, layers::case, check::judge);
}
