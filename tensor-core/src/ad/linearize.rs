//! The differential of a statement. This is the only place that does calculus.

use super::extreme::first_extreme;
use super::rename::at_gens;
use super::site::Site;
use super::support;
use crate::index::{Affine, Atom, Pred};
use crate::prim::partials::{Case, Test, partials};
use crate::prim::{Formula, Outer, Prim};
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term};

/// `dX[g] ∋ sum sums. [guard] coeff · rest · d(arg)`, over the gens g of the statement.
#[derive(Clone, Debug)]
pub struct LinearTerm {
    /// What is differentiated.
    pub arg: Access,
    /// Private sums.
    pub sums: Vec<Index>,
    /// Where it counts, with the ranges of the sums.
    pub guard: Pred,
    /// A literal.
    pub coeff: f64,
    /// The other factor.
    pub rest: Option<Access>,
}

/// The arrays that a statement has a derivative by.
#[must_use]
pub fn arguments(f: &Function, stmt: &Stmt) -> Vec<ArrayId> {
    match &stmt.rhs {
        Rhs::Contract(terms) => terms.iter().flat_map(|t| &t.factors).map(|a| a.array).collect(),
        Rhs::Prim { prim, args, .. } => {
            let cases = cases(f, prim, args);
            args.iter().zip(cases).filter(|(_, c)| !c.is_empty()).map(|(a, _)| a.array).collect()
        }
        Rhs::Extreme { arg, .. } => vec![arg.array],
        Rhs::Call(call) => call.args.iter().map(|a| a.access.array).collect(),
        Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
    }
}

/// The differential of `X[g] = rhs`, by the arrays that are `active`. It is asked for where `support` holds (over g): statements for
/// partials, which are added to the function, are evaluated only there. No terms: zero, or a call, whose differential is a call.
pub fn linearize(
    f: &mut Function,
    stmt: &Stmt,
    active: &dyn Fn(ArrayId) -> bool,
    support: &Pred,
) -> Vec<LinearTerm> {
    match &stmt.rhs {
        Rhs::Contract(terms) => {
            let terms = terms.iter().flat_map(product_rule).filter(|t| active(t.arg.array));
            terms.map(|t| LinearTerm { rest: t.rest.map(|a| released(f, a)), ..t }).collect()
        }
        Rhs::Prim { guard, prim, args } => {
            let mut all = vec![];
            for (arg, cases) in args.iter().zip(cases(f, prim, args)) {
                if active(arg.array) {
                    all.extend(cases.iter().map(|c| chain_rule(f, stmt, guard, args, arg, c, support)));
                }
            }
            all
        }
        Rhs::Extreme { op, over, guard, arg } if active(arg.array) => {
            vec![first_extreme(f, stmt, *op, *over, guard, arg)]
        }
        Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => vec![],
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => vec![],
    }
}

/// Where a differential has terms, as far as indices say: nothing is added to the function for that.
pub(super) struct Place {
    /// What is differentiated.
    pub arg: Access,
    /// Private sums.
    pub sums: Vec<Index>,
    /// Conditions on indices and sizes.
    pub guard: Pred,
    /// Whether there are more.
    pub masked: bool,
}

