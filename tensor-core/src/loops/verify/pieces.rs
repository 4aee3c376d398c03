//! The functions of a straight body: each has what it asks for, computed or taken where that is kept.

use crate::loops::pieces::{Pieces, Step};
use crate::loops::straight::Parts;
use crate::loops::visit::{How, Item};
use crate::loops::{Program, Stmt, VarId};
use crate::sorted::Set;
use crate::ssa::Index;

/// # Errors
/// What is asked for and not there.
pub(super) fn pieces(p: &Program, lane: Index, pieces: &Pieces, body: &[Stmt]) -> Result<(), String> {
    if pieces.functions() == 0 {
        return Ok(());
    }
    let parts = Parts::of(lane, body);
    let count = parts.lanes.len();
    let own: Set<VarId> = parts.lanes.iter().map(|l| l.var).collect();
    let mut uses = vec![vec![]; count + 1];
    parts.each_use(lane, &mut |of, item| {
        if let Item::Place(place, How::Read) = item
            && own.contains(&place.var)
        {
            uses[of.unwrap_or(count)].push(place.var);
        }
    });
    let asks = |k: usize, there: &Set<VarId>| match uses[k].iter().find(|v| !there.contains(v)) {
        Some(v) => Err(format!("a function asks for `{}`, which is not there", p.var(*v).name)),
        None => Ok(()),
    };
    let mut slots: Vec<Option<VarId>> = vec![None; pieces.slots];
    let mut computed = vec![false; count];
    for (stage, steps) in pieces.stages.iter().enumerate() {
        let loaded = parts.lanes.iter().filter(|l| stage == 0 && l.loaded(lane).is_some());
        let mut there: Set<VarId> = loaded.map(|l| l.var).collect();
        for step in steps {
            match step {
                Step::Take(var, slot) if slots.get(*slot) == Some(&Some(*var)) => {
                    there.insert(*var);
                }
                Step::Take(var, _) => {
                    return Err(format!("`{}` is not kept where it is taken", p.var(*var).name));
                }
                Step::Compute(k) => {
                    asks(*k, &there)?;
                    there.insert(parts.lanes[*k].var);
                    computed[*k] = true;
                }
                Step::Keep(var, slot) => match slots.get_mut(*slot).filter(|_| there.contains(var)) {
                    Some(slot) => *slot = Some(*var),
                    None => return Err(format!("`{}` is kept, and not there", p.var(*var).name)),
                },
            }
        }
        if stage + 1 == pieces.stages.len() {
            asks(count, &there)?;
        }
    }
    let is_left = |(k, is_computed): (usize, &bool)| !is_computed && parts.lanes[k].loaded(lane).is_none();
    if computed.iter().enumerate().any(is_left) {
        return Err("functions of a straight body leave out some of it".to_string());
    }
    Ok(())
}
