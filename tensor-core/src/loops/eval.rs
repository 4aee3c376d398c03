//! The loop evaluator: what a program computes, and what that costs by the cost model.
//!
//! It judges the order of statements, too: every element starts as nothing, and nothing is neither read nor returned. What holds indices, or what each
//! lane has for itself, is nothing again in each iteration of a loop that all its uses are inside of.

mod expr;
mod leaf;
mod sums;
mod tasks;
#[cfg(test)]
mod tests;
mod whole;

use super::display::statement;
use super::inside::{inside, ordered, searches};
use super::rows::{Row, Walk};
use super::straight::Parts;
use super::verify::verify;
use super::{Bound, Direction, Expr, Leaf, Order, Program, Stmt, Storage, VarId};
use crate::index::Affine;
use crate::sorted::{Map, Set};
use crate::ssa::Index;
use std::ops::Range;
use sums::Waiting;

/// What an execution counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Additions, and comparisons of `max` and `min` reductions. The first term that is added to zero is none.
    pub adds: u64,
    /// Multiplications, but by ±1.
    pub muls: u64,
    /// Calls of scalar functions, one for each argument; a closed form counts one.
    pub calls: u64,
    /// Iterations of loops.
    pub iterations: u64,
    /// Guards tested: each test of an `If`.
    pub tests: u64,
    /// Elements of buffers written.
    pub stores: u64,
}

impl Counts {
    /// Additions, multiplications and calls.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.adds + self.muls + self.calls
    }
}

/// One result leaf: its elements in row-major order; one for a scalar.
pub type Elements = Vec<f64>;

/// A value of a variable: numbers, whether each has been written, and whether it has received a term since it became zero.
#[derive(Clone, Debug, Default)]
struct Cells {
    reals: Vec<f64>,
    indices: Vec<i64>,
    written: Vec<bool>,
    live: Vec<bool>,
    extents: Vec<i64>,
}

/// An element of a variable.
type Cell = (usize, usize);

struct Machine<'a> {
    program: &'a Program,
    sizes: Vec<i64>,
    constants: &'a dyn Fn(&str) -> f64,
    vars: Vec<Cells>,
    env: Map<u32, i64>,
    /// What is nothing again in each iteration of a loop.
    anew: Map<u32, Vec<usize>>,
    /// The locals in which an [`Leaf::ArgExtreme`] searches. Other locals are declared with a number that means nothing.
    searches: Set<VarId>,
    /// In which order iterations run.
    iterations: Iterations,
    /// The loops of which that matters.
    ordered: Set<Index>,
    /// Declarations of a straight body, which run where they are read first.
    pending: Map<VarId, &'a [Stmt]>,
    /// What a loop adds later than its iterations say.
    waiting: Waiting<'a>,
    counts: Counts,
}

/// The order of iterations, which must not matter but for steps, blocks of tiled loops, and searches for the first of equal places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Iterations {
    /// The first first.
    Forward,
    /// The last first.
    Backward,
}

/// What each iteration of a loop begins without, by index.
fn anew(program: &Program) -> Map<u32, Vec<usize>> {
    let mut out: Map<u32, Vec<usize>> = Map::new();
    let all = program.vars.iter().zip(inside(program)).enumerate();
    for (v, (var, loops)) in all.filter(|(_, (var, _))| var.holds_indices || var.lanes.is_some()) {
        let all = loops.into_iter().flat_map(|loops| loops.iter().copied().collect::<Vec<Index>>());
        let own = |i: &Index| var.holds_indices || var.lanes == Some(*i);
        all.filter(own).for_each(|i| out.entry(i.0).or_default().push(v));
    }
    out
}

/// Runs a program on the leaves of its parameters. `constants` resolves Rust constants.
///
/// # Errors
/// Where the program reads or writes outside a buffer, reads or returns what was not written, or is no program: the evaluator judges programs.
pub fn run(
    program: &Program,
    sizes: &[i64],
    params: &[Elements],
    constants: &dyn Fn(&str) -> f64,
) -> Result<(Vec<Elements>, Counts), String> {
    run_in_order(program, Iterations::Forward, sizes, params, constants)
}

