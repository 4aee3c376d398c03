//! Questions to the index algebra, each asked once.

use super::known::count;
use super::links::{Conds, within};
use crate::index::omega::Work;
use crate::index::query::{Facts, Found, Model, entails_cond, is_empty, model};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::weights;
use std::collections::{HashMap, HashSet};

/// Whether something follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It does.
    Proved,
    /// It does not at this point.
    Fails(Model),
    /// The solver gave up.
    Undecided,
    /// It was not looked for a point.
    Unseen,
}

/// The questions that were asked, and their answers.
#[derive(Default)]
pub struct Prover {
    conds: Conds,
    known: HashMap<(Vec<u32>, u32), Verdict>,
    /// How many conditions the questions have.
    kept: usize,
    /// How many questions by products were not decided.
    given_up: usize,
}

impl Prover {
    /// Whether a condition follows from others: from all, whose ranges say of sizes that they are not empty, if not from those that have to do
    /// with it.
    pub(super) fn ask(&mut self, given: &[Cond], c: &Cond) -> Verdict {
        if self.follows(given, c) {
            Verdict::Proved
        } else if count(given) > weights::verify::ASKED {
            Verdict::Undecided
        } else {
            let (given, c) = (self.conds.numbered(given), self.conds.number(c));
            self.asked(given, c, true)
        }
    }

    /// Whether a condition follows from those that have to do with it: at once, or by way of others.
    pub(super) fn follows(&mut self, given: &[Cond], c: &Cond) -> bool {
        // Most places are an index in its own range.
        if given.contains(c) {
            return true;
        }
        if self.kept > weights::verify::KEPT {
            (self.conds, self.known, self.kept) = Default::default();
        }
        let (given, c) = (self.conds.numbered(given), self.conds.number(c));
        let distances = self.conds.distances(&given, c);
        let mut before = None;
        for far in [1, 2, 4, usize::MAX] {
            let p = within(&given, &distances, far);
            if before == Some(p.len()) {
                continue;
            }
            let length: usize = p.iter().map(|k| count(std::slice::from_ref(self.conds.get(*k)))).sum();
            if before.is_some() && length > weights::verify::LONG {
                return false;
            }
            before = Some(p.len());
            if self.asked(p, c, false) == Verdict::Proved {
                return true;
            }
        }
        false
    }

    /// The answer: at last by a search for a point where it does not hold.
    fn asked(&mut self, given: Vec<u32>, c: u32, is_last: bool) -> Verdict {
        let how = if is_last { decide } else { quick };
        let key = (given, c);
        match self.known.get(&key) {
            // What was not seen at once may yet be decided.
            Some(Verdict::Unseen) if is_last => {}
            None => {}
            Some(verdict) => return verdict.clone(),
        }
        let (given, c) = (self.conds.pred(&key.0), self.conds.get(c));
        let has_products = of_products(&given, c);
        let verdict = if has_products && self.given_up >= weights::verify::OF_PRODUCTS {
            Verdict::Undecided
        } else {
            how(&given, c)
        };
        self.given_up += usize::from(has_products && verdict == Verdict::Undecided);
        self.kept += key.0.len();
        self.known.insert(key, verdict.clone());
        verdict
    }
}

/// Whether products of sizes or indices are in question.
pub(super) fn of_products(given: &[Cond], c: &Cond) -> bool {
    given.iter().chain([c]).any(Cond::has_product)
}

/// Whether a question is beyond what the solver can be expected to decide: products are in question, quotients or elements of each other in three levels,
/// many quotients, or numbers near the largest that it computes with.
pub(super) fn is_hard(given: &[Cond], c: &Cond) -> bool {
    fn depth(t: &Atom) -> usize {
        let of = |e: &Affine| e.terms.iter().map(|t| depth(&t.0)).max().unwrap_or(0);
        match t {
            Atom::Size(_) | Atom::Index(_) => 0,
            Atom::Floor(e, _) => 1 + of(e),
            Atom::Element(_, at) => 1 + at.iter().map(of).max().unwrap_or(0),
            Atom::Product(fs) => fs.iter().map(depth).max().unwrap_or(0),
        }
    }
    let all = || given.iter().chain([c]).flat_map(Cond::affines);
    let mut quotients: HashSet<Atom> = HashSet::new();
    all().for_each(|a| {
        a.each_atom(&mut |t| {
            if matches!(t, Atom::Floor(..)) {
                quotients.insert(t.clone());
            }
        });
    });
    let is_large = |c: &Cond| {
        let modulus = match c {
            Cond::Residue(_, k) | Cond::NonResidue(_, k) => *k,
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Opaque { .. } | Cond::Any(_) => 0,
        };
        let coefficients = c.affines().into_iter().flat_map(|a| &a.terms).map(|t| t.1.abs());
        coefficients.chain([modulus]).any(|k| k > weights::verify::LARGE)
    };
    of_products(given, c)
        || given.iter().chain([c]).any(|c| c.any_atom(&|t| depth(t) > weights::verify::NESTED))
        || quotients.len() > weights::verify::QUOTIENTS
        || given.iter().chain([c]).any(is_large)
}

