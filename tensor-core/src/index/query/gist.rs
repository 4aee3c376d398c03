//! Predicates made shorter.

use super::context::{Context, is_wide};
use super::{Facts, congruent, entails_cond, is_empty, obvious};
use crate::index::affine::{Affine, Atom};
use crate::index::omega::Work;
use crate::index::pred::{Cond, Pred, total_first};
use crate::sorted::{self, Set};

/// Whether a condition follows is asked of so many others at most.
const NEAR: usize = crate::weights::index::NEAR;

/// Of more conditions not all together are asked whether they exclude each other.
const LONG: usize = crate::weights::index::LONG;

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

/// A condition of a conjunction.
struct Part {
    c: Cond,
    /// Its place at first.
    id: usize,
    /// The sizes and the indices that it speaks of.
    leaves: Set<Atom>,
    is_total: bool,
    /// What is said once of an opaque condition neither follows from the others nor says anything of them. Nor is that asked of very many
    /// alternatives: only whether they hold in any case.
    is_alone: bool,
}

impl Part {
    fn new(id: usize, c: Cond, names: &[u32]) -> Part {
        let mut leaves = Set::new();
        let mut add = |t: &Atom| match t {
            Atom::Size(_) | Atom::Index(_) => drop(leaves.insert(t.clone())),
            Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => {}
        };
        c.each_affine(&mut |a| a.each_atom(&mut add));
        let is_once = |id: &u32| names.iter().filter(|n| *n == id).count() == 1;
        let is_alone = is_wide(&c) || matches!(&c, Cond::Opaque { id, .. } if is_once(id));
        Part { leaves, is_total: c.is_total(), is_alone, c, id }
    }
}

/// Where questions are asked.
struct Asked<'a> {
    given: &'a [Cond],
    facts: &'a Facts,
    /// For so many conditions after each other, in their order at first.
    windows: Vec<Window>,
}

/// Where questions about some conditions of a conjunction are asked.
struct Window {
    context: Context,
    /// Which may be assumed there.
    ids: Set<usize>,
}

impl<'a> Asked<'a> {
    /// One window for a conjunction that is not long; else each knows its own conditions and the nearest of each alone, so that no question is larger than
    /// others.
    fn new(parts: &[Part], given: &'a [Cond], facts: &'a Facts) -> Asked<'a> {
        let window = |own: &[Part]| {
            let mut ids: Set<usize> = own.iter().map(|x| x.id).collect();
            if parts.len() > LONG {
                for x in own.iter().filter(|x| !x.is_alone) {
                    let others = (0..parts.len()).filter(|j| *j != x.id && !parts[*j].is_alone).collect();
                    ids.extend(nearest(x.id, others, parts));
                }
            }
            let announced: Vec<&[Cond]> = ids.iter().map(|id| std::slice::from_ref(&parts[*id].c)).collect();
            Window { context: Context::new(&[given], &announced, facts), ids }
        };
        Asked { given, facts, windows: parts.chunks(LONG).map(window).collect() }
    }
    /// That of a condition.
    fn of(&mut self, x: &Part) -> &mut Window {
        &mut self.windows[x.id / LONG]
    }
}

/// `p` without what `given` and the rest of `p` entail: `given ∧ gist = given ∧ p`. `None` where that is empty.
///
/// It may be evaluated where `given` holds, if `p` may: what reads nothing stands first, and a condition goes only if
/// `given` and what stands before the reads behind it entail it. Of a long conjunction each condition is asked of those alone that are nearest to
/// it, so that the work grows as its length.
#[must_use]
pub fn gist(p: &[Cond], given: &[Cond], facts: &Facts, work: &mut Work) -> Option<Pred> {
    if p.is_empty() {
        return Some(vec![]);
    }
    let p = total_first(p);
    let mut names = opaque(given);
    names.extend(opaque(&p));
    let part = |(id, c): (usize, &Cond)| Part::new(id, c.clone(), &names);
    let mut parts: Vec<Part> = p.iter().enumerate().map(part).collect();
    let mut asked = Asked::new(&parts, given, facts);
    let mut windows = p.chunks(LONG).zip(&mut asked.windows);
    if windows.any(|(p, window)| {
        let asked: Pred = p.iter().filter(|c| !is_wide(c)).cloned().collect();
        window.context.is_empty_with(&asked, work)
    }) {
        return None;
    }
    // What its own conditions say of the factors of its products counts only where they are assumed from the start.
    if p.len() <= LONG && p.iter().any(Cond::has_product) && is_empty(&[given, &p], facts, work) {
        return None;
    }
    let is_kept = |x: &Part| x.is_alone && !is_wide(&x.c);
    parts.retain(|x| is_kept(x) || !obvious(given, &x.c) && !asked.of(x).context.entails(&x.c, work));
    // The last first: earlier conditions are what later ones may need to be defined.
    for k in (0..parts.len()).rev() {
        if parts.len() == 1 {
            break;
        }
        if !parts[k].is_alone && follows(k, &parts, &mut asked, work) {
            parts.remove(k);
        }
    }
    if sharpen(&mut parts, &mut asked, work) || meet(&mut parts, &mut asked, work) {
        let rest: Pred = parts.into_iter().map(|x| x.c).collect();
        return gist(&rest, given, facts, work);
    }
    Some(parts.into_iter().map(|x| x.c).collect())
}

