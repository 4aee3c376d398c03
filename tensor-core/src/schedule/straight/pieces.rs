//! Where a long straight body is cut into functions, and where what crosses is kept.

use crate::loops::pieces::{Pieces, Step};
use crate::loops::straight::Parts;
use crate::loops::visit::{How, Item};
use crate::loops::{Stmt, VarId};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::Index;

/// The functions of a body, of at most so many locals each. A value is kept as soon as it is computed, and taken where it is asked for first: between, it
/// needs no register.
pub(super) fn pieces(lane: Index, body: &[Stmt], most: usize) -> Pieces {
    let parts = Parts::of(lane, body);
    let all = 0..parts.lanes.len();
    let computed: Vec<usize> = all.filter(|k| parts.lanes[*k].loaded(lane).is_none()).collect();
    if computed.len() <= most {
        return Pieces::default();
    }
    mark::hit(Mark::StraightPieces);
    let length = computed.len().div_ceil(computed.len().div_ceil(most));
    let functions: Vec<&[usize]> = computed.chunks(length).collect();
    let mut cut = Cut::of(&parts, lane, &functions);
    let mut stages = vec![parts.lanes.iter().filter_map(|l| cut.loaded(l.var)).collect()];
    for f in &functions {
        let stage = cut.stage(stages.len(), f, |k| Some(parts.lanes[k].var));
        stages.push(stage);
    }
    let stage = cut.stage(stages.len(), &[parts.lanes.len()], |_| None);
    stages.push(stage);
    Pieces { stages, slots: cut.slots }
}

/// A body that is cut.
struct Cut {
    /// In which stage each local is computed: what is loaded, before all others.
    made: Map<VarId, usize>,
    /// What is asked for of stages before, by each local, and by what is written,
    uses: Vec<Vec<VarId>>,
    /// and in which stage last.
    ends: Map<VarId, usize>,
    slot_of: Map<VarId, usize>,
    free: Vec<usize>,
    slots: usize,
}

impl Cut {
    fn of(parts: &Parts<'_>, lane: Index, functions: &[&[usize]]) -> Cut {
        let count = parts.lanes.len();
        let mut made: Map<VarId, usize> = parts.lanes.iter().map(|l| (l.var, 0)).collect();
        let mut stage_of = vec![functions.len() + 1; count + 1];
        for (stage, k) in (1..).zip(functions).flat_map(|(stage, f)| f.iter().map(move |k| (stage, *k))) {
            made.insert(parts.lanes[k].var, stage);
            stage_of[k] = stage;
        }
        let (mut uses, mut ends) = (vec![vec![]; count + 1], Map::new());
        parts.each_use(lane, &mut |of, item| {
            let k = of.unwrap_or(count);
            if let Item::Place(p, How::Read) = item
                && made.get(&p.var).is_some_and(|stage| *stage < stage_of[k])
            {
                uses[k].push(p.var);
                ends.insert(p.var, stage_of[k]);
            }
        });
        Cut { made, uses, ends, slot_of: Map::new(), free: vec![], slots: 0 }
    }

    /// What is loaded is kept, if a function asks for it.
    fn loaded(&mut self, var: VarId) -> Option<Step> {
        if self.made.get(&var) == Some(&0) { self.keep(var) } else { None }
    }

    fn keep(&mut self, var: VarId) -> Option<Step> {
        if !self.ends.contains_key(&var) {
            return None;
        }
        let slot = self.free.pop().unwrap_or(self.slots);
        self.slots = self.slots.max(slot + 1);
        self.slot_of.insert(var, slot);
        Some(Step::Keep(var, slot))
    }

    /// What computes these, or takes what is written. A slot is free after the stage that takes it last.
    fn stage(&mut self, stage: usize, all: &[usize], local: impl Fn(usize) -> Option<VarId>) -> Vec<Step> {
        let (mut out, mut taken) = (vec![], Set::new());
        for k in all {
            for var in std::mem::take(&mut self.uses[*k]) {
                if let Some(slot) = self.slot_of.get(&var)
                    && taken.insert(var)
                {
                    out.push(Step::Take(var, *slot));
                }
            }
            if let Some(var) = local(*k) {
                out.push(Step::Compute(*k));
                out.extend(self.keep(var));
            }
        }
        let ends = taken.iter().filter(|v| self.ends.get(v) == Some(&stage));
        self.free.extend(ends.filter_map(|v| self.slot_of.get(v)));
        out
    }
}
