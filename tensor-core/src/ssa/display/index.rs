//! Affine forms and conditions.

use super::Printer;
use super::value::Level;
use crate::index::names::whole_quotient;
use crate::index::{Affine, Atom, Cond};
use crate::sorted;
use crate::ssa::RealCompare;

/// The part with positive coefficients and the negated rest: `a = p - q`.
fn sides(a: &Affine) -> (Affine, Affine) {
    let part = |sign: i64| Affine {
        terms: a.terms.iter().filter(|t| t.1 * sign > 0).map(|(t, c)| (t.clone(), c * sign)).collect(),
        constant: (a.constant * sign).max(0),
    };
    (part(1), part(-1))
}

fn plus(a: &Affine, constant: i64) -> Affine {
    Affine { terms: a.terms.clone(), constant: a.constant + constant }
}

fn is_size(t: &Atom) -> bool {
    match t {
        Atom::Size(_) => true,
        Atom::Index(_) | Atom::Element(..) => false,
        Atom::Floor(e, _) => e.terms.iter().all(|(t, _)| is_size(t)),
        Atom::Product(factors) => factors.iter().all(is_size),
    }
}

impl Printer {
    /// Positive terms first: `n - i - 1`.
    pub(super) fn affine(&self, a: &Affine) -> String {
        if let Some((dividend, k, rest)) = whole_quotient(a) {
            let quotient = format!("{} / {k}", self.operand(&dividend));
            return match (rest.is_zero(), rest.constant < 0 || rest.terms.iter().all(|t| t.1 < 0)) {
                (true, _) => quotient,
                (false, true) => format!("{quotient} - {}", self.affine(&rest.negated())),
                (false, false) => format!("{quotient} + {}", self.affine(&rest)),
            };
        }
        let (positive, negative) = sides(a);
        let mut out = String::new();
        let mut add = |sign: &str, text: String| {
            out += &match (out.is_empty(), sign) {
                (true, "+") => text,
                (true, _) => format!("-{text}"),
                (false, _) => format!(" {sign} {text}"),
            };
        };
        let early = positive.terms.is_empty() && positive.constant > 0;
        if early {
            add("+", positive.constant.to_string());
        }
        for (t, c) in self.in_order(&positive) {
            add("+", self.monomial(t, *c, false));
        }
        if positive.constant > 0 && !early {
            add("+", positive.constant.to_string());
        }
        let leading = positive.terms.is_empty() && !early;
        for (k, (t, c)) in self.in_order(&negative).into_iter().enumerate() {
            add("-", self.monomial(t, *c, leading && k == 0));
        }
        if negative.constant > 0 {
            add("-", negative.constant.to_string());
        }
        if out.is_empty() { "0".into() } else { out }
    }