/// The places of the terms that [`linearize`] gives of a statement.
pub(super) fn places(f: &Function, stmt: &Stmt, active: &dyn Fn(ArrayId) -> bool) -> Vec<Place> {
    let place = |arg: &Access, sums: &[Index], guard: &Pred, masked: bool| {
        let plain: Pred = guard.iter().filter(|c| support::is_plain(c)).cloned().collect();
        let masked = masked || plain.len() < guard.len();
        Place { arg: arg.clone(), sums: sums.to_vec(), guard: plain, masked }
    };
    let mut all: Vec<Place> = match &stmt.rhs {
        Rhs::Contract(terms) => {
            let terms = terms.iter().flat_map(product_rule);
            terms.map(|t| place(&t.arg, &t.sums, &t.guard, false)).collect()
        }
        Rhs::Prim { guard, prim, args } => {
            let of = |(arg, cases): (&Access, Vec<Case>)| {
                let one = |c: &Case| {
                    let index = |t: &Test| if let Test::Index(c) = t { Some(c.clone()) } else { None };
                    let tests: Pred = c.tests.iter().filter_map(index).collect();
                    let masked = tests.len() < c.tests.len();
                    place(arg, &[], &[guard.as_slice(), &tests].concat(), masked)
                };
                cases.iter().map(one).collect::<Vec<_>>()
            };
            args.iter().zip(cases(f, prim, args)).flat_map(of).collect()
        }
        Rhs::Extreme { over, guard, arg, .. } => vec![place(arg, &[*over], guard, true)],
        Rhs::ArgExtreme { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => vec![],
    };
    all.retain(|p| active(p.arg.array));
    all
}

/// `d(c · Y[a] · Z[b]) = c · Z[b] · dY[a] + c · Y[a] · dZ[b]`, and `d(c · Y[a]²) = 2 c · Y[a] · dY[a]`.
fn product_rule(term: &Term) -> Vec<LinearTerm> {
    let linear = |arg: &Access, coeff: f64, rest: Option<&Access>| LinearTerm {
        arg: arg.clone(),
        sums: term.sums.clone(),
        guard: term.guard.clone(),
        coeff,
        rest: rest.cloned(),
    };
    match term.factors.as_slice() {
        [y, z] if y == z => vec![linear(y, 2.0 * term.coeff, Some(z))],
        [y, z] => vec![linear(y, term.coeff, Some(z)), linear(z, term.coeff, Some(y))],
        [y] => vec![linear(y, term.coeff, None)],
        _ => vec![],
    }
}

/// The partials of a primitive by each argument, as formulas of the arguments and, as one more, the result. Arguments that are
/// numbers are put in.
fn cases(f: &Function, prim: &Prim, args: &[Access]) -> Vec<Vec<Case>> {
    let arg = |(k, a): (usize, &Access)| constant(f, a).map_or(Formula::Arg(k), Formula::Number);
    let x: Vec<Formula> = args.iter().enumerate().map(arg).collect();
    let decided = |c: Vec<Case>| {
        c.into_iter().filter_map(Case::decide).filter(|c| c.partial != Formula::Number(0.0)).collect()
    };
    partials(prim, &x, &Formula::Arg(args.len())).into_iter().map(decided).collect()
}

/// The value of an array that is the same number everywhere.
pub(super) fn constant(f: &Function, a: &Access) -> Option<f64> {
    match &f.definition(a.array)?.rhs {
        Rhs::Contract(terms) => match terms.as_slice() {
            [] => Some(0.0),
            [t] if t.sums.is_empty() && t.guard.is_empty() && t.factors.is_empty() => Some(t.coeff),
            _ => None,
        },
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } => None,
        Rhs::OfIndex(e) if e.is_constant() => Some(e.constant as f64),
        Rhs::OfIndex(_) | Rhs::Constant(_) | Rhs::Call(_) => None,
    }
}

/// `hold(p)` as a factor of a differential is p.
fn released(f: &Function, a: Access) -> Access {
    match f.definition(a.array) {
        Some(Stmt { gens, rhs: Rhs::Prim { prim: Prim::Outer(Outer::Hold), args, .. }, .. }) => {
            let [held] = args.as_slice() else { return a };
            let at = |e: &Affine| {
                e.rename(&|t| match t {
                    Atom::Index(i) => gens.iter().position(|g| g.0 == *i).map(|k| a.at[k].clone()),
                    Atom::Size(_) | Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
                })
            };
            let at = held.at.iter().map(at).collect::<Option<Vec<_>>>();
            at.map_or_else(|| a.clone(), |at| Access { array: held.array, at })
        }
        Some(_) | None => a,
    }
}

/// `d([p] f(…, x, …)) ∋ [p ∧ q] ∂f · dx`, for a case `[q] ∂f` of the partial.
fn chain_rule(
    f: &mut Function,
    stmt: &Stmt,
    guard: &Pred,
    args: &[Access],
    arg: &Access,
    case: &Case,
    support: &Pred,
) -> LinearTerm {
    let mut operands: Vec<Access> = args.iter().map(|a| released(f, a.clone())).collect();
    operands.push(at_gens(stmt.array, &stmt.gens));
    let asked = [guard.as_slice(), support].concat();
    let mut at = Site { f, gens: &stmt.gens, result: stmt.array, operands: &operands, guard: asked };
    let tests: Pred = case.tests.iter().map(|t| at.test(t)).collect();
    at.guard.extend(tests.iter().cloned());
    let (coeff, rest) = at.materialize(&case.partial);
    LinearTerm { arg: arg.clone(), sums: vec![], guard: [guard.clone(), tests].concat(), coeff, rest }
}
