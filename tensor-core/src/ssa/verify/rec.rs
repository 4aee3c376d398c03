//! The invariants of recs (R1 to R4), checked.

use super::ensure;
use crate::index::omega::Work;
use crate::index::pred::any;
use crate::index::query::entails_cond;
use crate::index::{Affine, Cond, Pred, cond};
use crate::sorted::{Map, Set};
use crate::ssa::regroup::strongly_connected;
use crate::ssa::{ArrayId, Function, Index, RecId, Rhs, Stmt};
use std::ops::Range;

/// R1 and R2: where the statements of recs stand, and what their times are.
pub(super) fn places(f: &Function) -> Result<(), String> {
    for (k, r) in f.recs.iter().enumerate() {
        // A rec is made before those within it.
        ensure(r.within.is_none_or(|w| (w.0 as usize) < k), || {
            format!("rec {} is within a later one", r.name)
        })?;
        let id = RecId(u32::try_from(k).map_err(|e| e.to_string())?);
        let within: Vec<usize> =
            (0..f.stmts.len()).filter(|j| f.recs_of(&f.stmts[*j]).contains(&id)).collect();
        let is_one = within.windows(2).all(|w| w[1] == w[0] + 1);
        ensure(is_one, || format!("the statements of rec {} stand apart", r.name))?;
    }
    f.stmts.iter().try_for_each(|s| times(f, s))
}

fn times(f: &Function, s: &Stmt) -> Result<(), String> {
    let Some(step) = &s.step else { return Ok(()) };
    let name = || &f.array(s.array).name;
    ensure((step.rec.0 as usize) < f.recs.len(), || format!("{} is in no rec", name()))?;
    ensure(step.times.len() == f.recs_of(s).len(), || format!("{} has not a time for each rec", name()))?;
    let own = match &s.rhs {
        Rhs::Constant(_) => 0,
        Rhs::Call(call) => call.batch(&s.gens),
        Rhs::Contract(_) | Rhs::Prim { .. } | Rhs::OfIndex(_) => s.gens.len(),
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => s.gens.len(),
    };
    let known: Set<Index> = s.gens[..own].iter().copied().collect();
    let once: Set<Index> = step.times.iter().copied().collect();
    ensure(once.len() == step.times.len() && once.is_subset(&known), || {
        format!("a time of {} is no gen", name())
    })
}

/// R3 and R4 of the statements of an outermost rec.
pub(super) fn order(f: &Function, unit: &Range<usize>) -> Result<(), String> {
    let places: Map<ArrayId, usize> = unit.clone().map(|k| (f.stmts[k].array, k)).collect();
    // By statement: those that it reads, and through how many recs around both the time is the same.
    let mut same: Map<usize, Vec<(usize, usize)>> = Map::new();
    let mut result = Ok(());
    for by in unit.clone() {
        let s = &f.stmts[by];
        f.each_read(s, &mut |guard, a| {
            let (Some(of), true) = (places.get(&a.array), result.is_ok()) else { return };
            match earlier(f, (by, *of), guard, &a.at) {
                Ok(depth) => same.entry(by).or_default().push((*of, depth)),
                Err(e) => result = Err(e),
            }
        });
    }
    result?;
    cycles(f, unit, &same)
}

/// Proves that what is read is before; gives the number of recs around both in which it may be of the same time.
fn earlier(f: &Function, (by, of): (usize, usize), guard: &[Cond], at: &[Affine]) -> Result<usize, String> {
    let (s, x) = (&f.stmts[by], &f.stmts[of]);
    let (own, other) = (f.recs_of(s), f.recs_of(x));
    let around = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let times = |s: &Stmt| s.step.as_ref().map_or(vec![], |step| step.times.clone());
    let words = || {
        let [reader, read] = [s, x].map(|s| &f.array(s.array).name);
        format!("{reader} reads {read} before it is computed")
    };
    let path: Pred = [f.ranges_of(s).as_slice(), guard].concat();
    // A place that is read is in its range.
    let follows = |c: &Cond| {
        let facts = f.facts_in(path.iter().chain([c]));
        entails_cond(&[&f.assumptions, &path], c, &facts, &mut Work::default())
    };
    let (mut alternatives, mut same, mut depth) = (vec![], Pred::new(), None);
    for (k, (rec, (now, then))) in own.iter().zip(times(s).iter().zip(times(x))).take(around).enumerate() {
        let place = x.gens.iter().position(|g| *g == then).ok_or_else(words)?;
        let read = at.get(place).ok_or_else(words)?;
        let now = now.affine();
        let before = if f.rec(*rec).backward { cond::gt(read, &now) } else { cond::lt(read, &now) };
        let before = before.ok_or_else(words)?;
        if depth.is_none() && follows(&before) {
            depth = Some(k);
        }
        // What has no atoms needs no proof, however hard the rest is.
        let is_true =
            |c: &Cond| c.affines().into_iter().all(Affine::is_constant) && c.eval(&|_| 0, &|_, _| false);
        let known = |c: Cond| Some(c).filter(|c| !is_true(c));
        alternatives.push(same.iter().cloned().chain(known(before)).collect());
        same.extend(known(cond::eq(read, &now).ok_or_else(words)?));
    }
    if of < by {
        alternatives.push(same);
    }
    let holds =
        alternatives.iter().any(Vec::is_empty) || !alternatives.is_empty() && follows(&any(alternatives));
    ensure(holds, words)?;
    Ok(depth.unwrap_or(around))
}

/// R4: the statements of each rec are one cycle of the reads that no rec around carries.
fn cycles(f: &Function, unit: &Range<usize>, same: &Map<usize, Vec<(usize, usize)>>) -> Result<(), String> {
    for (n, r) in f.recs.iter().enumerate() {
        let id = RecId(u32::try_from(n).map_err(|e| e.to_string())?);
        let depth = |k: usize| f.recs_of(&f.stmts[k]).iter().position(|r| *r == id);
        let own: Vec<usize> = unit.clone().filter(|k| depth(*k).is_some()).collect();
        let Some(depth) = own.first().and_then(|k| depth(*k)) else { continue };
        let edges = |k: usize| {
            let reads = same.get(&k).into_iter().flatten();
            reads
                .filter(|(of, same)| own.contains(of) && *same >= depth)
                .map(|(of, _)| *of)
                .collect::<Vec<_>>()
        };
        let is_cycle =
            strongly_connected(&own, &edges).len() == 1 && own.iter().all(|k| !edges(*k).is_empty());
        ensure(is_cycle, || format!("rec {} is no cycle", r.name))?;
    }
    Ok(())
}