/// Likewise, with iterations in this order.
///
/// # Errors
/// As [`run`].
pub fn run_in_order(
    program: &Program,
    iterations: Iterations,
    sizes: &[i64],
    params: &[Elements],
    constants: &dyn Fn(&str) -> f64,
) -> Result<(Vec<Elements>, Counts), String> {
    verify(program)?;
    let mut m = Machine {
        program,
        sizes: program.sizes(sizes),
        constants,
        vars: vec![],
        env: Map::new(),
        anew: anew(program),
        searches: searches(&program.body),
        iterations,
        ordered: ordered(program),
        pending: Map::new(),
        waiting: Waiting::default(),
        counts: Counts::default(),
    };
    for v in &program.vars {
        let extents = v.extents.iter().map(|e| m.affine(e)).collect::<Result<Vec<i64>, _>>()?;
        // An array of a scope that is empty may have an extent below 0, which is none.
        let len = extents.iter().map(|e| usize::try_from(*e).unwrap_or(0)).product();
        let reals = match v.storage {
            Storage::Param(k) => params.get(k).ok_or("a parameter is missing")?.clone(),
            Storage::Result(_) | Storage::Work(_) | Storage::Local => vec![f64::NAN; len],
        };
        if reals.len() != len {
            return Err(format!("`{}` has {} elements for {len}", v.name, reals.len()));
        }
        let written = vec![matches!(v.storage, Storage::Param(_)); len];
        m.vars.push(Cells { reals, indices: vec![0; len], written, live: vec![true; len], extents });
    }
    m.block(&program.body)?;
    let mut scalars = program.scalars.iter();
    let mut leaves = vec![];
    for (k, r) in program.function.results.iter().enumerate() {
        if program.function.array(*r).extents.is_empty() {
            let e = scalars.next().ok_or("a scalar result is missing")?;
            leaves.push(vec![m.expr(e).map_err(|e| format!("{e}, which is returned"))?.0]);
        } else {
            let v = program.vars.iter().position(|v| v.storage == Storage::Result(k));
            leaves.push(m.returned(v.ok_or("a result has no buffer")?)?);
        }
    }
    Ok((leaves, m.counts))
}

