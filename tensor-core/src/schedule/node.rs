//! Nodes: what a loop nest computes.
//!
//! A node is all terms of a statement without sums and equalities, or one other term, which adds to the same array. Views,
//! numbers of indices and constants are not stored but read through; what depends on an equality is solved for.

mod build;

use super::call::Call;
use super::dense::Dense;
use super::prepare::rename;
use super::range::{at_most, bare, of_sizes};
use crate::index::{Affine, Cond, Pred};
use crate::loops::walk::{elements, substitute, substitute_cond};
use crate::loops::{Band, Expr, Place, Test, VarId};
use crate::mark::{self, Mark};
use crate::ssa::{Access, ArrayId, Extreme, Function, Index, Rhs, Stmt, Term};
pub(super) use build::{is_matmul, nodes};

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// What it writes.
    pub array: ArrayId,
    /// Where: one form for each dimension, a gen of its own unless an equality determines it.
    pub target: Vec<Affine>,
    /// Its loops: gens, then sums.
    pub dims: Vec<Index>,
    /// How many of `dims` are gens.
    pub gens: usize,
    /// The gens that are times of recurrences around it, outermost first.
    pub times: Vec<Index>,
    /// The ranges of its gens.
    pub ranges: Pred,
    /// Where it counts beside `ranges`, with the ranges of its sums.
    pub guard: Pred,
    /// Indices determined by equalities in a way that is worth a `let`.
    pub lets: Vec<(Index, Affine)>,
    /// What it computes there.
    pub kind: Kind,
    /// The matmul that it is, if it is one.
    pub dense: Option<Dense>,
    /// The side of a diagonal that is read of what it writes, if the array is symmetrized.
    pub triangle: Option<Band>,
}

/// What a node computes.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A sum of parts.
    Value(Vec<Part>),
    /// `max` or `min` over its sums.
    Extreme(Extreme, Expr),
    /// `argmax` or `argmin` over its one sum: the least value of the result, and the candidates.
    ArgExtreme(Extreme, Affine, Expr),
    /// Calls a Rust function over tensors: its loops are those around the call, its other dimensions stay open.
    Call(Box<Call>),
    /// Copies what is on one side of the diagonal of its array to the other.
    Symmetrize(Symmetrize),
}

/// See [`Kind::Symmetrize`]; the fields are those of [`crate::loops::Symmetrize`].
#[derive(Clone, Debug)]
pub(super) struct Symmetrize {
    pub rows: Affine,
    pub block: Affine,
    pub above: bool,
}

/// `[guard] value`
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub guard: Pred,
    pub value: Expr,
}

