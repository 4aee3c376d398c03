//! `exists`.

use super::{Piece, project};
use crate::index::affine::{Affine, Atom};
use crate::index::omega::{Stop, Work};
use crate::index::pred::{Cond, Pred};
use crate::index::query::{Columns, Facts, entails_cond, facts_rows, gist};
use crate::weights;

fn to_pred(cols: &Columns, piece: &Piece) -> Pred {
    let eqs = piece.sys.eqs().map(|r| Cond::Zero(cols.affine_of(r)));
    let ges = piece.sys.ges().map(|r| Cond::NonNeg(cols.affine_of(r)));
    let residues = piece.residues.iter().map(|(r, k)| Cond::Residue(cols.affine_of(r), *k));
    eqs.chain(ges).chain(residues).collect()
}

/// Conjunctions without `Any`, and without `NonZero` of what mentions `gone`. `None` if there are too many.
#[must_use]
pub fn dnf(p: &[Cond], gone: &[Atom]) -> Option<Vec<Pred>> {
    let mut out: Vec<Pred> = vec![vec![]];
    for c in p {
        let alts: Vec<Pred> = match c {
            Cond::Any(ps) => ps.iter().map(|q| dnf(q, gone)).collect::<Option<Vec<_>>>()?.concat(),
            Cond::NonZero(a) if gone.iter().any(|g| a.mentions(g)) => {
                vec![vec![Cond::NonNeg(a.negated().step(-1))], vec![Cond::NonNeg(a.clone().step(-1))]]
            }
            Cond::Zero(_)
            | Cond::NonZero(_)
            | Cond::NonNeg(_)
            | Cond::Residue(..)
            | Cond::NonResidue(..)
            | Cond::Opaque { .. } => {
                out.iter_mut().for_each(|p| p.push(c.clone()));
                continue;
            }
        };
        if out.len() * alts.len() > weights::index::PIECES * weights::index::PIECES {
            return None;
        }
        out = out.iter().flat_map(|p| alts.iter().map(move |a| [p.as_slice(), a].concat())).collect();
        if out.len() > weights::index::PIECES {
            out = absorbed(out);
        }
        if out.len() > weights::index::PIECES {
            return None;
        }
    }
    Some(out)
}

/// `a ∨ a ∧ b = a`, by looks.
fn absorbed(ps: Vec<Pred>) -> Vec<Pred> {
    let mut out: Vec<Pred> = vec![];
    for p in ps {
        if !out.iter().any(|q| q.iter().all(|c| p.contains(c))) {
            out.retain(|q| !p.iter().all(|c| q.contains(c)));
            out.push(p);
        }
    }
    out
}

/// Whether an atom of `a` depends on `gone` in a way that cannot be projected. What is inside a floor can.
fn is_hidden(a: &Affine, gone: &[Atom], elements: bool) -> bool {
    a.terms.iter().any(|(t, _)| match t {
        Atom::Size(_) | Atom::Index(_) => false,
        Atom::Floor(e, _) => is_hidden(e, gone, elements),
        Atom::Element(..) if elements => false,
        Atom::Element(..) | Atom::Product(_) => gone.iter().any(|g| t.mentions(g)),
    })
}

/// `∃ gone. p` as a union of conjunctions without them, simplified where `given` holds. `None`: cannot be had
/// (an opaque condition or element depends on them, or too large); keep the `exists`, it is a loop at run time.
/// `elements` are taken for any values when asked so: `∃ gone and the elements that depend on them`.
#[must_use]
pub fn exists(
    p: &[Cond],
    gone: &[Atom],
    elements: bool,
    given: &[Cond],
    facts: &Facts,
    work: &mut Work,
) -> Option<Vec<Pred>> {
    let mut out = vec![];
    for q in dnf(p, gone)? {
        exists_one(q, gone, elements, (given, facts), work, &mut out)?;
    }
    // What lies in another piece goes.
    for k in (0..out.len()).rev() {
        let covers =
            |q: &Pred, work: &mut Work| q.iter().all(|c| entails_cond(&[given, &out[k]], c, facts, work));
        if (0..out.len()).any(|j| j != k && covers(&out[j], work)) {
            out.remove(k);
        }
    }
    Some(out)
}

/// The same of a conjunction.
fn exists_one(
    p: Pred,
    gone: &[Atom],
    elements: bool,
    (given, facts): (&[Cond], &Facts),
    work: &mut Work,
    out: &mut Vec<Pred>,
) -> Option<()> {
    let kept = |c: &Cond| !c.is_affine() || matches!(c, Cond::NonZero(_));
    let (rest, affine): (Pred, Pred) = p.into_iter().partition(kept);
    let goes = |a: &Atom| gone.iter().any(|g| a.mentions(g));
    if rest.iter().any(|c| c.any_atom(&goes))
        || affine.iter().flat_map(Cond::affines).any(|a| is_hidden(a, gone, elements))
    {
        return None;
    }
    let cols = Columns::of(&[&affine], facts);
    let sys = match facts_rows(&cols, &[&affine], facts) {
        Ok(sys) => sys,
        Err(Stop::Empty) => return Some(()),
        Err(Stop::Unknown) => return None,
    };
    let wanted: Vec<bool> = (0..cols.n()).map(|k| cols.atoms.get(k).is_none_or(goes)).collect();
    let mut pieces = vec![];
    if let Err(Stop::Unknown) = project(sys, vec![], &wanted, work, &mut pieces) {
        return None;
    }
    for piece in &pieces {
        let mut r = to_pred(&cols, piece);
        r.extend(rest.iter().cloned());
        out.extend(gist(&r, given, facts, work));
    }
    Some(())
}
