//! Forward mode.

use super::call;
use super::counts::{Counts, Head, Masked, Pending, is_steep, is_steep_by};
use super::linearize::{LinearTerm, linearize, places};
use super::rec::{self, Flow, Node, Recs};
use super::rename::{Renaming, at_gens, index_names};
use super::support::{self, Support};
use super::vjp::active_of;
use crate::index::{Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::Map;
use crate::ssa::display::named;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term, regroup};

/// See [`super::jvp`]. `X[g] ∋ sum s. [p] rest · dY[a]` gives `Ẋ[g] ∋ sum s. [p] rest · Ẏ[a]`.
pub(super) fn jvp(f: &Function, wrt: &[usize]) -> Function {
    let mut out = named(f);
    out.name = format!("{}_jvp", f.name);
    let mut tangents = seeds(&mut out, wrt);
    let mut supports = Supports { is_asked: f.stmts.iter().any(is_steep), ..Supports::default() };
    for unit in f.units() {
        let stmt = &f.stmts[unit.start];
        if stmt.is_member() {
            members(&mut out, &f.stmts[unit], &mut tangents, &mut supports);
            continue;
        }
        if let Some(c) = stmt.call() {
            let x_dot = call::tangent(&mut out, stmt, c, &[], &|a| tangents.get(&a).copied());
            tangents.extend(x_dot.map(|x_dot| (stmt.array, x_dot)));
            continue;
        }
        let terms = linearize(&mut out, stmt, &|a| tangents.contains_key(&a), &vec![]);
        if !terms.is_empty() {
            let x_dot = tangent(&mut out, stmt, &terms, &tangents, &mut supports);
            tangents.insert(stmt.array, x_dot);
        }
    }
    for r in &f.results {
        let r_dot = match tangents.get(r) {
            Some(r_dot) => *r_dot,
            None => {
                let r_dot = define(&mut out, *r, |_, _| vec![]);
                tangents.insert(*r, r_dot);
                r_dot
            }
        };
        out.results.push(r_dot);
    }
    regroup(out)
}

/// The statements of a recurrence: the tangents have their names before any of them is defined, and are a recurrence of the same shape.
fn members(
    out: &mut Function,
    stmts: &[Stmt],
    tangents: &mut Map<ArrayId, ArrayId>,
    supports: &mut Supports,
) {
    let active = active_of(stmts, &|a| tangents.contains_key(&a), out);
    let all: Vec<&Stmt> = stmts.iter().filter(|s| active.contains(&s.array)).collect();
    let mut gens: Vec<Vec<Index>> = vec![];
    for s in &all {
        let (name, extents) = (out.array(s.array).name.clone(), out.array(s.array).extents.clone());
        gens.push(index_names(out, s.array).into_iter().map(|name| out.new_index(name)).collect());
        tangents.insert(s.array, out.new_array(format!("{name}_dot"), extents));
    }
    supports.announce(out, &all, &gens, &|a| tangents.contains_key(&a));
    let mut made = vec![];
    for (s, gens) in all.iter().zip(&gens) {
        let terms = linearize(out, s, &|a| tangents.contains_key(&a), &vec![]);
        made.push(supports.terms(out, s, &terms, tangents, gens));
    }
    supports.complete(out, &all, &gens, &made);
    let mut recs = Recs::new(false);
    for ((s, gens), terms) in all.iter().zip(gens).zip(made) {
        let step = recs.step(out, s, &gens, 0);
        let rhs = Rhs::Contract(terms.into_iter().map(|t| t.0).collect());
        out.stmts.push(Stmt { array: tangents[&s.array], gens, rhs, step });
    }
}

/// A parameter for each leaf; the tangent of one that is named twice is the sum.
fn seeds(out: &mut Function, wrt: &[usize]) -> Map<ArrayId, ArrayId> {
    let mut all: Map<ArrayId, Vec<ArrayId>> = Map::new();
    for &k in wrt {
        let x = out.params[k];
        let (name, extents) = (format!("{}_dot", out.array(x).name), out.array(x).extents.clone());
        let x_dot = out.new_array(name, extents);
        out.params.push(x_dot);
        all.entry(x).or_default().push(x_dot);
    }
    let mut tangents = Map::new();
    for (x, dots) in all {
        let x_dot = match dots.as_slice() {
            [x_dot] => *x_dot,
            many => define(out, x, |_, gens| {
                let term = |d: &ArrayId| Term {
                    sums: vec![],
                    guard: vec![],
                    coeff: 1.0,
                    factors: vec![at_gens(*d, gens)],
                };
                many.iter().map(term).collect()
            }),
        };
        tangents.insert(x, x_dot);
    }
    tangents
}

