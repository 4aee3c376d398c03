//! Predicates made shorter, and unions made disjoint.

use super::context::Context;
use super::{Facts, entails_cond, is_empty, obvious};
use crate::index::affine::Atom;
use crate::index::omega::Work;
use crate::index::pred::{Cond, Pred, complement, total_first};
use crate::index::project::exists;
use crate::mark::{self, Mark};

/// The opaque conditions in a conjunction, also in its disjunctions, by name.
fn opaque(p: &[Cond]) -> Vec<u32> {
    let of_one = |c: &Cond| match c {
        Cond::Opaque { id, .. } => vec![*id],
        Cond::Any(ps) => ps.iter().flat_map(|p| opaque(p)).collect(),
        Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
            vec![]
        }
    };
    p.iter().flat_map(of_one).collect()
}

/// `p` without what `given` and the rest of `p` entail: `given ∧ gist = given ∧ p`. `None` where that is empty.
///
/// It may be evaluated where `given` holds, if `p` may: what reads nothing stands first, and a condition goes only if
/// `given` and what stands before the reads behind it entail it.
#[must_use]
pub fn gist(p: &[Cond], given: &[Cond], facts: &Facts, work: &mut Work) -> Option<Pred> {
    if p.is_empty() {
        return Some(vec![]);
    }
    let mut context = Context::new(&[given], &[p], facts);
    if context.is_empty_with(p, work) {
        return None;
    }
    // What is said once of an opaque condition neither follows from the others nor says anything of them.
    let names = opaque(&[given, p].concat());
    let alone =
        |c: &Cond| matches!(c, Cond::Opaque { id, .. } if names.iter().filter(|n| *n == id).count() == 1);
    let mut rest: Pred = total_first(p);
    rest.retain(|c| alone(c) || !obvious(given, c) && !context.entails(c, work));
    // The last first: earlier conditions are what later ones may need to be defined.
    for k in (0..rest.len()).rev() {
        if rest.len() == 1 {
            break;
        }
        if alone(&rest[k]) {
            continue;
        }
        let c = rest.remove(k);
        let usable = |(j, d): &(usize, &Cond)| (*j < k || d.is_total()) && !alone(d);
        let others: Vec<&Cond> = rest.iter().enumerate().filter(usable).map(|(_, d)| d).collect();
        // Cloned only where they are to be assumed from the start.
        let all = || others.iter().copied().cloned().collect::<Pred>();
        // What the others say of the factors of its products counts only where they are assumed from the start.
        let has_product = c.any_atom(&|t| matches!(t, Atom::Product(_)));
        let is_entailed = obvious(&others, &c)
            || context.entails_with(&others, &c, work)
            || has_product && entails_cond(&[given, &all()], &c, facts, work);
        if !is_entailed {
            rest.insert(k, c);
        }
    }
    let telling: Pred = rest.iter().filter(|c| !alone(c)).cloned().collect();
    let telling: Vec<&Cond> = telling.iter().collect();
    if sharpen(&mut rest, &telling, &mut context, work) || meet(&mut rest, &telling, &mut context, work) {
        return gist(&rest, given, facts, work);
    }
    Some(rest)
}

/// `a ≠ 0` at the edge of a range is a shorter range, by those of the conditions that tell something.
fn sharpen(rest: &mut Pred, telling: &[&Cond], context: &mut Context, work: &mut Work) -> bool {
    for c in rest {
        let Cond::NonZero(a) = c else { continue };
        for a in [a.clone(), a.negated()] {
            if context.entails_with(telling, &Cond::NonNeg(a.clone()), work) {
                *c = Cond::NonNeg(a.step(-1));
                return true;
            }
        }
    }
    false
}

/// Two opposite inequalities are an equality.
fn meet(rest: &mut Pred, telling: &[&Cond], context: &mut Context, work: &mut Work) -> bool {
    if rest.len() < 2 {
        return false;
    }
    for k in (0..rest.len()).rev() {
        let Cond::NonNeg(a) = &rest[k] else { continue };
        let (a, minus) = (a.clone(), Cond::NonNeg(a.negated()));
        if context.entails_with(telling, &minus, work) {
            rest[k] = Cond::Zero(a);
            rest.retain(|c| *c != minus);
            return true;
        }
    }
    false
}

/// `p ∧ ¬q` as disjoint pieces, none empty as far as can be told.
#[must_use]
pub fn subtract(p: &[Cond], q: &[Cond], given: &[Cond], facts: &Facts, work: &mut Work) -> Vec<Pred> {
    let Some(q) = gist(q, &[given, p].concat(), facts, work) else { return vec![p.to_vec()] };
    let pieces = complement(&q);
    pieces.iter().filter_map(|alt| gist(&[p, alt].concat(), given, facts, work)).collect()
}

/// `p1 ∨ p2 ∨ …` as disjoint pieces: `p1, p2 ¬p1, …`; `None` where it takes more than so many: their number may double with each alternative.
#[must_use]
pub fn disjoint(
    ps: &[Pred],
    given: &[Cond],
    facts: &Facts,
    most: usize,
    work: &mut Work,
) -> Option<Vec<Pred>> {
    let mut out: Vec<Pred> = vec![];
    for (k, p) in ps.iter().enumerate() {
        let mut pieces: Vec<Pred> = gist(p, given, facts, work).into_iter().collect();
        for q in &ps[..k] {
            pieces = pieces.iter().flat_map(|p| subtract(p, q, given, facts, work)).collect();
            // Some of them the next may leave nothing of.
            if pieces.len() / 4 > most {
                return None;
            }
        }
        out.extend(pieces);
    }
    (out.len() <= most).then_some(out)
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
