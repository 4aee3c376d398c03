//! Vectorized loops that take little of the program's time, whatever the sizes: wide lanes, which are most of the code of a loop, are not worth it.

use crate::loops::captures::sizes_of;
use crate::loops::{Order, Program, Stmt};
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use crate::weights;

/// A vectorized loop with the loops around it and inside.
#[derive(Default)]
struct Nest {
    /// What it costs, if each loop around runs a hundred times.
    time: f64,
    /// What the number of iterations depends on.
    sizes: Set<u32>,
}

/// The vectorized loops that are short. The sizes that they depend on are among those of the longest loop: so they are not longer for other sizes
/// than those that costs are counted for.
pub(super) fn all(p: &Program) -> Set<Index> {
    let mut nests = Map::new();
    collect(&p.body, 1.0, &Set::new(), &mut nests);
    let Some(longest) = nests.values().reduce(|a, b| if a.time < b.time { b } else { a }) else {
        return Set::new();
    };
    let is_short =
        |own: &Nest| own.time < weights::strips::PART * longest.time && own.sizes.is_subset(&longest.sizes);
    nests.iter().filter(|(_, own)| is_short(own)).map(|(index, _)| *index).collect()
}

#[allow(clippy::cast_precision_loss)]
fn collect(stmts: &[Stmt], runs: f64, around: &Set<u32>, out: &mut Map<Index, Nest>) {
    for s in stmts {
        let mut sizes = around.clone();
        match s {
            Stmt::For { index, order: Order::Lanes { cost, .. }, .. } => {
                sizes_of_loops(std::slice::from_ref(s), &mut sizes);
                let nest = out.entry(*index).or_default();
                nest.time = f64::max(nest.time, runs * *cost as f64);
                nest.sizes.extend(sizes);
            }
            Stmt::For { body, .. } => {
                bounds(s, &mut sizes);
                collect(body, weights::nominal::COUNT * runs, &sizes, out);
            }
            _ => s.blocks().into_iter().for_each(|b| collect(b, runs, around, out)),
        }
    }
}

fn sizes_of_loops(stmts: &[Stmt], out: &mut Set<u32>) {
    for s in stmts {
        bounds(s, out);
        s.blocks().into_iter().for_each(|b| sizes_of_loops(b, out));
    }
}

/// The sizes in the range of a loop.
fn bounds(s: &Stmt, out: &mut Set<u32>) {
    if let Stmt::For { lower, upper, .. } = s {
        lower.iter().chain(upper).for_each(|b| sizes_of(&b.num, out));
    }
}