/// A statement for the tangent of `x`.
fn define(
    out: &mut Function,
    x: ArrayId,
    terms: impl FnOnce(&mut Function, &[Index]) -> Vec<Term>,
) -> ArrayId {
    let (name, extents) = (out.array(x).name.clone(), out.array(x).extents.clone());
    let gens: Vec<Index> = index_names(out, x).into_iter().map(|name| out.new_index(name)).collect();
    let x_dot = out.new_array(format!("{name}_dot"), extents);
    let terms = terms(out, &gens);
    out.stmts.push(Stmt { array: x_dot, gens, rhs: Rhs::Contract(terms), step: None });
    x_dot
}

/// A statement for the tangent of what a statement defines.
fn tangent(
    out: &mut Function,
    stmt: &Stmt,
    terms: &[LinearTerm],
    of: &Map<ArrayId, ArrayId>,
    supports: &mut Supports,
) -> ArrayId {
    define(out, stmt.array, |out, gens| {
        let all = supports.terms(out, stmt, terms, of, gens);
        supports.remember(out, stmt.array, gens, &all);
        all.into_iter().map(|(t, _)| t).collect()
    })
}

/// Where tangents may differ from zero, by what they are tangents of; of those that are not here nothing is known.
#[derive(Default)]
struct Supports {
    /// Whether anything asks.
    is_asked: bool,
    all: Map<ArrayId, Dot>,
    counts: Counts,
}

/// The support of a tangent, over its gens.
struct Dot {
    gens: Vec<Index>,
    support: Support,
    /// Its number among those that may have to be counted.
    number: usize,
}

impl Supports {
    /// `X[g] ∋ sum s. [p] rest · dY[a]` gives `Ẋ[g] ∋ sum s. [p] rest · Ẏ[a]`; where `rest` may be infinite, `[p ∧ q]` with the support q of
    /// `Ẏ[a]`: what may be infinite is not multiplied by zero. Each with `Y[a]`.
    fn terms(
        &mut self,
        out: &mut Function,
        stmt: &Stmt,
        terms: &[LinearTerm],
        of: &Map<ArrayId, ArrayId>,
        gens: &[Index],
    ) -> Vec<(Term, Access)> {
        let given = support::context(out, gens, &out.array(stmt.array).extents);
        let mut all = vec![];
        for t in terms {
            let mut fresh = Renaming::new(&stmt.gens, gens);
            let sums = fresh.extend_fresh(out, &t.sums);
            let arg = fresh.access(&t.arg);
            let mut guard = fresh.pred(&t.guard);
            if is_steep_by(stmt, &t.arg) {
                mark::hit(Mark::SteepTangent);
                match self.of_element(out, &arg, &[given.as_slice(), &guard].concat()) {
                    Some(asked) => guard.extend(asked),
                    None => continue,
                }
            }
            let dot = of.get(&arg.array).map(|d| Access { array: *d, at: arg.at.clone() });
            let factors = t.rest.iter().map(|a| fresh.access(a)).chain(dot).collect();
            all.push((Term { sums, guard, coeff: t.coeff, factors }, arg));
        }
        all
    }