impl Node {
    /// The arrays that it writes.
    pub fn writes(&self) -> Vec<u32> {
        match &self.kind {
            Kind::Call(c) => c.outs.iter().map(|o| o.array.0).collect(),
            Kind::Value(_) | Kind::Extreme(..) | Kind::ArgExtreme(..) | Kind::Symmetrize(_) => {
                vec![self.array.0]
            }
        }
    }
    /// Whether it may share a loop over an index with others.
    pub fn shares(&self, i: Index) -> bool {
        match &self.kind {
            Kind::Call(c) => !c.outs.iter().any(|o| o.own.contains(&i)),
            Kind::Value(_) | Kind::Extreme(..) | Kind::ArgExtreme(..) | Kind::Symmetrize(_) => {
                self.dense.as_ref().is_none_or(|d| !d.has(i))
            }
        }
    }
    /// Whether a loop of it is a sum.
    pub fn is_sum(&self, i: Index) -> bool {
        self.dims[self.gens..].contains(&i)
    }
    pub fn is_extreme(&self) -> bool {
        matches!(self.kind, Kind::Extreme(..) | Kind::ArgExtreme(..))
    }
    pub fn sums(&self) -> &[Index] {
        &self.dims[self.gens..]
    }
    /// The dimension of the target that is this index alone.
    pub fn position(&self, i: Index) -> Option<usize> {
        self.target.iter().position(|a| bare(a) == Some(i))
    }
    /// Every expression that it evaluates.
    pub fn values(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Value(parts) => parts.iter().map(|p| &p.value).collect(),
            Kind::Extreme(_, e) | Kind::ArgExtreme(_, _, e) => vec![e],
            Kind::Call(c) => c.numbers(),
            Kind::Symmetrize(_) => vec![],
        }
    }
    /// Every array that it reads, at what, but what is symmetrized.
    pub fn reads(&self, f: &Function) -> Vec<(u32, Vec<Affine>)> {
        let mut out: Vec<(u32, Vec<Affine>)> = vec![];
        let mut inner = vec![];
        for e in self.values() {
            e.visit(&mut |a| elements(a, &mut inner), &mut |p| out.push((p.var.0, p.at.clone())));
        }
        let parts: &[Part] = if let Kind::Value(parts) = &self.kind { parts } else { &[] };
        for t in tests(f, &self.guard)
            .iter()
            .chain(parts.iter().flat_map(|p| tests(f, &p.guard)).collect::<Vec<_>>().iter())
        {
            t.map(
                &mut |a| {
                    elements(a, &mut inner);
                    a.clone()
                },
                &mut |p| {
                    out.push((p.var.0, p.at.clone()));
                    p
                },
            );
        }
        if let Kind::Call(c) = &self.kind {
            for p in c.tensors() {
                p.at.iter().for_each(|a| elements(a, &mut inner));
                out.push((p.var.0, p.at.clone()));
            }
        }
        let least = if let Kind::ArgExtreme(_, least, _) = &self.kind { Some(least) } else { None };
        for a in self.target.iter().chain(self.lets.iter().map(|l| &l.1)).chain(least) {
            elements(a, &mut inner);
        }
        out.extend(inner);
        out
    }
    /// `self{i := e}` for a loop of it, everywhere but in `dims`.
    pub fn substitute(&mut self, i: Index, e: &Affine) {
        let atom = i.atom();
        let here = |a: &mut Affine| *a = substitute(a, &atom, e);
        let cond = |c: &mut Cond| *c = substitute_cond(c, &atom, e);
        self.target.iter_mut().for_each(here);
        self.lets.iter_mut().for_each(|l| here(&mut l.1));
        self.ranges.iter_mut().for_each(cond);
        self.guard.iter_mut().for_each(cond);
        match &mut self.kind {
            Kind::Value(parts) => {
                for p in parts {
                    p.guard.iter_mut().for_each(cond);
                    p.value = p.value.substitute(&atom, e);
                }
            }
            Kind::Extreme(_, v) => *v = v.substitute(&atom, e),
            Kind::ArgExtreme(_, least, v) => {
                here(least);
                *v = v.substitute(&atom, e);
            }
            Kind::Call(c) => c.substitute(&atom, e),
            Kind::Symmetrize(_) => {}
        }
        if let Some(d) = &mut self.dense {
            d.a.at.iter_mut().chain(&mut d.b.at).for_each(here);
            d.part.iter_mut().flat_map(|p| [&mut p.lower, &mut p.upper]).for_each(here);
        }
    }
}

/// Whether an array is read through: a view, a number, a constant, an index as a number. A view that compares a view which compares is
/// stored: read through, each would double those before it. So is what recurs, but for the place of an extreme as a number.
pub(super) fn inlined(f: &Function, x: ArrayId) -> Option<&Stmt> {
    let s = f.definition(x).filter(|s| !s.is_member() || matches!(s.rhs, Rhs::OfIndex(_)))?;
    let view = match &s.rhs {
        Rhs::Contract(terms) => match terms.as_slice() {
            [] => true,
            [t] if is_view(t) && compared(f, t).iter().any(|y| asks(f, *y)) => {
                mark::hit(Mark::StoredView);
                false
            }
            [t] => is_view(t),
            _ => false,
        },
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } | Rhs::Call(_) => false,
        Rhs::OfIndex(_) | Rhs::Constant(_) => true,
    };
    view.then_some(s)
}

fn is_view(t: &Term) -> bool {
    t.sums.is_empty() && (t.factors.is_empty() || t.factors.len() == 1 && t.coeff == 1.0)
}

/// What the comparisons in the guard of a term read.
fn compared(f: &Function, t: &Term) -> Vec<ArrayId> {
    let mut out = vec![];
    t.guard.iter().for_each(|c| f.each_compared(c, &mut |a| out.push(a.array)));
    out
}

/// Whether an array is a view that compares.
fn asks(f: &Function, x: ArrayId) -> bool {
    let Some(Stmt { rhs: Rhs::Contract(terms), .. }) = f.definition(x) else { return false };
    matches!(terms.as_slice(), [t] if is_view(t) && !compared(f, t).is_empty())
}

