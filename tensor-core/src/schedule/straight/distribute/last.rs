//! What a step reads of what steps before it have stored is beside it, in rows of its own: a straight body writes one window of an array, and cannot read another at
//! once.
//!
//! ```text
//! steps t { … x[t - 1, c] …  x[t, c] = e }   ↦   steps t { … x_1[c] …  x[t, c] = e  x_1[c] = x[t, c] }
//! ```

use super::Part;
use super::uses::{Body, Uses, bodies, uses};
use crate::index::Affine;
use crate::loops::walk::map_places;
use crate::loops::{Buffer, Direction, Expr, Leaf, Order, Place, Program, Stmt, Storage, VarId, Variable};
use crate::sorted::Map;
use crate::ssa::Index;
use crate::weights;

/// An array of which a body reads what steps before have written.
#[derive(Clone, Copy)]
struct Read {
    /// The index of its steps,
    step: Index,
    /// what is added to it to get to the step before,
    back: i64,
    /// and how many steps before are read.
    ages: usize,
}

/// The bodies, with what they read of steps before beside them.
pub(super) fn beside(p: &mut Program, lane: Index, mut parts: Vec<Part>) -> Option<Vec<Part>> {
    let mut all = vec![];
    bodies(&parts, &mut vec![], &mut all);
    let mut found: Map<usize, Map<VarId, Read>> = Map::new();
    for (v, u) in &uses(p, &all) {
        if p.var(*v).lanes == Some(lane)
            && let Some((body, read)) = read(u, &all)
        {
            found.entry(body).or_default().insert(*v, read);
        }
    }
    if !found.is_empty() {
        each(&mut parts, &mut 0, &mut |k, body| {
            found.get(&k).map_or(Some(()), |reads| with(p, reads, body))
        })?;
    }
    Some(parts)
}

/// Goes through the bodies, with their numbers.
fn each(
    parts: &mut [Part],
    next: &mut usize,
    see: &mut dyn FnMut(usize, &mut Vec<Stmt>) -> Option<()>,
) -> Option<()> {
    for part in parts {
        match part {
            Part::Body(stmts) => {
                see(*next, stmts)?;
                *next += 1;
            }
            Part::Alone(_) => {}
            Part::For(_, inner) => each(inner, next, see)?,
            Part::If(_, yes, no) => {
                each(yes, next, see)?;
                each(no, next, see)?;
            }
        }
    }
    Some(())
}

/// A body with rows for what it reads of steps before.
fn with(p: &mut Program, reads: &Map<VarId, Read>, body: &mut Vec<Stmt>) -> Option<()> {
    let mut rows: Map<VarId, Vec<VarId>> = Map::new();
    for (v, r) in reads {
        rows.insert(*v, (1..=r.ages).map(|age| row(p, *v, age)).collect::<Option<_>>()?);
    }
    let row_of = |place: &Place| {
        let r = reads.get(&place.var)?;
        let age = age(place.at.first()?, r.step, r.back)?;
        Some(Place { var: rows.get(&place.var)?[age.checked_sub(1)?], at: place.at[1..].to_vec() })
    };
    *body = map_places(std::mem::take(body), &mut |place| row_of(&place).unwrap_or(place));
    for (v, r) in reads {
        let extents: Vec<i64> =
            p.var(*v).extents[1..].iter().map(Affine::as_constant).collect::<Option<_>>()?;
        for age in (0..r.ages).rev() {
            for at in elements(&extents) {
                let from = match age.checked_sub(1) {
                    None => Place { var: *v, at: [vec![r.step.affine()], at.clone()].concat() },
                    Some(before) => Place { var: rows[v][before], at: at.clone() },
                };
                let target = Place { var: rows[v][age], at };
                body.push(Stmt::Leaf(Leaf::Assign { target, value: Expr::Read(from) }));
            }
        }
    }
    Some(())
}

/// All elements of an array of these extents.
pub(super) fn elements(extents: &[i64]) -> Vec<Vec<Affine>> {
    extents.iter().fold(vec![vec![]], |all, e| {
        let one = |at: &Vec<Affine>| {
            let at = at.clone();
            (0..*e).map(move |k| at.iter().cloned().chain([k.into()]).collect())
        };
        all.iter().flat_map(one).collect()
    })
}

/// How many steps before its own a place along the first dimension was written.
fn age(at: &Affine, step: Index, back: i64) -> Option<usize> {
    usize::try_from(at.minus(&step.affine())?.as_constant()? * back).ok()
}

/// The body, if one alone writes the array, each step its own part, and reads those of few steps before.
fn read(u: &Uses, all: &[Body<'_>]) -> Option<(usize, Read)> {
    let mut written = u.written();
    let body = written.next().filter(|_| written.next().is_none())?;
    let [Stmt::For { index, order: Order::Steps(direction), .. }] = all[body].around[..] else { return None };
    let back = if *direction == Direction::Forward { -1 } else { 1 };
    let here = &u.bodies[&body];
    let is_own = here.written.iter().all(|at| age(at, *index, back) == Some(0));
    let ages: Vec<usize> = here.read.iter().map(|at| age(at, *index, back)).collect::<Option<_>>()?;
    let ages = ages.into_iter().max().filter(|k| (1..=weights::contract::REPLACED).contains(k))?;
    let is_plain = u.outer == 1 && !u.is_flat && here.fills.is_empty();
    (is_own && is_plain).then_some((body, Read { step: *index, back, ages }))
}

/// Rows for what an array has of one step before.
fn row(p: &mut Program, of: VarId, age: usize) -> Option<VarId> {
    let id = VarId(u32::try_from(p.vars.len()).ok()?);
    let var = p.var(of);
    let (name, extents) = (format!("{}_{age}", var.name), var.extents[1..].to_vec());
    let storage = Storage::Work(p.work.len());
    let row = Variable { name: name.clone(), storage, extents: extents.clone(), ..var.clone() };
    p.work.push(Buffer { name, extents, holds_indices: false });
    p.vars.push(row);
    Some(id)
}
