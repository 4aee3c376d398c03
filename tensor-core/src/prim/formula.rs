//! Arithmetic on [`Formula`]: constructors that simplify, substitution, derivatives.
//!
//! Invariant: what these constructors build has its numeric coefficient in front (`-c · rest` or `c · rest`), no zero term in a
//!   sum and no two equal terms.

use super::partials::{Case, Test, partials};
use super::{Binary, Formula, Prim, Unary};
use crate::index::Affine;
use std::ops::{Add, Mul, Neg, Sub};

impl From<f64> for Formula {
    fn from(c: f64) -> Formula {
        Formula::Number(c)
    }
}

impl Neg for Formula {
    type Output = Formula;
    fn neg(self) -> Formula {
        let (c, rest) = self.split();
        scaled(-c, rest)
    }
}

impl Mul for Formula {
    type Output = Formula;
    /// `(c · a) · (d · b) = (c d) · (a · b)`
    fn mul(self, other: Formula) -> Formula {
        let ((c, a), (d, b)) = (self.split(), other.split());
        let rest = match (is_one(&a), is_one(&b)) {
            (true, _) => b,
            (_, true) => a,
            (false, false) => Formula::Mul(Box::new(a), Box::new(b)),
        };
        scaled(c * d, rest)
    }
}

impl Mul<Formula> for f64 {
    type Output = Formula;
    fn mul(self, other: Formula) -> Formula {
        Formula::Number(self) * other
    }
}

impl Add for Formula {
    type Output = Formula;
    /// `c · a + d · a = (c + d) · a`
    fn add(self, other: Formula) -> Formula {
        let mut terms = vec![];
        self.summands(1.0, &mut terms);
        other.summands(1.0, &mut terms);
        let mut merged: Vec<(f64, Formula)> = vec![];
        for (c, a) in terms {
            match merged.iter_mut().find(|t| t.1 == a) {
                Some(t) => t.0 += c,
                None => merged.push((c, a)),
            }
        }
        let live = merged.into_iter().filter(|t| t.0 != 0.0).map(|(c, a)| scaled(c, a));
        live.reduce(|a, b| Formula::Add(Box::new(a), Box::new(b))).unwrap_or(Formula::Number(0.0))
    }
}

impl Sub for Formula {
    type Output = Formula;
    fn sub(self, other: Formula) -> Formula {
        self + -other
    }
}

impl Add<Formula> for f64 {
    type Output = Formula;
    fn add(self, other: Formula) -> Formula {
        Formula::Number(self) + other
    }
}

impl Sub<Formula> for f64 {
    type Output = Formula;
    fn sub(self, other: Formula) -> Formula {
        Formula::Number(self) - other
    }
}

fn is_one(f: &Formula) -> bool {
    *f == Formula::Number(1.0)
}

/// `c · rest`, where `rest` has no coefficient.
fn scaled(c: f64, rest: Formula) -> Formula {
    if c == 0.0 || is_one(&rest) {
        Formula::Number(c)
    } else if c == 1.0 {
        rest
    } else if c == -1.0 {
        Formula::Neg(Box::new(rest))
    } else {
        Formula::Mul(Box::new(Formula::Number(c)), Box::new(rest))
    }
}

/// `prim(args)`
#[must_use]
pub fn apply(prim: Prim, args: Vec<Formula>) -> Formula {
    match (&prim, args.as_slice()) {
        (Prim::Unary(Unary::Recip), [Formula::Number(c)]) => Formula::Number(c.recip()),
        (Prim::Binary(Binary::Powf), [_, Formula::Number(0.0)]) => Formula::Number(1.0),
        (Prim::Binary(Binary::Powf), [x, Formula::Number(1.0)]) => x.clone(),
        (Prim::Powi(k), [x]) if k.is_constant() => match k.constant {
            -1 => apply(Prim::Unary(Unary::Recip), args),
            0 => Formula::Number(1.0),
            1 => x.clone(),
            2 => x.clone() * x.clone(),
            _ => Formula::Apply(prim, args),
        },
        _ => Formula::Apply(prim, args),
    }
}

/// `f(x)`
#[must_use]
pub fn unary(f: Unary, x: Formula) -> Formula {
    apply(Prim::Unary(f), vec![x])
}

/// An index or size as a number.
#[must_use]
pub fn of_index(e: Affine) -> Formula {
    if e.is_constant() { Formula::Number(e.constant as f64) } else { Formula::OfIndex(e) }
}

impl Formula {
    /// `self = c · rest`
    #[must_use]
    pub fn split(self) -> (f64, Formula) {
        match self {
            Formula::Number(c) => (c, Formula::Number(1.0)),
            Formula::Neg(a) => {
                let (c, rest) = a.split();
                (-c, rest)
            }
            Formula::Mul(a, b) => match *a {
                Formula::Number(c) => {
                    let (d, rest) = b.split();
                    (c * d, rest)
                }
                a => (1.0, Formula::Mul(Box::new(a), b)),
            },
            Formula::Arg(_) | Formula::OfIndex(_) | Formula::Add(..) | Formula::Apply(..) => (1.0, self),
        }
    }

