//! Primitives of constants, and primitives that are products.

use super::State;
use super::forward::Known;
use crate::mark::{self, Mark};
use crate::prim::{Formula, Prim};
use crate::ssa::{Access, Rhs, Term};

/// Folds what can be folded of one statement. A literal is a term without factors.
pub(super) fn fold(s: &mut State, k: usize, known: &Known) -> bool {
    let Rhs::Prim { guard, prim, args } = &s.f.stmts[k].rhs else { return false };
    let mut prim = prim.clone();
    if let Prim::Formula(e) = &mut prim {
        **e = formula(e);
    }
    let terms = |coeff: f64, factors: Vec<Access>| {
        Rhs::Contract(vec![Term { sums: vec![], guard: guard.clone(), coeff, factors }])
    };
    let number = |a: &Access| literal(&s.f.stmts[*known.at.get(&a.array)?].rhs);
    let values: Option<Vec<f64>> = args.iter().map(number).collect();
    let new = match values.and_then(|v| value(&prim, &v)).filter(|v| v.is_finite()) {
        Some(v) => {
            mark::hit(Mark::Folded);
            Some(terms(v, vec![]))
        }
        None => as_product(&prim, args).map(|(c, factors)| {
            mark::hit(Mark::Power);
            terms(c, factors)
        }),
    };
    let lone = if let Prim::Formula(e) = &prim { applied(e, args.len()) } else { None };
    let changed = new.is_some() || lone.is_some();
    if let Rhs::Prim { prim: now, .. } = &mut s.f.stmts[k].rhs {
        *now = lone.unwrap_or(prim);
    }
    if let Some(new) = new {
        s.f.stmts[k].rhs = new;
    }
    changed
}

/// The primitive that a formula applies to its arguments in their order, if it is no more than that.
fn applied(e: &Formula, count: usize) -> Option<Prim> {
    let Formula::Apply(p, list) = e else { return None };
    let is_plain = list.len() == count && list.iter().enumerate().all(|(k, a)| *a == Formula::Arg(k));
    is_plain.then(|| p.clone())
}

/// The value of `X = c`, at every index.
pub(super) fn literal(rhs: &Rhs) -> Option<f64> {
    match rhs {
        Rhs::Contract(terms) => match terms.as_slice() {
            [] => Some(0.0),
            [t] if t.guard.is_empty() && t.sums.is_empty() && t.factors.is_empty() => Some(t.coeff),
            _ => None,
        },
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => None,
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => None,
    }
}

/// `x.powi(0) = 1`, `x.powi(1) = x`, `x.powi(2) = x · x`; a formula that is a product of a number and at most two arguments.
fn as_product(p: &Prim, args: &[Access]) -> Option<(f64, Vec<Access>)> {
    match p {
        Prim::Powi(e) if e.is_constant() && (0..=2).contains(&e.constant) => {
            let x = args.first()?;
            Some((1.0, (0..e.constant).map(|_| x.clone()).collect()))
        }
        Prim::Formula(e) => {
            let (c, list) = monomial(e)?;
            let factors = list.iter().map(|k| args.get(*k).cloned()).collect::<Option<Vec<_>>>()?;
            (factors.len() <= 1 || factors.len() == 2 && c.abs() == 1.0).then_some((c, factors))
        }
        Prim::Powi(_)
        | Prim::Unary(_)
        | Prim::Binary(_)
        | Prim::Clamp
        | Prim::Stop
        | Prim::FiniteOrZero
        | Prim::Outer(_) => None,
    }
}

fn monomial(e: &Formula) -> Option<(f64, Vec<usize>)> {
    match e {
        Formula::Arg(k) => Some((1.0, vec![*k])),
        Formula::Number(c) => Some((*c, vec![])),
        Formula::Neg(a) => monomial(a).map(|(c, list)| (-c, list)),
        Formula::Mul(a, b) => {
            let ((c, mut left), (d, right)) = (monomial(a)?, monomial(b)?);
            left.extend(right);
            Some((c * d, left))
        }
        Formula::OfIndex(_) | Formula::Add(..) | Formula::Apply(..) => None,
    }
}

/// Numbers folded, `1 · a = a`, `a + 0 = a`, `−−a = a`.
fn formula(e: &Formula) -> Formula {
    match e {
        Formula::Arg(_) | Formula::Number(_) => e.clone(),
        Formula::OfIndex(a) if a.is_constant() => Formula::Number(a.constant as f64),
        Formula::OfIndex(_) => e.clone(),
        Formula::Neg(a) => match formula(a) {
            Formula::Number(c) => Formula::Number(-c),
            Formula::Neg(a) => *a,
            a => Formula::Neg(Box::new(a)),
        },
        Formula::Add(a, b) => match (formula(a), formula(b)) {
            (Formula::Number(c), Formula::Number(d)) => Formula::Number(c + d),
            (Formula::Number(0.0), a) | (a, Formula::Number(0.0)) => a,
            (a, b) => Formula::Add(Box::new(a), Box::new(b)),
        },
        Formula::Mul(a, b) => match (formula(a), formula(b)) {
            (Formula::Number(c), Formula::Number(d)) => Formula::Number(c * d),
            (Formula::Number(1.0), a) | (a, Formula::Number(1.0)) => a,
            (a, b) => Formula::Mul(Box::new(a), Box::new(b)),
        },
        Formula::Apply(p, args) => {
            let args: Vec<Formula> = args.iter().map(formula).collect();
            let numbers: Option<Vec<f64>> =
                args.iter().map(|a| if let Formula::Number(c) = a { Some(*c) } else { None }).collect();
            match numbers.and_then(|v| value(p, &v)).filter(|v| v.is_finite()) {
                Some(v) => Formula::Number(v),
                None => Formula::Apply(p.clone(), args),
            }
        }
    }
}

/// The value of a primitive at numbers, where it is known here.
fn value(p: &Prim, args: &[f64]) -> Option<f64> {
    match (p, args) {
        (Prim::Unary(u), [x]) => u.folded(*x),
        (Prim::Binary(b), [x, y]) => Some(b.value(*x, *y)),
        (Prim::Clamp, [x, low, high]) => Some(x.max(*low).min(*high)),
        (Prim::Powi(e), [x]) if e.is_constant() => Some(x.powi(i32::try_from(e.constant).ok()?)),
        (Prim::FiniteOrZero, [x]) => Some(if x.is_finite() { *x } else { 0.0 }),
        // A barrier, also to this.
        (Prim::Stop | Prim::Outer(_), _) => None,
        (Prim::Formula(e), _) => {
            if let Formula::Number(c) = formula(&at(e, args)) {
                Some(c)
            } else {
                None
            }
        }
        (Prim::Unary(_) | Prim::Binary(_) | Prim::Clamp | Prim::Powi(_) | Prim::FiniteOrZero, _) => None,
    }
}

/// A formula at numbers.
fn at(e: &Formula, args: &[f64]) -> Formula {
    let sub = |e: &Formula| Box::new(at(e, args));
    match e {
        Formula::Arg(k) => args.get(*k).map_or_else(|| e.clone(), |c| Formula::Number(*c)),
        Formula::Number(_) | Formula::OfIndex(_) => e.clone(),
        Formula::Neg(a) => Formula::Neg(sub(a)),
        Formula::Add(a, b) => Formula::Add(sub(a), sub(b)),
        Formula::Mul(a, b) => Formula::Mul(sub(a), sub(b)),
        Formula::Apply(p, list) => Formula::Apply(p.clone(), list.iter().map(|e| at(e, args)).collect()),
    }
}
