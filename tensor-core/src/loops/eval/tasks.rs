//! A loop in two tasks, one after the other, each with its parts of what is outside: what threads would make of it.

use super::{Cells, Machine};
use crate::loops::VarId;
use crate::loops::tasks::{Part, Tasks};
use crate::ssa::Extreme;
use std::ops::Range;

/// What a variable was before a task.
struct Saved<'a> {
    var: VarId,
    part: &'a Part,
    cells: Cells,
    /// The elements that are the task's own, of rows.
    own: Range<usize>,
}

impl<'a> Machine<'a> {
    /// Runs one task, over these values of its index.
    pub(super) fn task(
        &mut self,
        tasks: &'a Tasks,
        range: Range<i64>,
        run: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let saved =
            tasks.parts.iter().map(|(v, part)| self.take(*v, part, &range)).collect::<Result<Vec<_>, _>>()?;
        run(self)?;
        saved.into_iter().try_for_each(|s| self.give(s))
    }

    fn take(&mut self, var: VarId, part: &'a Part, range: &Range<i64>) -> Result<Saved<'a>, String> {
        let before = self.vars[var.0 as usize].clone();
        let mut own = 0..before.reals.len();
        if let Part::Rows { by, from, flat } = part {
            let from = self.affine(from)?;
            let row: i64 = if *flat { 1 } else { before.extents[1..].iter().product() };
            let at = |i: i64| usize::try_from((by * i + from) * row).unwrap_or(0).min(before.reals.len());
            own = at(range.start)..at(range.end);
        }
        let cells = &mut self.vars[var.0 as usize];
        match part {
            Part::Shared | Part::Lanes => {}
            Part::Scratch | Part::Local(_) => cells.written.fill(false),
            Part::Total(op) => {
                cells.reals.fill(start(*op));
                cells.live.fill(false);
            }
            Part::Sums => {
                cells.reals.fill(0.0);
                cells.live.fill(false);
                cells.written.fill(true);
            }
            Part::Rows { .. } => {
                let others = |(k, _): &(usize, &mut bool)| !own.contains(k);
                cells.written.iter_mut().enumerate().filter(others).for_each(|(_, w)| *w = false);
            }
        }
        Ok(Saved { var, part, cells: before, own })
    }

    fn give(&mut self, s: Saved<'a>) -> Result<(), String> {
        let name = &self.program.var(s.var).name;
        let (mut adds, cells) = (0, &mut self.vars[s.var.0 as usize]);
        match s.part {
            Part::Shared => {
                let bits = |c: &Cells| c.reals.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                if bits(cells) != bits(&s.cells) || cells.indices != s.cells.indices {
                    return Err(format!("a task writes `{name}`, which all read"));
                }
            }
            Part::Lanes => {}
            Part::Scratch | Part::Local(_) => cells.written.fill(false),
            Part::Total(_) | Part::Sums => {
                let op = if let Part::Total(op) = s.part { *op } else { None };
                for k in 0..cells.reals.len() {
                    adds += u64::from(cells.live[k] && s.cells.live[k]);
                    cells.reals[k] = joined(op, s.cells.reals[k], cells.reals[k]);
                    cells.live[k] |= s.cells.live[k];
                    cells.written[k] = s.cells.written[k];
                }
            }
            Part::Rows { .. } => {
                for k in (0..cells.reals.len()).filter(|k| !s.own.contains(k)) {
                    if cells.written[k] {
                        return Err(format!("a task writes element {k} of `{name}`, which is another's"));
                    }
                    cells.written[k] = s.cells.written[k];
                }
            }
        }
        self.counts.adds += adds;
        Ok(())
    }
}

/// What a total begins with.
pub(super) fn start(op: Option<Extreme>) -> f64 {
    match op {
        None => 0.0,
        Some(Extreme::Max) => f64::NEG_INFINITY,
        Some(Extreme::Min) => f64::INFINITY,
    }
}

/// Two parts of a total.
pub(super) fn joined(op: Option<Extreme>, a: f64, b: f64) -> f64 {
    match op {
        None => a + b,
        Some(Extreme::Max) => a.max(b),
        Some(Extreme::Min) => a.min(b),
    }
}