    /// The terms: sizes, then indices, those of outer scopes first, then the rest.
    fn in_order<'a>(&self, a: &'a Affine) -> Vec<&'a (Atom, i64)> {
        let mut terms: Vec<&(Atom, i64)> = a.terms.iter().collect();
        sorted::sort_by_key(&mut terms, |(t, _)| match t {
            Atom::Size(_) => (0, None),
            Atom::Index(k) => (1, self.position(*k)),
            Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => (2, None),
        });
        terms
    }

    fn position(&self, index: u32) -> Option<usize> {
        self.indices.iter().position(|(i, _)| i.0 == index)
    }

    /// `c * t`; a quotient is a whole operand where something stands before it that binds as tightly.
    fn monomial(&self, t: &Atom, c: i64, after_sign: bool) -> String {
        if c == 1 && !after_sign {
            return self.atom(t);
        }
        let factor = self.factor(t);
        if c == 1 { factor } else { format!("{c} * {factor}") }
    }

    fn factor(&self, t: &Atom) -> String {
        match t {
            Atom::Floor(..) => format!("({})", self.atom(t)),
            Atom::Size(_) | Atom::Index(_) | Atom::Element(..) | Atom::Product(_) => self.atom(t),
        }
    }

    /// A form as an operand of `/`, `%` and `as`.
    pub(super) fn operand(&self, a: &Affine) -> String {
        match a.terms.as_slice() {
            [] if a.constant >= 0 => self.affine(a),
            [(Atom::Size(_) | Atom::Index(_) | Atom::Element(..), 1)] if a.constant == 0 => self.affine(a),
            _ => format!("({})", self.affine(a)),
        }
    }

    fn atom(&self, t: &Atom) -> String {
        match t {
            Atom::Size(k) => self.sizes.get(*k as usize).cloned().unwrap_or_else(|| format!("size{k}")),
            Atom::Index(k) => match self.position(*k) {
                Some(at) => self.indices[at].1.clone(),
                None => format!("index{k}"),
            },
            Atom::Floor(e, k) => format!("{} / {k}", self.operand(e)),
            Atom::Element(k, at) => match self.elements.iter().find(|(e, _)| e == t) {
                Some((_, name)) => name.clone(),
                None => self.arg_extreme_anywhere(*k, at),
            },
            Atom::Product(factors) => factors.iter().map(|f| self.factor(f)).collect::<Vec<_>>().join(" * "),
        }
    }

    /// The conditions of a conjunction; two that bound one form are a chain.
    pub(super) fn conds(&self, p: &[Cond]) -> Vec<String> {
        let mut out = Vec::new();
        let mut rest = p;
        while let Some((first, tail)) = rest.split_first() {
            match tail.split_first().and_then(|(second, tail)| Some((self.chain(first, second)?, tail))) {
                Some((text, tail)) => {
                    out.push(text);
                    rest = tail;
                }
                None => {
                    out.push(self.cond(first));
                    rest = tail;
                }
            }
        }
        out
    }

    /// `l <= e && e < u → l <= e < u` where the ends speak of sizes alone.
    fn chain(&self, first: &Cond, second: &Cond) -> Option<String> {
        let (Cond::NonNeg(a), Cond::NonNeg(b)) = (first, second) else { return None };
        let (ends, middle): (Vec<_>, Vec<_>) = a.terms.iter().cloned().partition(|(t, _)| is_size(t));
        let middle = Affine { terms: middle, constant: 0 };
        if middle.terms.iter().all(|(_, c)| *c < 0) {
            return None;
        }
        let lower = Affine { terms: ends, constant: a.constant }.scale(-1)?;
        let upper = plus(&b.plus_scaled(1, &middle)?, 1);
        let bounded = upper.terms.iter().all(|(t, _)| is_size(t));
        bounded
            .then(|| format!("{} <= {} < {}", self.affine(&lower), self.affine(&middle), self.affine(&upper)))
    }

    /// A condition, as an operand of `&&`.
    pub(super) fn cond(&self, c: &Cond) -> String {
        match c {
            Cond::Zero(a) => self.equation(a, "=="),
            Cond::NonZero(a) => self.equation(a, "!="),
            Cond::NonNeg(a) if a.constant < 0 => {
                let (p, q) = sides(&plus(a, 1));
                format!("{} < {}", self.affine(&q), self.affine(&p))
            }
            Cond::NonNeg(a) => {
                let (p, q) = sides(a);
                format!("{} <= {}", self.affine(&q), self.affine(&p))
            }
            Cond::Residue(a, k) => self.residue(a, *k, "=="),
            Cond::NonResidue(a, k) => self.residue(a, *k, "!="),
            Cond::Opaque { id, args, holds } => {
                let text = self.comparison(*id, args);
                if *holds { text } else { format!("!({text})") }
            }
            Cond::Any(ps) if ps.is_empty() => "0 == 1".into(),
            Cond::Any(ps) => {
                let one =
                    |p: &Vec<Cond>| if p.is_empty() { "0 == 0".into() } else { self.conds(p).join(" && ") };
                format!("({})", ps.iter().map(one).collect::<Vec<_>>().join(" || "))
            }
        }
    }

    fn equation(&self, a: &Affine, op: &str) -> String {
        let (p, q) = sides(a);
        if p.is_constant() {
            return format!("{} {op} {}", self.affine(&q), self.affine(&p));
        }
        format!("{} {op} {}", self.affine(&p), self.affine(&q))
    }

    /// `a ≡ 0 (mod k)` as `(a - c) % k == -c`.
    fn residue(&self, a: &Affine, k: i64, op: &str) -> String {
        let linear = Affine { terms: a.terms.clone(), constant: 0 };
        format!("{} % {k} {op} {}", self.operand(&linear), (-a.constant).rem_euclid(k))
    }

    /// `left op right`; a number stands on the right.
    fn comparison(&self, id: u32, args: &[Affine]) -> String {
        let (op, left, right) = self.f.compared(id, args);
        let (l, r) = (self.read(left.array, &left.at), self.read(right.array, &right.at));
        let (op, swapped) = match op {
            RealCompare::Lt => ("<", ">"),
            RealCompare::Le => ("<=", ">="),
            RealCompare::Eq => ("==", "=="),
        };
        if l.is_number && !r.is_number {
            return format!("{} {swapped} {}", r.at(Level::Sum), l.at(Level::Sum));
        }
        format!("{} {op} {}", l.at(Level::Sum), r.at(Level::Sum))
    }
}