/// Whether a condition follows from what stands before it and from those behind it that read nothing.
fn follows(k: usize, parts: &[Part], asked: &mut Asked, work: &mut Work) -> bool {
    let usable = |j: usize, d: &Part| j != k && (j < k || d.is_total) && !d.is_alone;
    let others: Vec<usize> = (0..parts.len()).filter(|j| usable(*j, &parts[*j])).collect();
    let c = &parts[k].c;
    let all: Vec<&Cond> = others.iter().map(|j| &parts[*j].c).collect();
    if obvious(&all, c) || congruent::follows(c, &all) {
        return true;
    }
    if congruent::is_decided(c, &all, asked.given) {
        return false;
    }
    let near = near(k, others, parts, asked);
    // Likewise.
    let assumed = || near.iter().copied().cloned().collect::<Pred>();
    asked.of(&parts[k]).context.entails_with(&near, c, work)
        || c.has_product() && entails_cond(&[asked.given, &assumed()], c, asked.facts, work)
}

/// Those of the others that are nearest to the one at `k`, of those that may be assumed where it is asked about.
fn near<'p>(k: usize, mut others: Vec<usize>, parts: &'p [Part], asked: &mut Asked) -> Vec<&'p Cond> {
    let ids = &asked.of(&parts[k]).ids;
    others.retain(|j| ids.contains(&parts[*j].id));
    if others.len() > NEAR {
        others.retain(|j| !congruent::is_independent(&parts[k].c, &parts[*j].c));
    }
    nearest(k, others, parts).into_iter().map(|j| &parts[j].c).collect()
}

/// Of many conditions those that have most to do with the one at `k`: that speak of the same indices, and of what these speak of; where none is
/// left of those, of the same sizes.
fn nearest(k: usize, others: Vec<usize>, parts: &[Part]) -> Vec<usize> {
    if others.len() <= NEAR {
        return others;
    }
    let mut reached = parts[k].leaves.clone();
    let mut left = others;
    let mut out: Vec<usize> = vec![];
    while out.len() < NEAR {
        let shares = |j: &usize, is: fn(&Atom) -> bool| parts[*j].leaves.intersection(&reached).any(is);
        let by_index = |j: &usize| shares(j, |t| matches!(t, Atom::Index(_)));
        let (mut next, mut rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|j| by_index(j));
        if next.is_empty() {
            (next, rest) = left.iter().partition(|j| shares(j, |_| true));
        }
        if next.is_empty() {
            break;
        }
        sorted::sort_by_key(&mut next, |j| j.abs_diff(k));
        next.truncate(NEAR - out.len());
        next.iter().for_each(|j| reached.extend(parts[*j].leaves.iter().cloned()));
        out.extend(next);
        left = rest;
    }
    sorted::sort(&mut out);
    out
}

/// The conditions that tell something, of many those nearest to the one at `k`.
fn telling<'p>(k: usize, parts: &'p [Part], asked: &mut Asked) -> Vec<&'p Cond> {
    let others = (0..parts.len()).filter(|j| !parts[*j].is_alone).collect();
    near(k, others, parts, asked)
}

/// `a ≠ 0` at the edge of a range is a shorter range, by those of the conditions that tell something.
fn sharpen(parts: &mut [Part], asked: &mut Asked, work: &mut Work) -> bool {
    for k in 0..parts.len() {
        let Cond::NonZero(a) = &parts[k].c else { continue };
        let told = telling(k, parts, asked);
        let context = &mut asked.of(&parts[k]).context;
        let sides = [a.clone(), a.negated()];
        let at_edge = sides.into_iter().find(|a| context.entails_with(&told, &Cond::NonNeg(a.clone()), work));
        if let Some(a) = at_edge {
            parts[k].c = Cond::NonNeg(a.step(-1));
            return true;
        }
    }
    false
}

/// Two opposite inequalities are an equality.
fn meet(parts: &mut Vec<Part>, asked: &mut Asked, work: &mut Work) -> bool {
    if parts.len() < 2 {
        return false;
    }
    for k in (0..parts.len()).rev() {
        let Cond::NonNeg(a) = &parts[k].c else { continue };
        let (a, minus): (Affine, Cond) = (a.clone(), Cond::NonNeg(a.negated()));
        let told = telling(k, parts, asked);
        if asked.of(&parts[k]).context.entails_with(&told, &minus, work) {
            parts[k].c = Cond::Zero(a);
            parts.retain(|x| x.c != minus);
            return true;
        }
    }
    false
}
