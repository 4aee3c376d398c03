//! Sums that a loop keeps apart while it runs, as its order says. They join those outside when it ends, and cost as many additions as together.

use super::tasks::{joined, start};
use super::{Cell, Machine};
use crate::loops::strips::Sums;
use crate::loops::{Order, Place};
use crate::ssa::Extreme;

/// A local whose value while a loop runs is one of several parts.
pub(super) struct Total {
    cell: Cell,
    op: Option<Extreme>,
    outside: (f64, bool),
    parts: Vec<(f64, bool)>,
}

/// What is added to elements of some places, and waits until so many iterations have run.
#[derive(Default)]
pub(super) struct Waiting<'a> {
    places: &'a [Place],
    added: Vec<(Cell, f64, bool)>,
}

impl<'a> Machine<'a> {
    /// Before the first iteration of a loop.
    pub(super) fn take_apart(&mut self, order: &'a Order) -> Result<Vec<Total>, String> {
        let (totals, parts): (Vec<_>, usize) = match order {
            Order::Carrying(totals) => (totals.iter().map(|(v, op)| (*v, *op)).collect(), 1),
            Order::Summing(Sums::Chains(sums)) => (sums.iter().map(|v| (*v, None)).collect(), Sums::CHAINS),
            Order::Summing(Sums::Eights(places)) => {
                self.waiting.places = places;
                (vec![], 1)
            }
            Order::Sequence | Order::Steps(_) | Order::Outlined => (vec![], 1),
            Order::Lanes { .. } | Order::Summing(Sums::Shifted(_)) => (vec![], 1),
        };
        let one = |(v, op): (crate::loops::VarId, Option<Extreme>)| {
            let cell = (v.0 as usize, 0);
            Ok(Total { cell, op, outside: self.get(cell)?, parts: vec![(start(op), false); parts] })
        };
        totals.into_iter().map(one).collect()
    }

    /// Before an iteration, the parts that it adds to are in the place of their totals.
    pub(super) fn take_parts(&mut self, totals: &[Total], iteration: usize) {
        for t in totals {
            let part = t.parts[iteration % t.parts.len()];
            self.put(t.cell, part);
        }
    }

    /// After an iteration.
    pub(super) fn keep_parts(&mut self, totals: &mut [Total], iteration: usize) -> Result<(), String> {
        for t in totals {
            let count = t.parts.len();
            t.parts[iteration % count] = self.get(t.cell)?;
        }
        if (iteration + 1).is_multiple_of(Sums::joined(self.waiting.places.len())) {
            self.join_waiting()?;
        }
        Ok(())
    }

    /// After the last iteration.
    pub(super) fn join(&mut self, totals: Vec<Total>) -> Result<(), String> {
        for t in totals {
            let (mut all, mut live) = t.outside;
            for (x, is_live) in t.parts {
                self.counts.adds += u64::from(live && is_live);
                live |= is_live;
                all = joined(t.op, all, x);
            }
            self.put(t.cell, (all, live));
        }
        self.join_waiting()?;
        self.waiting.places = &[];
        Ok(())
    }

    /// Whether what is added to a place waits; then it does.
    pub(super) fn waits(&mut self, target: &Place, cell: Cell, (x, live): (f64, bool)) -> bool {
        let waits = self.waiting.places.contains(target);
        if waits {
            self.waiting.added.push((cell, x, live));
        }
        waits
    }

    fn join_waiting(&mut self) -> Result<(), String> {
        for (cell, x, live) in std::mem::take(&mut self.waiting.added) {
            self.add(cell, (x, live))?;
        }
        Ok(())
    }

    fn put(&mut self, (v, k): Cell, (value, live): (f64, bool)) {
        let cells = &mut self.vars[v];
        (cells.reals[k], cells.live[k]) = (value, live);
    }
}
