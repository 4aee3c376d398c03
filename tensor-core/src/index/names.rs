//! Printing, as the user would write it.

use super::affine::{Affine, Atom};
use super::pred::{Cond, Pred};
use super::project::{Bound, Bounds};
use crate::sorted;

/// Names for printing, by number; what has none gets one made of its number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By `Atom::Size`.
    pub sizes: Vec<String>,
    /// By `Atom::Index`.
    pub indices: Vec<String>,
    /// By `Atom::Element`.
    pub arrays: Vec<String>,
    /// By `Cond::Opaque`.
    pub relations: Vec<String>,
    /// Forms of sizes as the user wrote them: they print so, and what has the same sizes in the same order.
    pub written: Vec<(Affine, String)>,
}

fn name(table: &[String], k: u32, otherwise: &str) -> String {
    table.get(k as usize).cloned().unwrap_or_else(|| format!("{otherwise}{k}"))
}

/// `(d*d + d) / 2 - d` as `(d*d - d) / 2`, the way in which triangles are written: the whole part of a quotient goes back into it where
/// its atoms stand there too. `(dividend, divisor, rest)`, if something does.
pub(crate) fn whole_quotient(a: &Affine) -> Option<(Affine, i64, Affine)> {
    let mut floors = a.terms.iter().filter(|t| matches!(t.0, Atom::Floor(..)));
    let (Some((floor @ Atom::Floor(e, k), 1)), None) = (floors.next(), floors.next()) else { return None };
    let (mut dividend, mut rest) = ((**e).clone(), Affine::from(a.constant));
    let mut moved = false;
    for (t, c) in a.terms.iter().filter(|t| t.0 != *floor) {
        let term = Affine::from(t.clone());
        let own = e.coeff(t);
        if own != 0 && own.saturating_add(k.saturating_mul(*c)).saturating_abs() <= own.saturating_abs() {
            dividend = dividend.plus_scaled(k.checked_mul(*c)?, &term)?;
            moved = true;
        } else {
            rest = rest.plus_scaled(*c, &term)?;
        }
    }
    let one_sign = rest.terms.iter().all(|t| t.1 > 0) && rest.constant >= 0
        || rest.terms.iter().all(|t| t.1 < 0) && rest.constant <= 0;
    (moved && one_sign).then_some((dividend, *k, rest))
}

impl Names {
    /// From names separated by spaces.
    #[must_use]
    pub fn new(sizes: &str, indices: &str) -> Names {
        let list = |s: &str| s.split_whitespace().map(String::from).collect();
        Names { sizes: list(sizes), indices: list(indices), ..Names::default() }
    }

    /// `n`, `i`, `(i + 1) / 2`, `idx[i]`, `i*j`; an element without arguments is its name alone.
    #[must_use]
    pub fn atom(&self, a: &Atom) -> String {
        match a {
            Atom::Size(k) => name(&self.sizes, *k, "s"),
            Atom::Index(k) => name(&self.indices, *k, "i"),
            Atom::Floor(e, k) => self.quotient(e, *k),
            Atom::Element(id, args) => self.applied(name(&self.arrays, *id, "idx"), args),
            Atom::Product(fs) => {
                let factor = |f: &Atom| match f {
                    Atom::Floor(..) => format!("({})", self.atom(f)),
                    Atom::Size(_) | Atom::Index(_) | Atom::Element(..) | Atom::Product(_) => self.atom(f),
                };
                fs.iter().map(factor).collect::<Vec<_>>().join("*")
            }
        }
    }
    fn applied(&self, name: String, args: &[Affine]) -> String {
        if args.is_empty() {
            return name;
        }
        let args: Vec<_> = args.iter().map(|a| self.affine(a)).collect();
        format!("{name}[{}]", args.join(", "))
    }
    fn quotient(&self, e: &Affine, k: i64) -> String {
        let e_text = self.affine(e);
        match e.as_atom() {
            Some(Atom::Size(_) | Atom::Index(_) | Atom::Element(..)) => format!("{e_text} / {k}"),
            Some(Atom::Floor(..) | Atom::Product(_)) | None => format!("({e_text}) / {k}"),
        }
    }

