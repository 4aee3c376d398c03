//! Polynomials in sizes.

use crate::index::names::Names;
use crate::index::{Affine, Atom};
use crate::sorted::{self, Map};
use std::fmt;

/// A polynomial in sizes, with their names: `2 n m + 3 n`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Polynomial {
    /// By the atoms of the monomial, sorted; never 0.
    pub(super) terms: Map<Vec<Atom>, i64>,
    pub(super) names: Vec<String>,
}

impl Polynomial {
    /// Zero, in the sizes of these names.
    #[must_use]
    pub fn new(names: &[String]) -> Polynomial {
        Polynomial { terms: Map::new(), names: names.to_vec() }
    }

    /// A number.
    #[must_use]
    pub fn from_constant(c: i64) -> Polynomial {
        Polynomial::from_affine(&Affine::from(c))
    }

    /// A form over sizes.
    #[must_use]
    pub fn from_affine(a: &Affine) -> Polynomial {
        let mut out = Polynomial::default();
        out.add(vec![], a.constant);
        for (t, c) in &a.terms {
            let monomial = match t {
                Atom::Product(factors) => factors.clone(),
                Atom::Size(_) | Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) => vec![t.clone()],
            };
            out.add(monomial, *c);
        }
        out
    }

    fn add(&mut self, monomial: Vec<Atom>, c: i64) {
        let sum = self.terms.get(&monomial).copied().unwrap_or(0).saturating_add(c);
        if sum == 0 {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, sum);
        }
    }

    /// `self + c · other`
    #[must_use]
    pub fn plus(mut self, c: i64, other: &Polynomial) -> Polynomial {
        for (m, d) in &other.terms {
            self.add(m.clone(), c.saturating_mul(*d));
        }
        self
    }

    /// `self · other`
    #[must_use]
    pub fn times(&self, other: &Polynomial) -> Polynomial {
        let mut out = Polynomial::new(&self.names);
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                let mut both = [m.as_slice(), n].concat();
                sorted::sort(&mut both);
                out.add(both, c.saturating_mul(*d));
            }
        }
        out
    }

    /// The greatest number of sizes multiplied.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.terms.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// The terms as they are printed.
    pub(super) fn ordered(&self) -> Vec<(&Vec<Atom>, i64)> {
        let mut terms: Vec<(&Vec<Atom>, i64)> = self.terms.iter().map(|(m, c)| (m, *c)).collect();
        sorted::sort_by_key(&mut terms, |(m, c)| (*c < 0, std::cmp::Reverse(m.len())));
        terms
    }

    /// The factors of a monomial, as they are printed.
    pub(super) fn factors(&self, monomial: &[Atom]) -> Vec<String> {
        powers(&Names { sizes: self.names.clone(), ..Names::default() }, monomial)
    }

    /// Degree and number of terms.
    pub(super) fn complexity(&self) -> (usize, usize) {
        (self.degree(), self.terms.len())
    }

    /// The value where the sizes have these values.
    #[must_use]
    pub fn eval(&self, sizes: &[i64]) -> i64 {
        let size = |t: &Atom| match t {
            Atom::Size(k) => sizes.get(*k as usize).copied().unwrap_or(0),
            Atom::Index(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => 0,
        };
        let value = |(m, c): (&Vec<Atom>, &i64)| m.iter().fold(*c, |p, t| p.saturating_mul(t.eval(&size)));
        self.terms.iter().map(value).fold(0, i64::saturating_add)
    }
}

impl fmt::Display for Polynomial {
    /// Highest degree first.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.ordered();
        if terms.is_empty() {
            return out.write_str("0");
        }
        for (k, (monomial, c)) in terms.into_iter().enumerate() {
            match (k, c < 0) {
                (0, false) => {}
                (0, true) => out.write_str("-")?,
                (_, false) => out.write_str(" + ")?,
                (_, true) => out.write_str(" - ")?,
            }
            let mut factors = self.factors(monomial);
            if c.abs() != 1 || factors.is_empty() {
                factors.insert(0, c.unsigned_abs().to_string());
            }
            out.write_str(&factors.join(" "))?;
        }
        Ok(())
    }
}

/// `n n m` as `n² m`.
fn powers(names: &Names, monomial: &[Atom]) -> Vec<String> {
    let mut out = vec![];
    for same in monomial.chunk_by(|a, b| a == b) {
        let base = match &same[0] {
            Atom::Floor(..) => format!("({})", names.atom(&same[0])),
            t @ (Atom::Size(_) | Atom::Index(_) | Atom::Element(..) | Atom::Product(_)) => names.atom(t),
        };
        out.push(match same.len() {
            1 => base,
            2 => format!("{base}²"),
            3 => format!("{base}³"),
            k => format!("{base}^{k}"),
        });
    }
    out
}
