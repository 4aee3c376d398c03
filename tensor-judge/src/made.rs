//! A function with the loops that are made of it: scheduled once, run at any sizes.

use crate::compare::same;
use std::sync::atomic::{AtomicU64, Ordering};
use tensor_core::ast::Keep;
use tensor_core::eval::ssa::Counts;
use tensor_core::eval::{self, Cost, Tensor};
use tensor_core::loops::eval::Iterations;
use tensor_core::loops::verify::Prover;
use tensor_core::schedule::{Blocks, Options};
use tensor_core::ssa::Function;
use tensor_core::{loops, schedule, simplify, ssa};

/// A function in normal form, and its loops.
pub struct Made {
    /// Its name in messages.
    what: String,
    /// The function.
    f: Function,
    /// Without `stop`, as it is scheduled.
    erased: Function,
    /// What is cheap stands where it is read.
    prepared: Function,
    /// As they run where nothing is long.
    loops: loops::Program,
    /// Likewise for threads, where that makes a difference.
    in_tasks: Option<loops::Program>,
    /// In blocks of 1, in blocks of 150, and as by default, where that makes a difference.
    tiled: Option<[(&'static str, loops::Program); 3]>,
}

/// Whether what is made of a program with this seed is scheduled for threads, too: one of four, and what is kept without a seed of its own.
#[must_use]
pub fn for_threads(seed: u64) -> bool {
    seed % 4 == 1
}

/// What is cheap to compute again, or to compute where it is not needed, may make the cost so many times what it was, with a comparison that
/// need not be asked as one operation, and what there is to read and write.
const AGAIN: Cost = 2;

impl Made {
    /// Schedules a function, if it is asked also as it is for threads. The verifier proves its loops after every pass.
    ///
    /// # Errors
    /// It breaks an invariant of Tensor SSA, or after a pass of the schedule a name is not bound, or a place not in range, or not decided.
    pub fn new(what: &str, f: Function, threads: bool) -> Result<Made, String> {
        ssa::verify::verify(&f).map_err(|e| format!("{what}: {e}"))?;
        let erased = simplify::erase_stops(f.clone());
        let prepared = schedule::prepared(&erased);
        let mut prover = Prover::default();
        let mut with = |options: Options| scheduled(what, &erased, &options, &mut prover);
        let in_tasks = if threads { Some(with(Options::new(true))?) } else { None };
        let mut in_blocks = |blocks: Option<Blocks>| with(Options::in_blocks(blocks));
        let short = |elements: i64| Blocks { elements, halos: 0, of_products: elements, rows: 1 };
        let (loops, ones) = (in_blocks(None)?, in_blocks(Some(short(1)))?);
        // Sizes here are below the length of a block by default; of shorter ones there are several, and moving what they share costs.
        let tiled = if ones.to_string() == loops.to_string() {
            None
        } else {
            let (long, default) = (in_blocks(Some(short(150)))?, in_blocks(Some(Blocks::default()))?);
            Some([(", in blocks of 1", ones), (", in blocks of 150", long), (", tiled", default)])
        };
        // Of the others what differs most, the tasks: those take no time.
        let in_tasks = in_tasks.unwrap_or_else(|| schedule::for_threads(&loops));
        let in_tasks = Some(in_tasks).filter(|p| p.to_string() != loops.to_string());
        Ok(Made { what: what.to_string(), f, erased, prepared, loops, in_tasks, tiled })
    }

    /// How many times more steps run, by the checkpoints of recurrences.
    pub fn runs_more(&self) -> Cost {
        let runs = |r: &ssa::Rec| match &r.keep {
            Some(Keep::Every(levels)) => levels.len(),
            Some(Keep::Sqrt) => 1,
            None => 0,
        };
        self.prepared.recs.iter().map(runs).max().unwrap_or(0) as Cost
    }

    /// Its loops where nothing is tiled, as they are before bodies become straight lines.
    fn before_straight(&self) -> loops::Program {
        let mut last = None;
        schedule::observed(&self.erased, &Options::in_blocks(None), &mut |pass, program| {
            if pass == "unroll-and-jam" {
                last = Some(program.clone());
            }
        });
        last.expect("one of the passes")
    }

    /// Its value by statements, and what is counted of them.
    ///
    /// # Errors
    /// It reads out of range.
    pub fn run(&self, sizes: &[i64], args: &[Tensor]) -> Result<(Vec<Tensor>, Counts), String> {
        eval::ssa::run_counted(&self.f, sizes, args).map_err(|e| format!("{}: {e}", self.what))
    }

    /// The same, if the value is as expected and costs at most so much.
    ///
    /// # Errors
    /// It is not, or costs more.
    pub fn check(
        &self,
        sizes: &[i64],
        args: &[Tensor],
        expected: &[Tensor],
        most: Cost,
    ) -> Result<Cost, String> {
        let (found, _) = self.run(sizes, args)?;
        same(&self.what, &found, expected, 1e-9)?;
        let (_, cost) =
            eval::ssa::run(&self.erased, sizes, args).map_err(|e| format!("{}: {e}", self.what))?;
        bound(&self.what, cost, most)?;
        Ok(cost)
    }

    /// The loops of a function compute what it does, at no more cost than its statements when those are prepared, which is returned. (What is
    /// cheap to compute again is then there twice; the bounds hold on the loops even so.)
    ///
    /// # Errors
    /// They do not, or cost more.
    pub fn on_loops(
        &self,
        sizes: &[i64],
        args: &[Tensor],
        expected: &[Tensor],
        most: Cost,
    ) -> Result<Cost, String> {
        let what = &self.what;
        let prepared = format!("{what}, prepared");
        let (value, cheap) =
            eval::ssa::run(&self.prepared, sizes, args).map_err(|e| format!("{prepared}: {e}"))?;
        same(&prepared, &value, expected, 1e-9)?;
        let (_, before) =
            eval::ssa::run_counted(&self.erased, sizes, args).map_err(|e| format!("{what}: {e}"))?;
        let elements: usize = args.iter().chain(expected).map(|t| t.data.len()).sum();
        bound(&prepared, cheap, AGAIN * (before.cost + before.comparisons + elements as Cost))?;
        let leaves: Vec<loops::eval::Elements> = args.iter().map(|t| t.data.clone()).collect();
        let name = format!("loops of {what}");
        let cost = run(&self.loops, Iterations::Forward, &name, sizes, &leaves, expected)?;
        let backward = format!("{name}, backward");
        run(&self.loops, Iterations::Backward, &backward, sizes, &leaves, expected)?;
        bound(&name, cost, most.max(cheap).saturating_add(self.runs_more() * cheap))?;
        if let Some(program) = &self.in_tasks {
            run(program, Iterations::Forward, &format!("{name}, in tasks"), sizes, &leaves, expected)?;
        }
        for (how, program) in self.tiled.iter().flatten() {
            let name = format!("{name}{how}");
            let moved = run(program, Iterations::Forward, &name, sizes, &leaves, expected)?;
            if *how == ", tiled" && moved > cost {
                // Of loops that are not tiled, bodies may have become straight lines, with what they share computed once.
                let as_written =
                    run(&self.before_straight(), Iterations::Forward, &name, sizes, &leaves, expected)?;
                bound(&name, moved, as_written)?;
            }
        }
        Ok(cost)
    }
}

/// Places where products of sizes or indices are in question, which the verifier does not decide.
static HARD: AtomicU64 = AtomicU64::new(0);

/// How many places were left undecided so far, in this process, since products are in question.
#[must_use]
pub fn undecided() -> u64 {
    HARD.load(Ordering::Relaxed)
}

/// The loops of a function, proved after every pass.
///
/// # Errors
/// A pass after which a name is not bound, or a place not in range, or not decided though it is affine.
pub fn scheduled(
    what: &str,
    f: &Function,
    options: &Options,
    prover: &mut Prover,
) -> Result<loops::Program, String> {
    let how = if options.threads { format!("{what}, for threads") } else { what.to_string() };
    let (program, found) = schedule::judged(f, options, prover).map_err(|e| format!("{how}, {e}"))?;
    HARD.fetch_add(found.hard as u64, Ordering::Relaxed);
    match found.undecided.first() {
        None => Ok(program),
        Some(e) => Err(format!("{how}: {e}\n{program}")),
    }
}

/// The cost of loops that compute what is expected.
fn run(
    program: &loops::Program,
    iterations: Iterations,
    what: &str,
    sizes: &[i64],
    leaves: &[loops::eval::Elements],
    expected: &[Tensor],
) -> Result<Cost, String> {
    let constant = |path: &str| eval::scalar::constant(path).unwrap_or(f64::NAN);
    let (found, counts) = loops::eval::run_in_order(program, iterations, sizes, leaves, &constant)
        .map_err(|e| format!("{what}: {e}\n{program}"))?;
    let lengths = |of: &mut dyn Iterator<Item = usize>| of.collect::<Vec<_>>();
    let (there, wanted) =
        (lengths(&mut found.iter().map(Vec::len)), lengths(&mut expected.iter().map(|e| e.data.len())));
    if there != wanted {
        return Err(format!("{what}: results of lengths {there:?} for {wanted:?}\n{program}"));
    }
    let shaped = |(data, e): (Vec<f64>, &Tensor)| Tensor { shape: e.shape.clone(), data };
    let found: Vec<Tensor> = found.into_iter().zip(expected).map(shaped).collect();
    same(what, &found, expected, 1e-9).map_err(|e| format!("{e}\n{program}"))?;
    Ok(counts.cost())
}

/// Whether a cost keeps its bound.
///
/// # Errors
/// It does not.
pub fn bound(what: &str, cost: Cost, most: Cost) -> Result<(), String> {
    if cost > most { Err(format!("{what}: cost {cost}, at most {most} allowed")) } else { Ok(()) }
}
