//! Forward mode for all directions of an argument at once.

use super::call;
use super::counts::{Counts, Head, Masked, Pending, is_steep, is_steep_by};
use super::linearize::{LinearTerm, linearize, places};
use super::pieces::apart;
use super::rec::{self, Flow, Node, Recs};
use super::rename::{Renaming, at_gens};
use super::support::{self, Support};
use super::vjp::active_of;
use crate::index::{Affine, Pred};
use crate::sorted::{Map, Set};
use crate::ssa::{Access, ArrayId, Call, Function, Index, Rhs, Stmt, Term};

/// A piece of `Ẋ[g, c]`: where it may differ from zero, over these gens.
#[derive(Clone)]
struct Tangent {
    array: ArrayId,
    gens: Vec<Index>,
    support: Support,
    /// Its number among those that may have to be counted.
    number: usize,
}

/// The derivatives of `ys` by `x` through `stmts`, each with its own dimensions, then those of `x`: for each element `c` of `x` the tangent of
/// `x` is `[seed(i, c)] 1` at its element `i`. Partials are evaluated where `asked` holds. `None`: zero.
pub(super) fn columns(
    f: &mut Function,
    stmts: &[Stmt],
    ys: &[ArrayId],
    x: ArrayId,
    seed: &dyn Fn(&[Index], &[Index]) -> Pred,
    asked: &Pred,
) -> Vec<Option<ArrayId>> {
    let directions = f.array(x).extents.clone();
    let is_asked = stmts.iter().any(is_steep);
    let mut sweep = Sweep { f, directions, tangents: Map::new(), is_asked, counts: Counts::default() };
    let gens = sweep.gens(x);
    let (i, c) = gens.split_at(gens.len() / 2);
    let one = Term { sums: vec![], guard: seed(i, c), coeff: 1.0, factors: vec![] };
    sweep.define(x, &gens, vec![(one, None)]);
    for unit in sweep.f.units_of(stmts) {
        let stmt = &stmts[unit.start];
        if stmt.is_member() {
            sweep.members(&stmts[unit], asked);
            continue;
        }
        if let Some(call) = stmt.call() {
            sweep.call(stmt, call);
            continue;
        }
        let active = |a: ArrayId| sweep.tangents.contains_key(&a);
        let terms = linearize(sweep.f, stmt, &active, asked);
        if !terms.is_empty() {
            sweep.tangent(stmt, &terms);
        }
    }
    ys.iter().map(|y| sweep.whole(*y)).collect()
}

struct Sweep<'f> {
    f: &'f mut Function,
    directions: Vec<Affine>,
    /// In pieces that do not meet.
    tangents: Map<ArrayId, Vec<Tangent>>,
    /// Whether anything asks for counts.
    is_asked: bool,
    counts: Counts,
}

