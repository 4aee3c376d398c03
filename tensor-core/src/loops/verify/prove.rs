//! Questions to the index algebra, each asked once.

use crate::index::omega::Work;
use crate::index::query::{Facts, Found, Model, entails_cond, model};
use crate::index::{Affine, Atom, Cond, Pred};
use crate::sorted::Set;
use std::collections::BTreeMap;

/// Whether something follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It does.
    Proved,
    /// It does not at this point.
    Fails(Model),
    /// The solver gave up.
    Undecided,
}

/// So many questions by products that are not decided are enough: each takes all the time that one may.
const MOST: usize = 16;

/// The questions that were asked, and their answers.
#[derive(Default)]
pub struct Prover {
    known: BTreeMap<(Pred, Cond), Verdict>,
    /// How many questions by products were not decided.
    given_up: usize,
}

impl Prover {
    /// Whether a condition follows from others: from those that have to do with it, or else from all, whose ranges say of sizes that they are not empty.
    pub(super) fn ask(&mut self, given: &[Cond], c: &Cond) -> Verdict {
        let linked = relevant(given, c);
        let is_all = linked.len() == given.len();
        match self.decided(linked, c) {
            Verdict::Proved => Verdict::Proved,
            verdict @ (Verdict::Fails(_) | Verdict::Undecided) if is_all => verdict,
            Verdict::Fails(_) | Verdict::Undecided => self.decided(given.to_vec(), c),
        }
    }

    fn decided(&mut self, given: Pred, c: &Cond) -> Verdict {
        let key = (given, c.clone());
        if let Some(verdict) = self.known.get(&key) {
            return verdict.clone();
        }
        let has_products = of_products(&key.0, c);
        let verdict =
            if has_products && self.given_up >= MOST { Verdict::Undecided } else { decide(&key.0, c) };
        self.given_up += usize::from(has_products && verdict == Verdict::Undecided);
        self.known.insert(key, verdict.clone());
        verdict
    }
}

/// Whether products of sizes or indices are in question.
pub(super) fn of_products(given: &[Cond], c: &Cond) -> bool {
    let is_product = |t: &Atom| matches!(t, Atom::Product(_));
    given.iter().chain([c]).any(|c| c.any_atom(&is_product))
}

/// The work on a question that is left open at first: some hundred times as much as the compiler's.
const PATIENCE: i64 = 400_000;

fn decide(given: &[Cond], c: &Cond) -> Verdict {
    let given = &[given, &zeros(given, c)].concat();
    if entails_cond(&[given], c, &Facts::default(), &mut Work::default()) {
        return Verdict::Proved;
    }
    let mut points = c.negate().into_iter().map(|not| {
        let search = |mut work: Work| model(&[given, &not], &Facts::default(), &mut work);
        let found = match search(Work::default()) {
            // The compiler asked where less was known.
            Found::Unknown if !of_products(given, c) => search(Work::new(PATIENCE)),
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
    let mut linked: Set<Atom> = Set::new();
    links(c).into_iter().for_each(|t| {
        linked.insert(t);
    });
    let all: Vec<Vec<Atom>> = given.iter().map(links).collect();
    let mut taken: Vec<bool> = all.iter().map(Vec::is_empty).collect();
    loop {
        let mut more = false;
        for (own, taken) in all.iter().zip(&mut taken) {
            if !*taken && own.iter().any(|t| linked.contains(t)) {
                *taken = true;
                more = true;
                linked.extend(own.iter().cloned());
            }
        }
        if !more {
            break;
        }
    }
    let mut out: Pred = vec![];
    for (c, _) in given.iter().zip(taken).filter(|(_, taken)| *taken) {
        if !out.contains(c) {
            out.push(c.clone());
        }
    }
    out
}

/// The indices and elements of a condition.
fn links(c: &Cond) -> Vec<Atom> {
    let mut out = vec![];
    for a in c.affines() {
        Affine::each_atom(a, &mut |t| {
            if matches!(t, Atom::Index(_) | Atom::Element(..)) && !out.contains(t) {
                out.push(t.clone());
            }
        });
    }
    out
}
