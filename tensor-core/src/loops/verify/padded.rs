//! What `loops` promises of padded rows: whole vectors fit into each, and what stands behind the elements of a block of iterations is used by none of them. So
//! `emit` may compute, and write, what means nothing there.

use crate::index::Affine;
use crate::loops::visit::{Item, head};
use crate::loops::{Bound, FEW, Program, Stmt, Storage, VarId};
use crate::sorted::Map;

/// Whether padded rows are in the workspace, as long as said, and used alike.
///
/// # Errors
/// What is not so.
pub(super) fn padded(p: &Program) -> Result<(), String> {
    for v in &p.padded {
        let var = p.var(*v);
        let length = var.extents.last().and_then(Affine::as_constant);
        if !matches!(var.storage, Storage::Work(_)) || length.is_none_or(|n| n % FEW != 0) {
            return Err(format!("`{}` has no padded rows", var.name));
        }
    }
    if p.padded.is_empty() { Ok(()) } else { each(p, &p.body, &mut vec![], &mut Map::new()) }
}

/// The bounds of a loop.
type Ends<'a> = (&'a [Bound], &'a [Bound]);

/// Inside of loops, of which this is how many iterations behind the first one is, with their bounds; where these are the bounds of loops that use padded rows.
fn each<'a>(
    p: &'a Program,
    stmts: &'a [Stmt],
    around: &mut Vec<(Affine, Ends<'a>)>,
    of: &mut Map<VarId, Ends<'a>>,
) -> Result<(), String> {
    for s in stmts {
        let mut wrong: Option<VarId> = None;
        head(s, &mut |item| {
            let Item::Place(place, _) = item else { return };
            if !p.padded.contains(&place.var) {
                return;
            }
            let walked = around.iter().find(|a| place.at.last() == Some(&a.0));
            if walked.is_none_or(|(_, ends)| of.entry(place.var).or_insert(*ends) != ends) {
                wrong = Some(place.var);
            }
        });
        if let Some(v) = wrong {
            return Err(format!("a row of `{}` is used beyond the iterations that it is of", p.var(v).name));
        }
        let own = from_first(s);
        let count = usize::from(own.is_some());
        around.extend(own);
        s.blocks().into_iter().try_for_each(|b| each(p, b, around, of))?;
        around.truncate(around.len() - count);
    }
    Ok(())
}

/// How many iterations a loop is behind its first one.
fn from_first(s: &Stmt) -> Option<(Affine, Ends<'_>)> {
    let Stmt::For { index, lower, upper, step: None, .. } = s else { return None };
    let [Bound { num, den: 1 }] = lower.as_slice() else { return None };
    Some((index.affine().minus(num)?, (lower.as_slice(), upper.as_slice())))
}