    /// The terms of a sum, each with its coefficient.
    fn summands(self, factor: f64, out: &mut Vec<(f64, Formula)>) {
        match self {
            Formula::Add(a, b) => {
                a.summands(factor, out);
                b.summands(factor, out);
            }
            Formula::Neg(a) => a.summands(-factor, out),
            other => {
                let (c, rest) = other.split();
                out.push((factor * c, rest));
            }
        }
    }

    /// The same of other arguments, and of other indices.
    #[must_use]
    pub fn substitute(&self, arg: &dyn Fn(usize) -> Formula, index: &dyn Fn(&Affine) -> Affine) -> Formula {
        let again = |f: &Formula| f.substitute(arg, index);
        match self {
            Formula::Arg(k) => arg(*k),
            Formula::Number(c) => Formula::Number(*c),
            Formula::OfIndex(e) => of_index(index(e)),
            Formula::Neg(a) => -again(a),
            Formula::Add(a, b) => again(a) + again(b),
            Formula::Mul(a, b) => again(a) * again(b),
            Formula::Apply(p, xs) => apply(p.substitute(index), xs.iter().map(again).collect()),
        }
    }

    /// Calls `seen` with each argument and `index` with each affine form, from left to right.
    pub fn visit(&self, seen: &mut dyn FnMut(usize), index: &mut dyn FnMut(&Affine)) {
        match self {
            Formula::Arg(k) => seen(*k),
            Formula::Number(_) => {}
            Formula::OfIndex(e) => index(e),
            Formula::Neg(a) => a.visit(seen, index),
            Formula::Add(a, b) | Formula::Mul(a, b) => {
                a.visit(seen, index);
                b.visit(seen, index);
            }
            Formula::Apply(p, xs) => {
                p.visit_indices(index);
                xs.iter().for_each(|x| x.visit(seen, index));
            }
        }
    }

    /// `∂self / ∂Arg(k)`, the sum of its cases.
    #[must_use]
    pub fn derivative(&self, k: usize) -> Vec<Case> {
        let times = |cases: Vec<Case>, by: &Formula| -> Vec<Case> {
            cases.into_iter().map(|c| Case { partial: c.partial * by.clone(), ..c }).collect()
        };
        let all = match self {
            Formula::Arg(j) if *j == k => vec![Case::always(1.0.into())],
            Formula::Arg(_) | Formula::Number(_) | Formula::OfIndex(_) => vec![],
            Formula::Neg(a) => times(a.derivative(k), &(-1.0).into()),
            Formula::Add(a, b) => [a.derivative(k), b.derivative(k)].concat(),
            Formula::Mul(a, b) => [times(a.derivative(k), b), times(b.derivative(k), a)].concat(),
            Formula::Apply(p, xs) => {
                let mut all = vec![];
                for (x, cases) in xs.iter().zip(partials(p, xs, self)) {
                    for inner in x.derivative(k) {
                        all.extend(cases.iter().map(|outer| outer.clone().and(&inner)));
                    }
                }
                all
            }
        };
        merge(all)
    }
}

/// One case for equal tests, none that is zero or never holds.
fn merge(cases: Vec<Case>) -> Vec<Case> {
    let mut out: Vec<Case> = vec![];
    for c in cases.into_iter().filter_map(Case::decide) {
        match out.iter_mut().find(|d| d.tests == c.tests) {
            Some(d) => d.partial = d.partial.clone() + c.partial,
            None => out.push(c),
        }
    }
    out.retain(|c| c.partial != Formula::Number(0.0));
    out
}

impl Case {
    /// `[p] a · [q] b = [p ∧ q] a · b`
    fn and(mut self, other: &Case) -> Case {
        self.partial = self.partial * other.partial.clone();
        for t in &other.tests {
            if !self.tests.contains(t) {
                self.tests.push(t.clone());
            }
        }
        self
    }

    /// Without tests that always hold; `None` if one never does.
    #[must_use]
    pub fn decide(mut self) -> Option<Case> {
        if self.tests.iter().any(|t| t.decided() == Some(false)) {
            return None;
        }
        self.tests.retain(|t: &Test| t.decided().is_none());
        Some(self)
    }
}

impl Prim {
    /// The same of other indices.
    #[must_use]
    pub fn substitute(&self, index: &dyn Fn(&Affine) -> Affine) -> Prim {
        match self {
            Prim::Powi(k) => Prim::Powi(index(k)),
            Prim::Formula(f) => Prim::Formula(Box::new(f.substitute(&Formula::Arg, index))),
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_) => self.clone(),
        }
    }

    /// Calls `index` with each affine form.
    pub fn visit_indices(&self, index: &mut dyn FnMut(&Affine)) {
        match self {
            Prim::Powi(k) => index(k),
            Prim::Formula(f) => f.visit(&mut |_| {}, index),
            Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Stop
            | Prim::FiniteOrZero
            | Prim::Outer(_) => {}
        }
    }
}