    /// Where the name of an atom stands in a text.
    fn place(&self, text: &str, t: &Atom) -> Option<usize> {
        let name = match t {
            Atom::Size(_) | Atom::Index(_) => self.atom(t),
            Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => return None,
        };
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        words.position(|word| word == name)
    }

    /// The terms in the order of what the user wrote that has most of them.
    fn ordered<'a>(&self, a: &'a Affine) -> Vec<&'a (Atom, i64)> {
        let mut terms: Vec<_> = a.terms.iter().collect();
        let known = |text: &str| a.terms.iter().filter(|t| self.place(text, &t.0).is_some()).count();
        let best = self.written.iter().rev().max_by_key(|w| known(&w.1));
        if let Some((_, text)) = best.filter(|w| known(&w.1) >= 2) {
            sorted::sort_by_key(&mut terms, |t| self.place(text, &t.0).unwrap_or(usize::MAX));
        }
        terms
    }

    /// Positive terms first: `n - i - 1`.
    #[must_use]
    pub fn affine(&self, a: &Affine) -> String {
        if let Some((_, text)) = self.written.iter().find(|w| w.0 == *a) {
            return text.clone();
        }
        if let Some((floor, k, rest)) = whole_quotient(a) {
            let quotient = self.quotient(&floor, k);
            return match (rest.is_zero(), rest.constant < 0 || rest.terms.iter().all(|t| t.1 < 0)) {
                (true, _) => quotient,
                (false, true) => format!("{quotient} - {}", self.affine(&rest.negated())),
                (false, false) => format!("{quotient} + {}", self.affine(&rest)),
            };
        }
        let mut s = String::new();
        let constant_first = a.constant > 0 && a.terms.iter().all(|t| t.1 < 0);
        if constant_first {
            s = a.constant.to_string();
        }
        let (positive, negative): (Vec<_>, Vec<_>) = self.ordered(a).into_iter().partition(|t| t.1 > 0);
        for (t, c) in positive.into_iter().chain(negative) {
            s += match (s.is_empty(), *c < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let text = self.atom(t);
            match (c.unsigned_abs(), t) {
                (1, _) => s += &text,
                (c, Atom::Floor(..)) => s += &format!("{c}*({text})"),
                (c, _) => s += &format!("{c}*{text}"),
            }
        }
        if !constant_first && (a.constant != 0 || s.is_empty()) {
            match (s.is_empty(), a.constant < 0) {
                (true, _) => s = a.constant.to_string(),
                (false, true) => s += &format!(" - {}", a.constant.unsigned_abs()),
                (false, false) => s += &format!(" + {}", a.constant),
            }
        }
        s
    }

    /// `a = 0` as two sides without negative coefficients.
    fn sides(&self, a: &Affine) -> (String, String, bool) {
        let positive = |a: &Affine| Affine {
            terms: a.terms.iter().filter(|t| t.1 > 0).cloned().collect(),
            constant: a.constant.max(0),
        };
        let (left, right) = (positive(a), positive(&a.negated()));
        (self.affine(&left), self.affine(&right), left.is_constant())
    }

    /// `p - q >= 0` reads `q <= p`.
    #[must_use]
    pub fn cond(&self, c: &Cond) -> String {
        let equation = |a: &Affine, op: &str| match self.sides(a) {
            (left, right, true) => format!("{right} {op} {left}"),
            (left, right, false) => format!("{left} {op} {right}"),
        };
        match c {
            Cond::Zero(a) => equation(a, "=="),
            Cond::NonZero(a) => equation(a, "!="),
            Cond::NonNeg(a) => self.at_least(a),
            Cond::Residue(a, k) => self.residue(a, *k, "=="),
            Cond::NonResidue(a, k) => self.residue(a, *k, "!="),
            Cond::Opaque { id, args, holds } => {
                let text = self.applied(name(&self.relations, *id, "r"), args);
                match (holds, text.contains(' ') && args.is_empty()) {
                    (true, _) => text,
                    (false, true) => format!("!({text})"),
                    (false, false) => format!("!{text}"),
                }
            }
            Cond::Any(ps) => {
                format!("({})", ps.iter().map(|p| self.pred(p)).collect::<Vec<_>>().join(" || "))
            }
        }
    }
    /// `w - b >= 0` as `b <= w`, where the user wrote w with products or quotients.
    fn at_most_written(&self, a: &Affine) -> Option<String> {
        let is_plain = |t: &(Atom, i64)| matches!(t.0, Atom::Size(_) | Atom::Index(_) | Atom::Element(..));
        let within = |t: &(Atom, i64)| is_plain(t) || a.coeff(&t.0) == t.1;
        let mut found =
            self.written.iter().filter(|(w, _)| !w.terms.iter().all(is_plain) && w.terms.iter().all(within));
        found.find_map(|(w, text)| {
            let left = w.minus(a)?;
            let is_sum = left.constant >= 0 && left.terms.iter().all(|t| t.1 > 0 && is_plain(t));
            let strict = left.constant > 0;
            let (op, left) = if strict { ("<", left.step(-1)) } else { ("<=", left) };
            is_sum.then(|| format!("{} {op} {text}", self.affine(&left)))
        })
    }
    fn at_least(&self, a: &Affine) -> String {
        if let Some(text) = self.at_most_written(a) {
            return text;
        }
        if let ([(_, 1..)], ..=-1) = (a.terms.as_slice(), a.constant) {
            let left = Affine { terms: a.terms.clone(), constant: 0 };
            return format!("{} >= {}", self.affine(&left), a.constant.unsigned_abs());
        }
        // A constant of -1 is a strict comparison.
        let (op, a) = if a.constant < 0 { ("<", &a.clone().step(1)) } else { ("<=", a) };
        let (left, right, _) = self.sides(a);
        format!("{right} {op} {left}")
    }
    fn residue(&self, a: &Affine, k: i64, op: &str) -> String {
        let rest = a.constant.saturating_neg().rem_euclid(k.max(1));
        let b = Affine { terms: a.terms.clone(), constant: 0 };
        let text = self.affine(&b);
        match b.as_atom() {
            Some(_) => format!("{text} % {k} {op} {rest}"),
            None => format!("({text}) % {k} {op} {rest}"),
        }
    }

    /// `i < n && j < m`
    #[must_use]
    pub fn pred(&self, p: &[Cond]) -> String {
        if p.is_empty() {
            return "true".into();
        }
        p.iter().map(|c| self.cond(c)).collect::<Vec<_>>().join(" && ")
    }
    /// `p  |  q`
    #[must_use]
    pub fn alternatives(&self, ps: &[Pred]) -> String {
        if ps.is_empty() {
            return "false".into();
        }
        ps.iter().map(|p| self.pred(p)).collect::<Vec<_>>().join("  |  ")
    }

    fn bound(&self, num: &Affine, den: i64) -> String {
        if den == 1 { self.affine(num) } else { self.quotient(num, den) }
    }
    /// As a range: `max(0, k - m + 1)..min(n, k + 1)`; `/` is floor division.
    #[must_use]
    pub fn bounds(&self, b: &Bounds) -> String {
        let list = |v: Vec<String>, f: &str, none: &str| match v.as_slice() {
            [] => none.to_string(),
            [one] => one.clone(),
            more => format!("{f}({})", more.join(", ")),
        };
        let first = |b: &Bound| self.bound(&b.num.clone().step(b.den - 1), b.den);
        let end = |b: &Bound| self.bound(&b.num.clone().step(b.den), b.den);
        let lower = list(b.lower.iter().map(first).collect(), "max", "-inf");
        let upper = list(b.upper.iter().map(end).collect(), "min", "inf");
        let mut s = match &b.exactly {
            Some(b) => format!("= {}", self.bound(&b.num, b.den)),
            None => format!("{lower}..{upper}"),
        };
        if let Some((a, k)) = &b.stride {
            s += &format!(" step {k} from {} mod {k}", self.affine(a));
        }
        if !b.outer.is_empty() {
            s += &format!(" if {}", self.pred(&b.outer));
        }
        s
    }
}
