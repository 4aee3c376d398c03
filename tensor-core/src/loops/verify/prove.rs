//! Questions to the index algebra, each asked once.

use super::known::count;
use crate::index::omega::Work;
use crate::index::query::{Facts, Found, Model, entails_cond, model};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::weights;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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

/// The time of all questions, in nanoseconds.
static PROVING: AtomicU64 = AtomicU64::new(0);

/// How long this process has looked for proofs.
#[must_use]
pub fn proving() -> Duration {
    Duration::from_nanos(PROVING.load(Ordering::Relaxed))
}

/// The questions that were asked, and their answers.
#[derive(Default)]
pub struct Prover {
    known: BTreeMap<(Pred, Cond), Verdict>,
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
            self.asked(given.to_vec(), c, true)
        }
    }

    /// Whether a condition follows from those that have to do with it: at once, or by way of others.
    pub(super) fn follows(&mut self, given: &[Cond], c: &Cond) -> bool {
        let links = Links::of(given, c);
        let mut before = None;
        for far in [1, 2, 4, usize::MAX] {
            let p = links.within(given, far);
            if before == Some(p.len()) {
                continue;
            }
            if before.is_some() && count(&p) > weights::verify::LONG {
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
    fn asked(&mut self, given: Pred, c: &Cond, is_last: bool) -> Verdict {
        let how = if is_last { decide } else { quick };
        let key = (given, c.clone());
        match self.known.get(&key) {
            // What was not seen at once may yet be decided.
            Some(Verdict::Unseen) if is_last => {}
            None => {}
            Some(verdict) => return verdict.clone(),
        }
        let start = Instant::now();
        let has_products = of_products(&key.0, c);
        let verdict = if has_products && self.given_up >= weights::verify::OF_PRODUCTS {
            Verdict::Undecided
        } else {
            how(&key.0, c)
        };
        self.given_up += usize::from(has_products && verdict == Verdict::Undecided);
        let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        PROVING.fetch_add(nanoseconds, Ordering::Relaxed);
        let size = count(&key.0);
        self.kept += size;
        if self.kept > weights::verify::KEPT {
            self.known.clear();
            self.kept = size;
        }
        self.known.insert(key, verdict.clone());
        verdict
    }
}

/// Whether products of sizes or indices are in question.
pub(super) fn of_products(given: &[Cond], c: &Cond) -> bool {
    let is_product = |t: &Atom| matches!(t, Atom::Product(_));
    given.iter().chain([c]).any(|c| c.any_atom(&is_product))
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
        || given.iter().chain([c]).any(|c| c.any_atom(&|t| depth(t) > 2))
        || quotients.len() > weights::verify::QUOTIENTS
        || given.iter().chain([c]).any(is_large)
}

/// Whether it is seen to follow.
fn quick(given: &[Cond], c: &Cond) -> Verdict {
    let given = &[given, &zeros(given, c)].concat();
    let follows = entails_cond(&[given], c, &Facts::default(), &mut Work::default());
    if follows { Verdict::Proved } else { Verdict::Unseen }
}

fn decide(given: &[Cond], c: &Cond) -> Verdict {
    if quick(given, c) == Verdict::Proved {
        return Verdict::Proved;
    }
    let given = &[given, &zeros(given, c)].concat();
    let mut points = c.negate().into_iter().map(|not| {
        let search = |mut work: Work| model(&[given, &not], &Facts::default(), &mut work);
        let found = match search(Work::default()) {
            // The compiler asked where less was known.
            Found::Unknown if !of_products(given, c) => search(Work::new(weights::verify::PATIENCE)),
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

/// Those conditions that have to do with one, also by way of others: what shares an index or an element, and what is of sizes alone.
pub(super) fn relevant(given: &[Cond], c: &Cond) -> Pred {
    Links::of(given, c).within(given, usize::MAX)
}

/// What conditions share with one, directly or by way of others.
struct Links {
    /// For each condition how far it is, if it has to do with it; 0 for what is of sizes alone.
    distances: Vec<Option<usize>>,
}

impl Links {
    fn of(given: &[Cond], c: &Cond) -> Links {
        let mut numbers: HashMap<&Atom, usize> = HashMap::new();
        let mut readers: Vec<Vec<usize>> = vec![];
        let mut all: Vec<Vec<usize>> = vec![];
        for (k, c) in given.iter().chain([c]).enumerate() {
            let mut own = vec![];
            atoms(c, &mut |t| {
                let number = *numbers.entry(t).or_insert_with(|| {
                    readers.push(vec![]);
                    readers.len() - 1
                });
                if readers[number].last() != Some(&k) {
                    readers[number].push(k);
                    own.push(number);
                }
            });
            all.push(own);
        }
        let mut distances: Vec<Option<usize>> = all.iter().map(|own| own.is_empty().then_some(0)).collect();
        let mut seen = vec![false; readers.len()];
        let (mut here, mut far) = (vec![given.len()], 0);
        distances[given.len()] = Some(0);
        while !here.is_empty() {
            far += 1;
            let mut next = vec![];
            for number in here.iter().flat_map(|k| &all[*k]) {
                if std::mem::replace(&mut seen[*number], true) {
                    continue;
                }
                for k in &readers[*number] {
                    if distances[*k].is_none() {
                        distances[*k] = Some(far);
                        next.push(*k);
                    }
                }
            }
            here = next;
        }
        Links { distances }
    }

    /// Those no further away.
    fn within(&self, given: &[Cond], far: usize) -> Pred {
        let mut out: Pred = vec![];
        let mut known: HashSet<&Cond> = HashSet::new();
        for (c, distance) in given.iter().zip(&self.distances) {
            if distance.is_some_and(|d| d <= far) && known.insert(c) {
                out.push(c.clone());
            }
        }
        out
    }
}

/// The indices and elements of a condition.
fn atoms<'a>(c: &'a Cond, f: &mut dyn FnMut(&'a Atom)) {
    fn of<'a>(t: &'a Atom, f: &mut dyn FnMut(&'a Atom)) {
        if matches!(t, Atom::Index(_) | Atom::Element(..)) {
            f(t);
        }
        match t {
            Atom::Size(_) | Atom::Index(_) => {}
            Atom::Floor(e, _) => e.terms.iter().for_each(|t| of(&t.0, f)),
            Atom::Element(_, at) => at.iter().flat_map(|e| &e.terms).for_each(|t| of(&t.0, f)),
            Atom::Product(fs) => fs.iter().for_each(|t| of(t, f)),
        }
    }
    c.affines().into_iter().flat_map(|a| &a.terms).for_each(|t| of(&t.0, f));
}
