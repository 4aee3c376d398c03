//! Tensor SSA to loops.
//!
//! ```text
//! prepare   results of their own, coefficients apart from sums, each by its equation; matmuls that steps need of no other (`ahead`)
//! node      what runs inside one loop nest: the sum-free terms of a statement, or one term with sums
//! dense     matmuls, in the loops over their other indices
//! symmetrize    triangles of symmetric matrices into the whole
//! fuse      nodes into a tree of loops: `build` and `grow` of one score
//! storage   what each array keeps of its dimensions, and how it begins
//! lower     the tree to statements: bounds from guards, tests where they are known
//! ```
//!
//! From there on each pass takes a program of loops and gives one: they are `PASSES`.

mod ahead;
mod call;
mod contract;
mod cost;
mod dense;
mod empty;
mod fuse;
mod jam;
mod lower;
mod node;
mod outline;
mod peel;
mod prepare;
mod range;
mod recompute;
mod rows;
mod share;
mod spread;
mod steps;
mod storage;
mod straight;
pub(crate) mod strips;
mod symmetrize;
mod tasks;
#[cfg(test)]
pub(crate) mod tests;
mod tile;
pub(crate) mod vectorize;

pub use tile::Blocks;

use crate::loops::Program;
#[cfg(any(test, feature = "eval"))]
use crate::loops::verify::{self, Prover, Ranges};
use crate::ssa::Function;
use crate::weights;

/// The function whose statements become loops: what is cheaper to compute again than to store is there twice.
#[must_use]
pub fn prepared(f: &Function) -> Function {
    prepare::prepare(f)
}

/// What the caller decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How long blocks are of fused and tiled loops; none: no loops do.
    pub blocks: Option<Blocks>,
    /// Whether long loops, and large matmuls, may be cut into tasks for threads.
    pub threads: bool,
    /// How many operations a function of a straight body has at most.
    pub function: usize,
    /// How many operations the longest straight body has at least in the steps of a loop that runs in blocks.
    pub steps: usize,
}

impl Options {
    /// With threads each long loop is cut by itself; without, loops are fused and tiled: each block of them needs the one before.
    #[must_use]
    pub fn new(threads: bool) -> Options {
        let (function, steps) = (weights::straight::FUNCTION, weights::straight::STEPS);
        Options { blocks: (!threads).then(Blocks::default), threads, function, steps }
    }

    /// Without threads, with blocks of another length, or none, with functions so short that small programs have several of them, and with loops around short
    /// steps in blocks.
    #[must_use]
    pub fn in_blocks(blocks: Option<Blocks>) -> Options {
        let (function, steps) = (weights::straight::SHORT, weights::straight::SHORT_STEPS);
        Options { blocks, threads: false, function, steps }
    }
}

/// Loops to loops.
type Pass = fn(Program, &Options) -> Program;

/// All that happens to loops, in order.
const PASSES: &[(&str, Pass)] = &[
    // Of what steps compute no more times are stored than are read again.
    ("contract", contract::contract),
    // The reverse sweep of a recurrence with checkpoints computes steps once more.
    ("checkpoint", contract::checkpoint),
    // Producers and consumers run block by block, with arrays cut to a window.
    ("tile", tile::tile),
    // Arrays that are not in use at the same time share a buffer.
    ("share", share::share),
    // What steps read of the last times of an array is in variables beside it.
    ("replace", contract::replace),
    // Loops are split at their ends, so that their interiors are free of tests.
    ("peel", peel::peel),
    // Loops run in the lanes of vectors.
    ("vectorize", vectorize::vectorize),
    // Several iterations run as one, statement by statement.
    ("unroll-and-jam", jam::jam),
    // Bodies of vectorized loops become straight lines.
    ("straight", straight::straight),
    // In what vectors vectorized loops run, and where their sums are until they are complete.
    ("strips", strips::strips),
    // Loops in sequence that take little time are functions of their own.
    ("outline", outline::outline),
    // Whether loops inside are empty is tested before the loops around them run.
    ("empty", empty::empty),
    // What innermost loops walk along is cut before them.
    ("rows", rows::rows),
    // Long loops are cut into tasks, if threads may have them.
    ("tasks", tasks::tasks),
];

/// A program that was scheduled without threads, with them.
#[must_use]
pub fn for_threads(p: &Program) -> Program {
    tasks::tasks(Program { threads: true, ..p.clone() }, &Options::new(true))
}

/// Schedules a simplified function, without threads.
#[must_use]
pub fn schedule(f: &Function) -> Program {
    scheduled(f, &Options::new(false))
}

/// Likewise, with options. Debug builds of what judges the compiler prove the ranges of one function in ten (its own tests: of all) after each pass;
/// names and lanes of all.
#[must_use]
pub fn scheduled(f: &Function, options: &Options) -> Program {
    #[cfg(all(debug_assertions, any(test, feature = "eval")))]
    if cfg!(test) || verify::is_chosen(f) {
        return judged(f, options, &mut Prover::default()).unwrap_or_else(|e| panic!("{e}")).0;
    }
    observed(f, options, &mut debug)
}

fn debug(pass: &str, program: &Program) {
    #[cfg(all(debug_assertions, feature = "eval"))]
    verify::names_and_lanes(program).unwrap_or_else(|e| panic!("after {pass}: {e}\n{program}"));
    let _ = (pass, program);
}

/// Likewise; `after` sees the program after each pass, by its name.
pub fn observed(f: &Function, options: &Options, after: &mut dyn FnMut(&str, &Program)) -> Program {
    let lowered = lowered(f, options);
    after("lower", &lowered);
    PASSES.iter().fold(lowered, |program, (name, pass)| {
        let program = pass(program, options);
        after(name, &program);
        program
    })
}

/// Likewise, judged after every pass: what the verifier says of the program at the end.
///
/// # Errors
/// The first pass after which a name is not bound, or a place not in range.
#[cfg(any(test, feature = "eval"))]
pub fn judged(f: &Function, options: &Options, prover: &mut Prover) -> Result<(Program, Ranges), String> {
    let mut last = Ok(Ranges::default());
    let program = observed(f, options, &mut |pass, program| {
        if last.is_ok() {
            last = verify::judge(program, prover).map_err(|e| format!("after {pass}: {e}\n{program}"));
        }
    });
    last.map(|ranges| (program, ranges))
}

/// The loops of a function, one after the other.
fn lowered(f: &Function, options: &Options) -> Program {
    let f = prepared(f);
    let (nodes, indices) = node::nodes(&f);
    let nodes = symmetrize::symmetrize(&f, dense::in_loops(&f, nodes));
    let tree = fuse::fuse(&f, &nodes);
    let plan = storage::plan(&f, &nodes, &tree);
    Program { threads: options.threads, ..lower::lower(f, nodes, indices, &tree, plan) }
}