/// Whether it is seen to follow: without what is said of products, if it is of none, without what alternatives say by alternatives of their own, which is
/// mostly of others, or with it.
fn quick(given: &[Cond], c: &Cond) -> Verdict {
    let follows = |p: &[Cond]| entails_cond(&[p], c, &Facts::default(), &mut Work::default());
    if !c.has_product() && given.iter().any(Cond::has_product) && follows(&without_products(given)) {
        return Verdict::Proved;
    }
    let given = &[given, &zeros(given, c)].concat();
    let shallow: Pred = given.iter().map(without_inner).collect();
    if shallow != *given && follows(&shallow) || follows(given) { Verdict::Proved } else { Verdict::Unseen }
}

/// What conditions say without those that are of products, in alternatives too.
fn without_products(p: &[Cond]) -> Pred {
    let rest = |c: &Cond| match c {
        Cond::Any(ps) => Some(Cond::Any(ps.iter().map(|p| without_products(p)).collect())),
        c => Some(c.clone()).filter(|c| !c.has_product()),
    };
    p.iter().filter_map(rest).collect()
}

/// What a condition says without the unions in its alternatives.
fn without_inner(c: &Cond) -> Cond {
    let Cond::Any(ps) = c else { return c.clone() };
    let plain = |p: &Pred| p.iter().filter(|c| !matches!(c, Cond::Any(_))).cloned().collect();
    Cond::Any(ps.iter().map(plain).collect())
}

fn decide(given: &[Cond], c: &Cond) -> Verdict {
    if quick(given, c) == Verdict::Proved {
        return Verdict::Proved;
    }
    let given = &[given, &zeros(given, c)].concat();
    let mut points = c.negate().into_iter().map(|not| {
        let p = [given.as_slice(), &not].concat();
        let found = match model(&[&p], &Facts::default(), &mut Work::default()) {
            // The compiler asked where less was known.
            Found::Unknown if !of_products(given, c) => patiently(p),
            found => found,
        };
        match found {
            Found::Some(m) if is_point(&m) => Verdict::Fails(m),
            Found::None => Verdict::Proved,
            Found::Some(_) | Found::Unknown => Verdict::Undecided,
        }
    });
    points.find(|v| *v != Verdict::Proved).unwrap_or(Verdict::Proved)
}

/// Is there a point? Alternatives fall away first: the search goes through those of one union for each of another.
fn patiently(p: Pred) -> Found {
    let work = || Work::new(weights::verify::PATIENCE);
    match propagated(p, &mut work()) {
        Some(p) => model(&[&p], &Facts::default(), &mut work()),
        None => Found::None,
    }
}

/// The same, without the alternatives that what holds anyway excludes; what is left of a union alone holds anyway. `None` if nothing is left of one.
fn propagated(mut p: Pred, work: &mut Work) -> Option<Pred> {
    let is_union = |c: &Cond| matches!(c, Cond::Any(_));
    loop {
        let (unions, anyway): (Pred, Pred) = p.into_iter().partition(is_union);
        let mut excludes = |q: &Pred| {
            let q: Pred = q.iter().filter(|c| !is_union(c)).cloned().collect();
            is_empty(&[&anyway, &q], &Facts::default(), work)
        };
        let (mut alone, mut several): (Pred, Pred) = Default::default();
        for union in unions {
            let Cond::Any(mut alternatives) = union else { continue };
            alternatives.retain(|q| !excludes(q));
            match alternatives.len() {
                0 => return None,
                1 => alone.extend(alternatives.remove(0)),
                _ => several.push(Cond::Any(alternatives)),
            }
        }
        let is_done = alone.is_empty();
        p = [anyway, alone, several].concat();
        if is_done {
            return Some(p);
        }
    }
}

/// Of each product that occurs: it is zero where a factor is. The solver takes a product for a number of its own.
fn zeros(given: &[Cond], c: &Cond) -> Pred {
    let mut out: Pred = vec![];
    for a in given.iter().chain([c]).flat_map(Cond::affines) {
        a.each_atom(&mut |t| {
            let Atom::Product(factors) = t else { return };
            for f in factors {
                let (factor, product) = (Affine::from(f.clone()), Affine::from(t.clone()));
                let zero = vec![Cond::Zero(factor.clone()), Cond::Zero(product)];
                let others = [factor.clone(), factor.negated()].map(|a| vec![Cond::NonNeg(a.step(-1))]);
                let cases = Cond::Any([zero].into_iter().chain(others).collect());
                if !out.contains(&cases) {
                    out.push(cases);
                }
            }
        });
    }
    out
}

/// Whether products are those of their factors.
fn is_point(m: &Model) -> bool {
    m.atoms.iter().zip(&m.values).all(|(t, value)| match t {
        Atom::Product(factors) => {
            let factors = factors.iter().map(|f| m.get(f));
            factors.product::<Option<i64>>() == Some(*value)
        }
        Atom::Size(_) | Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) => true,
    })
}
