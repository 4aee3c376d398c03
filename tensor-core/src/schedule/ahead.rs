//! What steps of a recurrence need of no other step, as matmuls before them.
//!
//! ```text
//! steps t: z[t, j] = sum i. w[j, i] x[t, i] + sum k. u[j, k] s[k]
//! →  y[t, j] = sum i. w[j, i] x[t, i]
//!    steps t: z[t, j] = y[t, j] + sum k. u[j, k] s[k]
//! ```
//!
//! The matmul is tiled with the steps, so that what is stored of it is a block. Steps that run backwards are not tiled: there it stays where it is.

use super::node;
use super::prepare::rename;
use crate::index::Cond;
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::{Access, ArrayId, Function, Index, Rec, RecId, Rhs, Stmt, Term};

/// See the module documentation. What other steps compute is not waited for: these may be the same loop, which stores no more than the last times.
pub(super) fn ahead(f: &mut Function) {
    if f.recs.is_empty() {
        return;
    }
    let late = late(f);
    let mut before: Map<RecId, Vec<Stmt>> = Map::new();
    for k in 0..f.stmts.len() {
        if let Some(rec) = forwards(f, &f.stmts[k]) {
            before.entry(rec).or_default().extend(taken(f, k, &late));
        }
    }
    for s in std::mem::take(&mut f.stmts) {
        let rec = s.step.as_ref().map(|step| step.rec);
        f.stmts.extend(rec.and_then(|rec| before.remove(&rec)).unwrap_or_default());
        f.stmts.push(s);
    }
}

/// What steps compute, and what needs that.
fn late(f: &Function) -> Set<ArrayId> {
    let mut late: Set<ArrayId> = f.stmts.iter().filter(|s| s.is_member()).map(|s| s.array).collect();
    for s in &f.stmts {
        let mut is_late = false;
        f.reads(s, &mut |_, x| is_late |= late.contains(&x));
        if is_late {
            late.insert(s.array);
        }
    }
    late
}

/// The recurrence of a statement, if that runs forwards and is inside no other. With checkpoints nothing is stored for each step.
fn forwards(f: &Function, s: &Stmt) -> Option<RecId> {
    let rec = s.step.as_ref()?.rec;
    let Rec { backward, keep, .. } = f.rec(rec);
    (f.recs_of(s).len() == 1 && !backward && keep.is_none()).then_some(rec)
}

/// The sum of all matmuls in a statement that need nothing late, which it reads in their place.
fn taken(f: &mut Function, k: usize, late: &Set<ArrayId>) -> Option<Stmt> {
    let Stmt { array: x, gens, rhs: Rhs::Contract(terms), .. } = f.stmts[k].clone() else { return None };
    let is_free = |t: &&Term| {
        !t.sums.is_empty()
            && t.guard.iter().all(Cond::is_affine)
            && !t.factors.iter().any(|a| late.contains(&a.array))
    };
    terms.iter().any(|t| is_free(&t)).then_some(())?;
    let (name, extents) = (format!("{}_sum", f.array(x).name), f.array(x).extents.clone());
    let array = f.new_array(name, extents);
    let fresh: Vec<Index> = gens.iter().map(|g| f.new_index(f.indices[g.0 as usize].clone())).collect();
    let matmul = |f: &Function, t: &Term| {
        let mut t = t.clone();
        gens.iter().zip(&fresh).for_each(|(g, h)| rename(&mut t, *g, &h.affine()));
        let s = Stmt { array, gens: fresh.clone(), rhs: Rhs::Contract(vec![t.clone()]), step: None };
        node::is_matmul(f, &s).then_some(t)
    };
    let (mut taken, mut left) = (vec![], vec![]);
    for t in terms {
        match Some(&t).filter(is_free).and_then(|t| matmul(f, t)) {
            Some(matmul) => taken.push(matmul),
            None => left.push(t),
        }
    }
    if taken.is_empty() {
        return None;
    }
    mark::hit(Mark::StepsAhead);
    let factors = vec![Access { array, at: gens.iter().map(|g| g.affine()).collect() }];
    left.push(Term { sums: vec![], guard: vec![], coeff: 1.0, factors });
    f.stmts[k].rhs = Rhs::Contract(left);
    Some(Stmt { array, gens: fresh, rhs: Rhs::Contract(taken), step: None })
}