impl Sweep<'_> {
    fn extents(&self, y: ArrayId) -> Vec<Affine> {
        [self.f.array(y).extents.as_slice(), &self.directions].concat()
    }

    fn gens(&mut self, y: ArrayId) -> Vec<Index> {
        let count = self.extents(y).len();
        (0..count).map(|_| self.f.new_index("i")).collect()
    }

    /// `Ẏ[gens] = Σ terms`, in pieces; nothing where no term counts.
    fn define(&mut self, y: ArrayId, gens: &[Index], terms: Vec<(Term, Option<Masked>)>) {
        let extents = self.extents(y);
        let given = support::context(self.f, gens, &extents);
        for terms in apart(self.f, &given, terms, &|(t, masked)| (t.clone(), masked.is_some())) {
            let all: Vec<(&Term, bool)> = terms.iter().map(|(t, masked)| (t, masked.is_some())).collect();
            let Some(support) = support::of_terms(self.f, &given, &all) else { continue };
            let name = format!("{}_dot", self.f.array(y).name);
            let array = self.f.new_array(name, extents.clone());
            let piece = Pending { array: y, gens: gens.to_vec(), extents: extents.clone(), terms };
            let own = Renaming::fresh(self.f, gens);
            let piece = piece.renamed(&own);
            let (gens, terms) = (piece.gens.clone(), piece.terms.iter().map(|(t, _)| t.clone()).collect());
            self.f.stmts.push(Stmt { array, gens: gens.clone(), rhs: Rhs::Contract(terms), step: None });
            let support = Support { pred: own.pred(&support.pred), ..support };
            let number = self.counts.remember(piece);
            self.tangents.entry(y).or_default().push(Tangent { array, gens, support, number });
        }
    }

    /// The tangent of `y` as one array.
    fn whole(&mut self, y: ArrayId) -> Option<ArrayId> {
        let pieces = self.tangents.get(&y)?.clone();
        if let [one] = pieces.as_slice() {
            return Some(one.array);
        }
        let (gens, extents) = (self.gens(y), self.extents(y));
        let array = self.f.new_array(format!("{}_dot", self.f.array(y).name), extents);
        let term = |t: &Tangent| Term {
            sums: vec![],
            guard: Renaming::new(&t.gens, &gens).pred(&t.support.pred),
            coeff: 1.0,
            factors: vec![at_gens(t.array, &gens)],
        };
        let terms = pieces.iter().map(term).collect();
        self.f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(terms), step: None });
        Some(array)
    }

    /// `Ẋ[b, g, c] = R[c, b, g]`, where R is a call for each direction c.
    fn call(&mut self, stmt: &Stmt, call: &Call) {
        let mut dots: Map<ArrayId, ArrayId> = Map::new();
        for a in &call.args {
            let y = a.access.array;
            if !dots.contains_key(&y)
                && let Some(dot) = self.whole(y)
            {
                let dot = self.turned(y, dot);
                dots.insert(y, dot);
            }
        }
        let directions = self.directions.clone();
        let of = |a: ArrayId| dots.get(&a).copied();
        let Some(r) = call::tangent(self.f, stmt, call, &directions, &of) else { return };
        let gens = self.gens(stmt.array);
        let (own, c) = gens.split_at(stmt.gens.len());
        let guard = Renaming::new(&stmt.gens, own).pred(&call.guard);
        let at: Vec<Index> = c.iter().chain(own).copied().collect();
        let term = Term { sums: vec![], guard, coeff: 1.0, factors: vec![at_gens(r, &at)] };
        self.define(stmt.array, &gens, vec![(term, None)]);
    }

    /// `T[c, i] = Ẏ[i, c]`
    fn turned(&mut self, y: ArrayId, dot: ArrayId) -> ArrayId {
        let gens = self.gens(y);
        let (own, c) = gens.split_at(gens.len() - self.directions.len());
        let extents = [self.directions.as_slice(), &self.f.array(y).extents].concat();
        let array = self.f.new_array(self.f.array(dot).name.clone(), extents);
        let factors = vec![at_gens(dot, &gens)];
        let term = Term { sums: vec![], guard: vec![], coeff: 1.0, factors };
        let gens = [c, own].concat();
        self.f.stmts.push(Stmt { array, gens, rhs: Rhs::Contract(vec![term]), step: None });
        array
    }

    /// The statements of a recurrence: the tangents have their names and supports before any of them is defined, each whole, and are a recurrence
    /// of the same shape.
    fn members(&mut self, stmts: &[Stmt], asked: &Pred) {
        let active = active_of(stmts, &|a| self.tangents.contains_key(&a), self.f);
        let all: Vec<&Stmt> = stmts.iter().filter(|s| active.contains(&s.array)).collect();
        let nodes = self.nodes(&all, &active);
        let later = rec::is_backward(self.f, &all);
        let supports = rec::supports(self.f, &nodes, later);
        let all: Vec<_> = all
            .into_iter()
            .zip(nodes)
            .zip(supports)
            .filter_map(|((s, n), support)| Some((s, n, support?)))
            .collect();
        let head =
            |(s, n, _): &(&Stmt, Node, _)| Head { stmt: (*s).clone(), first: 0, extents: n.extents.clone() };
        let first = self.counts.announce(all.iter().map(head).collect(), false);
        for (k, (s, n, support)) in all.iter().enumerate() {
            let name = format!("{}_dot", self.f.array(s.array).name);
            let array = self.f.new_array(name, n.extents.clone());
            let (gens, support) = (n.gens.clone(), support.clone());
            self.tangents.insert(s.array, vec![Tangent { array, gens, support, number: first + k }]);
        }
        let mut made = vec![];
        for (s, n, _) in &all {
            let terms = linearize(self.f, s, &|a| active.contains(&a), asked);
            let terms = self.terms(s, &terms, &n.gens);
            made.push(Pending { array: s.array, gens: n.gens.clone(), extents: n.extents.clone(), terms });
        }
        self.counts.complete(self.f, made.clone());
        let mut recs = Recs::new(false);
        for ((s, n, _), made) in all.into_iter().zip(made) {
            let Some(array) = self.tangents.get(&s.array).and_then(|t| Some(t.first()?.array)) else {
                continue;
            };
            let step = recs.step(self.f, s, &n.gens, 0);
            let rhs = Rhs::Contract(made.terms.into_iter().map(|t| t.0).collect());
            self.f.stmts.push(Stmt { array, gens: n.gens, rhs, step });
        }
    }

    /// Where the terms of the tangents of a recurrence count.
    fn nodes(&mut self, members: &[&Stmt], active: &Set<ArrayId>) -> Vec<Node> {
        let mut nodes = vec![];
        for s in members {
            let gens = self.gens(s.array);
            let (own, c) = gens.split_at(s.gens.len());
            let (mut outside, mut flows) = (vec![], vec![]);
            for place in places(self.f, s, &|a| active.contains(&a)) {
                let mut fresh = Renaming::new(&s.gens, own);
                let sums = fresh.extend_fresh(self.f, &place.sums);
                let arg = fresh.access(&place.arg);
                let at: Vec<Affine> = arg.at.iter().cloned().chain(c.iter().map(|c| c.affine())).collect();
                let guard = fresh.pred(&place.guard);
                let term = Term { sums, guard, coeff: 1.0, factors: vec![] };
                if let Some(of) = members.iter().position(|s| s.array == arg.array) {
                    flows.push(Flow { of, at, term, masked: place.masked });
                    continue;
                }
                for dot in self.tangents.get(&arg.array).into_iter().flatten() {
                    if let Some(asked) = support::put(&dot.support.pred, &dot.gens, &at) {
                        let guard = [term.guard.clone(), asked].concat();
                        outside.push((Term { guard, ..term.clone() }, place.masked || dot.support.wider));
                    }
                }
            }
            let extents = self.extents(s.array);
            nodes.push(Node { gens, extents, time: rec::time(s), outside, flows });
        }
        nodes
    }

    /// `X[g] ∋ sum s. [p] rest · dY[a]` gives `Ẋ[g, c] ∋ sum s. [p ∧ q] rest · Ẏ[a, c]`, where q is the support of `Ẏ[a, c]`: what may be
    /// infinite is not multiplied by zero. Where the support may be wider than what counts, that is counted.
    fn tangent(&mut self, stmt: &Stmt, terms: &[LinearTerm]) {
        let gens = self.gens(stmt.array);
        let all = self.terms(stmt, terms, &gens);
        self.define(stmt.array, &gens, all);
    }

    /// Those terms, each with what it is a multiple of, if that may be zero there.
    fn terms(&mut self, stmt: &Stmt, terms: &[LinearTerm], gens: &[Index]) -> Vec<(Term, Option<Masked>)> {
        let (own, c) = gens.split_at(stmt.gens.len());
        let mut all = vec![];
        for t in terms {
            for dot in self.tangents.get(&t.arg.array).cloned().unwrap_or_default() {
                let mut fresh = Renaming::new(&stmt.gens, own);
                let sums = fresh.extend_fresh(self.f, &t.sums);
                let arg = fresh.access(&t.arg);
                let at: Vec<Affine> = arg.at.iter().cloned().chain(c.iter().map(|c| c.affine())).collect();
                let Some(asked) = support::put(&dot.support.pred, &dot.gens, &at) else { continue };
                let mut guard = [fresh.pred(&t.guard), asked].concat();
                let is_masked = self.is_asked && dot.support.wider;
                let mut masked = is_masked.then(|| Masked { by: dot.number, at: at.clone() });
                if is_steep_by(stmt, &t.arg)
                    && let Some(m) = masked.take()
                {
                    guard.extend(self.counts.some_live(self.f, &m));
                }
                let rest = t.rest.iter().map(|a| fresh.access(a));
                let factors = rest.chain([Access { array: dot.array, at }]).collect();
                all.push((Term { sums, guard, coeff: t.coeff, factors }, masked));
            }
        }
        all
    }
}