impl<'a> Machine<'a> {
    fn block(&mut self, stmts: &'a [Stmt]) -> Result<(), String> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    /// All elements of a result.
    fn returned(&self, v: usize) -> Result<Elements, String> {
        (0..self.vars[v].reals.len())
            .map(|k| self.get((v, k)).map(|x| x.0).map_err(|e| format!("{e}, which is returned")))
            .collect()
    }

    /// A number, and whether it counts as a term.
    fn get(&self, (v, k): Cell) -> Result<(f64, bool), String> {
        let cells = &self.vars[v];
        self.is_written((v, k)).map(|()| (cells.reals[k], cells.live[k]))
    }

    fn is_written(&self, (v, k): Cell) -> Result<(), String> {
        if self.vars[v].written[k] {
            return Ok(());
        }
        Err(format!("nothing was written to element {k} of `{}`", self.program.vars[v].name))
    }

    fn set(&mut self, (v, k): Cell, value: f64, live: bool) {
        self.vars[v].reals[k] = value;
        self.vars[v].live[k] = live;
        self.vars[v].written[k] = true;
        if self.program.vars[v].storage != Storage::Local {
            self.counts.stores += 1;
        }
    }

    fn set_index(&mut self, (v, k): Cell, value: i64) {
        self.vars[v].indices[k] = value;
        self.vars[v].written[k] = true;
    }

    /// A statement with what is inside; what goes wrong is said with the statement where it does.
    fn stmt(&mut self, s: &'a Stmt) -> Result<(), String> {
        let here = |e: String| format!("{e}\nat {}", statement(self.program, s));
        match s {
            Stmt::For { lower, upper, step, tasks, .. } => {
                let (first, last, by) = self.range(lower, upper, step.as_ref()).map_err(here)?;
                let count = if first <= last { (last - first) / by + 1 } else { 0 };
                match tasks {
                    Some(tasks) if count > 1 => {
                        // Where it is cut must not matter: not at a multiple of the unit, which few iterations do not reach.
                        [0..count / 2, count / 2..count].into_iter().try_for_each(|half| {
                            let range = first + half.start..first + half.end;
                            self.task(tasks, range, |m| m.iterations(s, first, by, half)).map_err(here)
                        })
                    }
                    _ => self.iterations(s, first, by, 0..count),
                }
            }
            Stmt::If { tests, body, otherwise } => {
                let taken = if self.tests(tests).map_err(here)? { body } else { otherwise };
                self.block(taken)
            }
            Stmt::Leaf(leaf) => self.leaf(leaf).map_err(here),
        }
    }

    /// These iterations of a loop.
    fn iterations(&mut self, s: &'a Stmt, first: i64, by: i64, all: Range<i64>) -> Result<(), String> {
        let Stmt::For { index, order, rows, body, .. } = s else { return Ok(()) };
        let here = |e: String| format!("{e}\nat {}", statement(self.program, s));
        let is_straight = matches!(order, Order::Lanes { straight: Some(_), .. });
        let parts = is_straight.then(|| Parts::of(*index, body));
        let mut totals = self.take_apart(order).map_err(here)?;
        let still = if all.is_empty() { vec![] } else { self.still(rows).map_err(here)? };
        let is_backward = match order {
            Order::Steps(direction) => *direction == Direction::Backward,
            _ => self.iterations == Iterations::Backward && !self.ordered.contains(index),
        };
        for k in 0..usize::try_from(all.end - all.start).unwrap_or(0) {
            let iteration = if is_backward { all.end - 1 - k as i64 } else { all.start + k as i64 };
            self.env.insert(index.0, first + iteration * by);
            self.counts.iterations += 1;
            self.begin(*index);
            self.take_parts(&totals, k);
            match &parts {
                Some(parts) => self.straight(parts)?,
                None => self.block(body)?,
            }
            self.keep_parts(&mut totals, k).map_err(here)?;
        }
        // What is read once, before the loop, is what each iteration would have read.
        if still.iter().any(|(cell, before)| self.vars[cell.0].reals[cell.1].to_bits() != *before) {
            return Err(here("what is read before the loop changes in it".to_string()));
        }
        self.join(totals).map_err(here)
    }

    /// The elements that are read before a loop, and what they hold.
    fn still(&self, rows: &[Row]) -> Result<Vec<(Cell, u64)>, String> {
        let one = |r: &Row| {
            let cell = self.cell(&r.place)?;
            Ok((cell, self.get(cell)?.0.to_bits()))
        };
        rows.iter().filter(|r| r.walk == Walk::Still).map(one).collect()
    }

    /// A straight body: what is declared is computed where a choice that is taken, or what is written, asks for it; all of it before anything is
    /// written, as memory is read first.
    fn straight(&mut self, parts: &Parts<'a>) -> Result<(), String> {
        self.pending = parts.same.iter().chain(&parts.lanes).map(|l| (l.var, l.stmts)).collect();
        let effects = || parts.stores.iter().copied().chain(parts.totals.iter().map(|t| t.stmt));
        effects().try_for_each(|s| self.ask(s))?;
        effects().try_for_each(|s| self.stmt(s))
    }

    /// What a statement that writes takes is computed.
    fn ask(&mut self, s: &'a Stmt) -> Result<(), String> {
        match s {
            Stmt::If { tests, body, otherwise } => {
                let taken = if self.tests(tests)? { body } else { otherwise };
                taken.iter().try_for_each(|s| self.ask(s))
            }
            Stmt::Leaf(
                Leaf::Assign { value: Expr::Read(p), .. }
                | Leaf::Accumulate { value: Expr::Read(p), .. }
                | Leaf::Extreme { value: Expr::Read(p), .. },
            ) => self.settle(p.var),
            _ => Ok(()),
        }
    }

    /// Runs what declares a local, if it has not run.
    fn settle(&mut self, v: VarId) -> Result<(), String> {
        self.pending.remove(&v).map_or(Ok(()), |stmts| self.block(stmts))
    }

    /// What lives in one iteration of a loop is nothing.
    fn begin(&mut self, index: Index) {
        for v in self.anew.get(&index.0).into_iter().flatten() {
            self.vars[*v].written.fill(false);
        }
    }

    /// The first of a range, the last, and the step.
    fn range(
        &self,
        lower: &[Bound],
        upper: &[Bound],
        step: Option<&(Affine, i64)>,
    ) -> Result<(i64, i64, i64), String> {
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for b in lower {
            low = low.max(-(-self.affine(&b.num)?).div_euclid(b.den));
        }
        for b in upper {
            high = high.min(self.affine(&b.num)?.div_euclid(b.den));
        }
        let Some((from, by)) = step else { return Ok((low, high, 1)) };
        Ok((low + (self.affine(from)? - low).rem_euclid(*by), high, *by))
    }
}
