//! Quotients of polynomials for great sizes.

use super::Polynomial;
use crate::index::Atom;
use crate::sorted::Map;
use std::fmt::Write;

impl Polynomial {
    /// `self / other` where sizes are great, in words: of each the terms that no other outgrows, without what they have in common. `2 n d² + n d` over
    /// `2 n d + n` is `d`. `None` where `other` is zero.
    #[must_use]
    pub fn over(&self, other: &Polynomial) -> Option<String> {
        let (mut a, mut b) = (self.leading(), other.leading());
        let common = a.monomials().chain(b.monomials()).cloned().reduce(|m, n| shared(&m, &n))?;
        (a, b) = (a.without(&common), b.without(&common));
        let (_, first) = b.terms.iter().next()?;
        if a.terms.is_empty() {
            return Some("0".to_string());
        }
        let factor = a.terms.values().next().map_or(0, |c| *c);
        let is_multiple = a.terms.len() == b.terms.len()
            && a.terms.iter().zip(&b.terms).all(|((m, c), (n, d))| {
                m == n && i128::from(*c) * i128::from(*first) == i128::from(*d) * i128::from(factor)
            });
        if is_multiple {
            return Some(decimal(factor, *first));
        }
        let constant = (b.terms.len() == 1).then(|| b.terms.get(&vec![])).flatten();
        if let Some(c) = constant {
            return Some(a.divided(*c));
        }
        let divisor = a.terms.values().chain(b.terms.values()).fold(0, |g, c| gcd(g, c.abs()));
        let bracketed = |p: &Polynomial| match p.terms.len() {
            1 => p.divided(divisor),
            _ => format!("({})", p.divided(divisor)),
        };
        Some(format!("{} / {}", bracketed(&a), bracketed(&b)))
    }

    fn monomials(&self) -> impl Iterator<Item = &Vec<Atom>> {
        self.terms.keys()
    }

    /// The terms that divide no other.
    fn leading(&self) -> Polynomial {
        let outgrown = |m: &Vec<Atom>| self.monomials().any(|n| n.len() > m.len() && shared(m, n) == *m);
        let mut out = self.clone();
        out.terms.retain(|m, _| !outgrown(m));
        out
    }

    /// Divided by a monomial that divides all terms.
    fn without(&self, common: &[Atom]) -> Polynomial {
        let mut terms: Map<Vec<Atom>, i64> = Map::new();
        for (m, c) in &self.terms {
            let mut rest = m.clone();
            for t in common {
                if let Some(k) = rest.iter().position(|u| u == t) {
                    rest.remove(k);
                }
            }
            terms.insert(rest, *c);
        }
        Polynomial { terms, names: self.names.clone() }
    }

    /// Divided by a number, in words.
    fn divided(&self, by: i64) -> String {
        if self.terms.values().all(|c| c % by == 0) {
            let mut whole = self.clone();
            whole.terms = self.terms.iter().map(|(m, c)| (m.clone(), c / by)).collect();
            return whole.to_string();
        }
        let mut out = String::new();
        for (k, (m, c)) in self.ordered().into_iter().enumerate() {
            let sign = if (c < 0) != (by < 0) { "-" } else { "+" };
            let _ = match (k, sign) {
                (0, "+") => Ok(()),
                (0, _) => out.write_str("-"),
                _ => write!(out, " {sign} "),
            };
            let factors = self.factors(m);
            let number = decimal(c.abs(), by.abs());
            let shown = if number == "1" && !factors.is_empty() { vec![] } else { vec![number] };
            out += &[shown, factors].concat().join(" ");
        }
        out
    }
}

/// What two monomials have in common.
fn shared(a: &[Atom], b: &[Atom]) -> Vec<Atom> {
    let mut rest = b.to_vec();
    let mut out = vec![];
    for t in a {
        if let Some(k) = rest.iter().position(|u| u == t) {
            rest.remove(k);
            out.push(t.clone());
        }
    }
    out
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// `a / b` with two places at most.
fn decimal(a: i64, b: i64) -> String {
    let text = format!("{:.2}", a as f64 / b as f64);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