    /// The supports of the tangents of a recurrence, over these gens, before there are terms.
    fn announce(
        &mut self,
        out: &mut Function,
        members: &[&Stmt],
        gens: &[Vec<Index>],
        has_tangent: &dyn Fn(ArrayId) -> bool,
    ) {
        if !self.is_asked {
            return;
        }
        let mut nodes = vec![];
        for (s, gens) in members.iter().zip(gens) {
            let (mut outside, mut flows) = (vec![], vec![]);
            for place in places(out, s, has_tangent) {
                let mut fresh = Renaming::new(&s.gens, gens);
                let sums = fresh.extend_fresh(out, &place.sums);
                let guard = fresh.pred(&place.guard);
                let term = Term { sums, guard, coeff: 1.0, factors: vec![] };
                let arg = fresh.access(&place.arg);
                match members.iter().position(|s| s.array == arg.array) {
                    Some(of) => flows.push(Flow { of, at: arg.at, term, masked: place.masked }),
                    None => {
                        let (term, masked) = self.within(&term, &arg);
                        outside.push((term, place.masked || masked.is_some()));
                    }
                }
            }
            let extents = out.array(s.array).extents.clone();
            nodes.push(Node { gens: gens.clone(), extents, time: rec::time(s), outside, flows });
        }
        let later = rec::is_backward(out, members);
        let supports = rec::supports(out, &nodes, later);
        let head =
            |(s, n): (&&Stmt, &Node)| Head { stmt: (*s).clone(), first: 0, extents: n.extents.clone() };
        let first = self.counts.announce(members.iter().zip(&nodes).map(head).collect(), false);
        for (k, ((s, n), support)) in members.iter().zip(nodes).zip(supports).enumerate() {
            let support = support.unwrap_or_else(nowhere);
            self.all.insert(s.array, Dot { gens: n.gens, support, number: first + k });
        }
    }

    /// The terms of what was announced.
    fn complete(
        &mut self,
        out: &mut Function,
        members: &[&Stmt],
        gens: &[Vec<Index>],
        terms: &[Vec<(Term, Access)>],
    ) {
        if self.is_asked {
            let mut all = vec![];
            for ((s, gens), terms) in members.iter().zip(gens).zip(terms) {
                let (gens, extents) = (gens.clone(), out.array(s.array).extents.clone());
                let terms = terms.iter().map(|(t, arg)| self.within(t, arg)).collect();
                all.push(Pending { array: s.array, gens, extents, terms });
            }
            self.counts.complete(out, all);
        }
    }

    /// A term of a tangent where what it is linear in is not zero, as far as that is known; and that, if it may be zero there.
    fn within(&self, t: &Term, arg: &Access) -> (Term, Option<Masked>) {
        let dot = self.all.get(&arg.array);
        let own = dot.and_then(|d| support::put(&d.support.pred, &d.gens, &arg.at)).unwrap_or_default();
        let guard = [t.guard.clone(), own].concat();
        (Term { guard, ..t.clone() }, dot.and_then(|d| d.masked(arg)))
    }

    /// The support of an element, as far as it is not given; `None` where it is empty.
    fn of_element(&mut self, f: &mut Function, arg: &Access, given: &[Cond]) -> Option<Pred> {
        let Some(dot) = self.all.get(&arg.array) else { return Some(vec![]) };
        let Some(p) = support::put(&dot.support.pred, &dot.gens, &arg.at) else { return Some(vec![]) };
        let mut p = support::gist(&p, given)?;
        p.extend(dot.masked(arg).and_then(|m| self.counts.some_live(f, &m)));
        Some(p)
    }

    /// The terms of the tangent of `x`, each with what it is linear in.
    fn remember(&mut self, f: &Function, x: ArrayId, gens: &[Index], terms: &[(Term, Access)]) {
        if !self.is_asked {
            return;
        }
        let given = support::context(f, gens, &f.array(x).extents);
        let terms: Vec<(Term, Option<Masked>)> = terms.iter().map(|(t, arg)| self.within(t, arg)).collect();
        let marked: Vec<(&Term, bool)> = terms.iter().map(|(t, masked)| (t, masked.is_some())).collect();
        let support = support::of_terms(f, &given, &marked).unwrap_or_else(nowhere);
        let (gens, extents) = (gens.to_vec(), f.array(x).extents.clone());
        let number = self.counts.remember(Pending { array: x, gens: gens.clone(), extents, terms });
        self.all.insert(x, Dot { gens, support, number });
    }
}

fn nowhere() -> Support {
    Support { pred: vec![Cond::NonNeg((-1).into())], wider: false }
}

impl Dot {
    /// The element, if it may be zero inside the support.
    fn masked(&self, arg: &Access) -> Option<Masked> {
        self.support.wider.then(|| Masked { by: self.number, at: arg.at.clone() })
    }
}