/// The value of an access, read through views.
pub(super) fn value(f: &Function, access: &Access) -> Expr {
    let Some(s) = inlined(f, access.array) else {
        return Expr::Read(Place { var: VarId(access.array.0), at: access.at.clone() });
    };
    let here =
        |a: &Affine| s.gens.iter().zip(&access.at).fold(a.clone(), |a, (g, e)| substitute(&a, &g.atom(), e));
    match &s.rhs {
        Rhs::OfIndex(a) => Expr::OfIndex(here(a)),
        Rhs::Constant(path) => Expr::Constant(path.clone()),
        Rhs::Contract(terms) => {
            let Some(t) = terms.first() else { return Expr::Number(0.0) };
            let mut t = t.clone();
            for (g, e) in s.gens.iter().zip(&access.at) {
                rename(&mut t, *g, e);
            }
            let e = t.factors.first().map_or(Expr::Number(t.coeff), |y| value(f, y));
            if t.guard.is_empty() { e } else { Expr::If(tests(f, &t.guard), Box::new(e)) }
        }
        Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } | Rhs::Call(_) => Expr::Number(0.0),
    }
}

/// A conjunction as tests.
pub(super) fn tests(f: &Function, p: &[Cond]) -> Vec<Test> {
    p.iter()
        .map(|c| match c {
            Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) | Cond::Residue(..) | Cond::NonResidue(..) => {
                Test::Index(c.clone())
            }
            Cond::Opaque { id, args, holds } => {
                let (op, left, right) = f.compared(*id, args);
                let side = |a: &Access| Box::new(value(f, a));
                Test::Real { op, left: side(&left), right: side(&right), holds: *holds }
            }
            Cond::Any(ps) => Test::Any(ps.iter().map(|p| tests(f, p)).collect()),
        })
        .collect()
}

/// The conditions of all terms that may be tested before the others.
fn common(terms: &[&Term]) -> Pred {
    let mut common: Pred = vec![];
    for c in terms.first().map_or(&[][..], |t| t.guard.as_slice()) {
        let may_come_now = |t: &&Term| match t.guard.iter().position(|d| d == c) {
            Some(k) => c.is_total() || t.guard[..k].iter().all(|d| common.contains(d)),
            None => false,
        };
        if terms.iter().all(may_come_now) {
            common.push(c.clone());
        }
    }
    common
}

/// `coeff · Π factors`
fn product(f: &Function, t: &Term) -> Expr {
    let e = t.factors.iter().map(|a| value(f, a)).reduce(|a, b| Expr::Mul(Box::new(a), Box::new(b)));
    match e {
        None => Expr::Number(t.coeff),
        Some(e) if t.coeff == 1.0 => e,
        Some(e) if t.coeff == -1.0 => Expr::Neg(Box::new(e)),
        Some(e) => Expr::Mul(Box::new(Expr::Number(t.coeff)), Box::new(e)),
    }
}

/// What the results of rank 0 read: every array, at what.
pub(super) fn scalar_reads(f: &Function) -> Vec<(u32, Vec<Affine>)> {
    let (mut out, mut inner) = (vec![], vec![]);
    for r in f.results.iter().filter(|r| f.array(**r).extents.is_empty()) {
        let read = &mut |p: &Place| out.push((p.var.0, p.at.clone()));
        value(f, &Access { array: *r, at: vec![] }).visit(&mut |a| elements(a, &mut inner), read);
    }
    out.extend(inner);
    out
}

/// The range of a loop of a node by sizes alone, both ends included: what any loop around it covers.
pub(super) fn extent(f: &Function, n: &Node, i: Index) -> Option<(Affine, Affine)> {
    if !n.is_sum(i) {
        // Its own, whatever the solver makes of the guard: `sign · i + rest >= 0`.
        let rest = |sign: i64| {
            let rests = n.ranges.iter().filter_map(|c| match c {
                Cond::NonNeg(a) if a.coeff(&i.atom()) == sign => a.plus_scaled(-sign, &i.affine()),
                _ => None,
            });
            rests.into_iter().find(of_sizes)
        };
        return Some((rest(1)?.scale(-1)?, rest(-1)?));
    }
    let all: Pred = n.ranges.iter().chain(&n.guard).cloned().collect();
    let b = super::range::bounds(f, &all, i, &[], &[])?;
    let pick = |bs: &[crate::loops::Bound]| {
        bs.iter().find(|b| b.den == 1 && of_sizes(&b.num)).map(|b| b.num.clone())
    };
    Some((pick(&b.lower)?, pick(&b.upper)?))
}

/// `a <= b` where both differ by a constant.
pub(super) fn constant_difference(a: &Affine, b: &Affine) -> Option<i64> {
    let Cond::NonNeg(d) = at_most(a, b) else { return None };
    d.is_constant().then_some(d.constant)
}
