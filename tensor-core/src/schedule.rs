//! Tensor SSA to loops.
//!
//! ```text
//! prepare   results of their own, coefficients apart from sums, each by its equation
//! node      what runs inside one loop nest: the sum-free terms of a statement, or one term with sums
//! mirror    halves of symmetric matrices into the whole
//! fuse      nodes into a tree of loops: `build` and `grow` of one score
//! storage   what each array keeps of its dimensions, and how it begins
//! lower     the tree to statements: bounds from guards, tests where they are known
//! turns     producers and consumers block by block, with arrays cut to a window
//! split     loops at their ends, so that their interiors are free of tests
//! ```
//!
//! A later stage may turn a loop of the tree into a strip, a tile or threads: `fuse::Item` is the seam.

mod call;
mod dense;
mod fuse;
mod jam;
pub(crate) mod lanes;
mod lower;
mod mirror;
mod node;
mod prepare;
mod range;
mod recompute;
mod split;
mod storage;
#[cfg(test)]
pub(crate) mod tests;
mod turns;

pub use lower::PRODUCT_WORK;
pub use turns::Blocks;

use crate::loops::Program;
#[cfg(any(test, feature = "eval"))]
use crate::loops::verify::{self, Prover, Ranges};
use crate::mark::{self, Mark};
use crate::ssa::Function;

/// The function whose statements become loops: what is cheaper to compute again than to store is there twice.
#[must_use]
pub fn prepared(f: &Function) -> Function {
    prepare::prepare(f)
}

/// Schedules a simplified function. With threads, each long loop is cut by itself; without, loops run in turns.
#[must_use]
pub fn schedule(f: &Function) -> Program {
    in_blocks(f, (!cfg!(feature = "rayon")).then(Blocks::default))
}

/// Likewise, with blocks of another length for loops that run in turns, or no such loops.
#[must_use]
pub fn in_blocks(f: &Function, blocks: Option<Blocks>) -> Program {
    passes(f, blocks, &mut |_, _| {})
}

/// Likewise, judged after every pass: what the verifier says of the program at the end.
///
/// # Errors
/// The first pass after which a name is not bound, or a place not in range.
#[cfg(any(test, feature = "eval"))]
pub fn judged(
    f: &Function,
    blocks: Option<Blocks>,
    prover: &mut Prover,
) -> Result<(Program, Ranges), String> {
    let mut last = Ok(Ranges::default());
    let program = passes(f, blocks, &mut |pass, program| {
        if last.is_ok() {
            last = verify::judge(program, prover).map_err(|e| format!("after {pass}: {e}\n{program}"));
        }
    });
    last.map(|ranges| (program, ranges))
}

/// The passes over loops; `after` sees the program after each, by its name.
fn passes(f: &Function, blocks: Option<Blocks>, after: &mut dyn FnMut(&str, &Program)) -> Program {
    let f = prepared(f);
    let (nodes, indices) = node::nodes(&f);
    let nodes = mirror::mirror(&f, dense::in_loops(&f, nodes));
    let tree = fuse::fuse(&f, &nodes);
    let plan = storage::plan(&f, &nodes, &tree);
    let lower = |plan: storage::Plan| lower::lower(f.clone(), nodes.clone(), indices.clone(), &tree, plan);
    let (mut program, whole) = match blocks {
        Some(blocks) if turns::may_be(&f, &nodes) => {
            mark::hit(Mark::Turns);
            turns::lowered(plan, blocks, &lower)
        }
        Some(_) | None => (lower(plan), vec![]),
    };
    after(if whole.is_empty() { "lower" } else { "turns" }, &program);
    split::split(&mut program, &whole);
    after("split", &program);
    lanes::choose(&mut program);
    after("lanes", &program);
    jam::jam(&mut program);
    after("jam", &program);
    program
}
