//! Unions made disjoint, and made one.

use super::{Facts, entails_cond, gist, is_empty};
use crate::index::affine::Atom;
use crate::index::omega::Work;
use crate::index::pred::{Cond, Pred, complement};
use crate::index::project::exists;
use crate::mark::{self, Mark};
use crate::sorted::Set;
use crate::weights;

/// `p ∧ ¬q` as disjoint pieces, none empty as far as can be told.
#[must_use]
pub fn subtract(p: &[Cond], q: &[Cond], given: &[Cond], facts: &Facts, work: &mut Work) -> Vec<Pred> {
    let Some(q) = gist(q, &[given, p].concat(), facts, work) else { return vec![p.to_vec()] };
    let pieces = complement(&q);
    pieces.iter().filter_map(|alt| gist(&[p, alt].concat(), given, facts, work)).collect()
}

/// `p1 ∨ p2 ∨ …` as disjoint pieces: `p1, p2 ¬p1, …`; `None` where there are more than so many, or it takes more: their number may double with each alternative.
#[must_use]
pub fn disjoint(
    ps: &[Pred],
    given: &[Cond],
    facts: &Facts,
    most: usize,
    work: &mut Work,
) -> Option<Vec<Pred>> {
    if ps.len() > most {
        return None;
    }
    let mut out: Vec<Pred> = vec![];
    for (k, p) in ps.iter().enumerate() {
        let mut pieces: Vec<Pred> = gist(p, given, facts, work).into_iter().collect();
        for q in &ps[..k] {
            pieces = pieces.iter().flat_map(|p| subtract(p, q, given, facts, work)).collect();
            // Some of them the next may leave nothing of.
            if pieces.len() / weights::index::PIECES_BETWEEN > most {
                return None;
            }
        }
        out.extend(pieces);
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// The atoms of a predicate, and those that `given` says something of together with them.
#[must_use]
pub fn linked(p: &[Cond], given: &[Cond]) -> Set<Atom> {
    let add = |c: &Cond, out: &mut Set<Atom>| {
        c.affines().into_iter().for_each(|a| {
            a.each_atom(&mut |t| {
                out.insert(t.clone());
            });
        });
    };
    let mut out = Set::new();
    p.iter().for_each(|c| add(c, &mut out));
    let mut far: Vec<&Cond> = given.iter().collect();
    loop {
        let (near, rest): (Vec<&Cond>, Vec<&Cond>) =
            far.into_iter().partition(|c| c.any_atom(&|t| out.contains(t)));
        if near.is_empty() {
            return out;
        }
        near.into_iter().for_each(|c| add(c, &mut out));
        far = rest;
    }
}

/// Equalities as two inequalities.
fn halves(p: &[Cond]) -> Pred {
    let mut out = vec![];
    for c in p {
        if let Cond::Zero(a) = c {
            out.push(Cond::NonNeg(a.clone()));
            out.push(Cond::NonNeg(a.negated()));
        } else {
            out.push(c.clone());
        }
    }
    out
}

/// What `p` says of sizes alone: `i >= 1` where `i < n` that `n >= 2`.
fn of_sizes(p: &[Cond], given: &[Cond], facts: &Facts, work: &mut Work) -> Pred {
    let all = [given, p].concat();
    let mut gone: Vec<Atom> = vec![];
    let is_index = |a: &Atom| matches!(a, Atom::Index(_));
    for a in all.iter().flat_map(Cond::affines) {
        a.each_atom(&mut |t| {
            if is_index(t) && !gone.contains(t) {
                gone.push(t.clone());
            }
        });
    }
    match exists(&all, &gone, false, given, facts, work).as_deref() {
        Some([one]) => one.clone(),
        Some(_) | None => vec![],
    }
}

/// One conjunction for `p ∨ q`, if there is a simple one: what each entails of the other's conditions, and of sizes,
/// and perhaps one hole `a ≠ 0` between them. What reads an element is asked only where both ask it: elsewhere there need not be one, whatever
/// is known of those that there are.
#[must_use]
pub fn coalesce(p: &Pred, q: &Pred, given: &[Cond], facts: &Facts, work: &mut Work) -> Option<Pred> {
    let (sp, sq) = (halves(p), halves(q));
    let sides: Vec<(&Cond, &Pred)> = sp.iter().map(|c| (c, q)).chain(sq.iter().map(|c| (c, p))).collect();
    let mut hull: Pred = vec![];
    for (c, other) in &sides {
        let may_be_asked = c.is_total() || other.contains(c);
        if !hull.contains(c) && may_be_asked && entails_cond(&[given, other], c, facts, work) {
            hull.push((*c).clone());
        }
    }
    let nots = [Cond::Any(complement(p)), Cond::Any(complement(q))];
    if is_empty(&[given, &hull, &nots], facts, work) {
        return gist(&hull, given, facts, work);
    }
    let on_sizes = [of_sizes(p, given, facts, work), of_sizes(q, given, facts, work)];
    let new: Pred = on_sizes.concat().into_iter().filter(|c| c.is_total() && !hull.contains(c)).collect();
    let both =
        |c: &Cond, work: &mut Work| [p, q].iter().all(|side| entails_cond(&[given, side], c, facts, work));
    let new: Pred = new.into_iter().filter(|c| both(c, work)).collect();
    if !new.is_empty() {
        let hull = [hull.as_slice(), &new].concat();
        if is_empty(&[given, &hull, &nots], facts, work) {
            mark::hit(Mark::HullOnSizes);
            return gist(&hull, given, facts, work);
        }
    }
    // A hole one wide: `a <= -1` in one, `a >= 1` in the other.
    for (c, other) in sides {
        let Cond::NonNeg(b) = c else { continue };
        // b >= 0 on this side; a = b + 1 >= 1; the other side must have a <= -1.
        let a = b.clone().step(1);
        let below = Cond::NonNeg(a.negated().step(-1));
        if entails_cond(&[given, other], &below, facts, work) {
            let holed = [hull.as_slice(), &[Cond::NonZero(a)]].concat();
            if is_empty(&[given, &holed, &nots], facts, work) {
                mark::hit(Mark::Hole);
                return gist(&holed, given, facts, work);
            }
        }
    }
    None
}
