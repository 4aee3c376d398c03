//! Reverse mode: linearize each statement, last first, and transpose its terms; those of a recurrence together (`members`).

mod members;

use super::call::{self, Mode, Rule};
use super::counts::{Counts, Masked, Pending};
use super::linearize::{LinearTerm, arguments, linearize};
use super::pieces::apart;
use super::rename::{Renaming, at_gens, bare_index, index_names};
use super::support::{self, Support};
use crate::index::{Affine, Cond, Pred};
use crate::mark::{self, Mark};
use crate::sorted::{Map, Set};
use crate::ssa::display::named;
use crate::ssa::{Access, ArrayId, Call, Function, Index, Rhs, Slot, Stmt, Term, Whole, ranges, regroup};

/// What the cotangents of the results are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seed {
    /// A parameter for each.
    Parameters,
    /// 1.
    One,
}

/// The function with its reverse sweep, and the cotangents of `wrt`. The results are still those of `f`.
pub(super) fn reverse(f: &Function, wrt: &[usize], seed: Seed) -> (Function, Vec<ArrayId>) {
    let xs: Vec<ArrayId> = wrt.iter().map(|k| f.params[*k]).collect();
    let active = active(&f.stmts, &xs, f);
    let mut sweep = Sweep::new(named(f), vec![]);
    sweep.seed(&f.results, seed, &active);
    let bars = sweep.run(&f.stmts, &xs, &active);
    (regroup(sweep.f), bars)
}

/// The derivatives of `y` by `xs` through `stmts`, each with the dimensions of `batch` before its own: for each `b` the cotangent of `y` is
/// `[seed(b, i)] 1` at its element `i`.
pub(crate) fn rows(
    f: &mut Function,
    stmts: &[Stmt],
    y: ArrayId,
    xs: &[ArrayId],
    batch: &[Affine],
    seed: &dyn Fn(&[Index], &[Index]) -> Pred,
) -> Vec<ArrayId> {
    let active = active(stmts, xs, f);
    let mut sweep = Sweep::new(f.clone(), batch.to_vec());
    if active.contains(&y) {
        let gens = sweep.gens(y);
        let (b, i) = gens.split_at(batch.len());
        let term = Term { sums: vec![], guard: seed(b, i), coeff: 1.0, factors: vec![] };
        sweep.contribute(y, term, None);
    }
    let bars = sweep.run(stmts, xs, &active);
    *f = sweep.f;
    bars
}

/// What depends on `xs` with a derivative.
pub(super) fn active(stmts: &[Stmt], xs: &[ArrayId], f: &Function) -> Set<ArrayId> {
    let mut all: Set<ArrayId> = xs.iter().copied().collect();
    for unit in f.units_of(stmts) {
        // Members of a recurrence read each other.
        let mut more = true;
        while more {
            more = false;
            for stmt in &stmts[unit.clone()] {
                if !all.contains(&stmt.array) && arguments(f, stmt).iter().any(|a| all.contains(a)) {
                    all.insert(stmt.array);
                    more = stmt.is_member();
                }
            }
        }
    }
    all
}

/// Those of some statements, and what they read, that depend with a derivative on arrays outside that do.
pub(super) fn active_of(stmts: &[Stmt], varies: &dyn Fn(ArrayId) -> bool, f: &Function) -> Set<ArrayId> {
    let read = stmts.iter().flat_map(|s| arguments(f, s));
    let xs: Vec<ArrayId> = read.filter(|a| varies(*a)).collect();
    active(stmts, &xs, f)
}

/// `X̄[gens] = [support] coeff · factor`
struct Cotangent {
    /// Its number among those that may have to be counted.
    number: usize,
    gens: Vec<Index>,
    support: Support,
    coeff: f64,
    factor: Option<Access>,
}

struct Sweep {
    f: Function,
    /// What the sweep is repeated for: the first dimensions of each cotangent.
    batch: Vec<Affine>,
    /// What has been found of each cotangent.
    pending: Map<ArrayId, Pending>,
    counts: Counts,
}

impl Sweep {
    fn new(f: Function, batch: Vec<Affine>) -> Sweep {
        Sweep { f, batch, pending: Map::new(), counts: Counts::default() }
    }

    /// All statements, last first; the cotangents of `xs`. What defines one of these is not looked into.
    fn run(&mut self, stmts: &[Stmt], xs: &[ArrayId], active: &Set<ArrayId>) -> Vec<ArrayId> {
        for unit in self.f.units_of(stmts).into_iter().rev() {
            let stmt = &stmts[unit.start];
            if stmt.is_member() {
                self.members(&stmts[unit], xs, active);
                continue;
            }
            if xs.contains(&stmt.array) {
                continue;
            }
            if let Some(call) = stmt.call() {
                self.call(stmt, call, stmts, xs, active);
                continue;
            }
            for x_bar in self.cotangents(stmt.array) {
                let asked = self.asked(stmt, &x_bar);
                for term in linearize(&mut self.f, stmt, &|a| active.contains(&a), &asked) {
                    self.transpose(&term, stmt, &x_bar);
                }
            }
        }
        let mut bars: Map<ArrayId, ArrayId> = Map::new();
        xs.iter().map(|x| *bars.entry(*x).or_insert_with(|| self.result(*x))).collect()
    }

    /// The results of a call have their cotangents together, once all are known: at the first of them.
    fn call(&mut self, stmt: &Stmt, call: &Call, stmts: &[Stmt], xs: &[ArrayId], active: &Set<ArrayId>) {
        let is_part = |s: &&Stmt| {
            !xs.contains(&s.array) && s.call().is_some_and(|c| c.is_with(&s.gens, call, &stmt.gens))
        };
        let parts: Vec<&Stmt> = stmts.iter().filter(is_part).collect();
        if parts.first().is_some_and(|s| s.array != stmt.array) {
            return;
        }
        let mut bars: Vec<Option<ArrayId>> = vec![None; call.results.len()];
        for s in parts {
            let all = self.pending.remove(&s.array).filter(|all| !all.terms.is_empty());
            if let (Some(all), Some(c)) = (all, s.call()) {
                bars[c.part] = Some(self.define(&all));
            }
        }
        if bars.iter().all(Option::is_none) {
            return;
        }
        let Rule { target, takes, by } = call::rule(&self.f, call, Mode::Vjp, &|a| active.contains(&a));
        let results = |k: &usize| {
            let a = &call.args[*k];
            let all = &self.f.array(a.access.array).extents;
            all[all.len() - a.own.len()..].to_vec()
        };
        let results: Vec<Vec<Affine>> = by.iter().map(results).collect();
        let dims = call.batch(&stmt.gens);
        for (part, k) in by.iter().enumerate().filter(|(_, k)| active.contains(&call.args[**k].access.array))
        {
            let a = &call.args[*k];
            let mut here = Renaming::default();
            let batch: Vec<Index> = self.batch.iter().map(|_| self.f.new_index("b")).collect();
            let around = here.extend_fresh(&mut self.f, &stmt.gens[..dims]);
            let both = [batch.as_slice(), &around].concat();
            let directions = call::cotangents(&mut self.f, call, stmt.array, &bars, &both);
            let mut args = vec![];
            for slot in &takes {
                args.push(match slot {
                    Slot::Argument(k) => call::kept(&mut self.f, &call.args[*k], &here),
                    Slot::Result(part) => call::result(&mut self.f, stmt, call, *part, &here),
                    Slot::Direction(part) => directions[*part].clone(),
                });
            }
            let guard = here.pred(&call.guard);
            let new =
                Call { guard, target: target.clone(), part, results: results.clone(), args, site: call.site };
            self.argument(stmt, dims, a, new, &both);
        }
    }

    /// `R[b, g]` is the cotangent of an argument `Y[a(b), g]` of a call.
    fn argument(&mut self, stmt: &Stmt, dims: usize, a: &Whole, call: Call, around: &[Index]) {
        let own: Vec<Index> = call.results[call.part].iter().map(|_| self.f.new_index("k")).collect();
        let extents = [&self.f.array(stmt.array).extents[..dims], &call.results[call.part]].concat();
        let name = self.f.array(a.access.array).name.clone();
        let array = self.f.new_array(format!("{name}_bar"), [self.batch.as_slice(), &extents].concat());
        let gens = [around, &own].concat();
        let pred = call.guard.clone();
        self.f.stmts.push(Stmt { array, gens: gens.clone(), rhs: Rhs::Call(Box::new(call)), step: None });
        let factor = Some(at_gens(array, &gens));
        let support = Support { pred, wider: false };
        let x_bar = Cotangent { number: 0, gens, support, coeff: 1.0, factor };
        // As if what the call reads were an array before it.
        let mut here = Renaming::default();
        let mut gens = here.extend_fresh(&mut self.f, &stmt.gens[..dims]);
        gens.extend(here.extend_fresh(&mut self.f, &a.own));
        let array = self.f.new_array(name, extents);
        let arg = here.access(&a.access);
        let term = LinearTerm { arg, sums: vec![], guard: vec![], coeff: 1.0, rest: None };
        self.transpose(&term, &Stmt { array, gens, rhs: Rhs::Contract(vec![]), step: None }, &x_bar);
    }

    /// Where the differential of a statement is asked for: where its cotangent is not zero, for any element of the batch.
    fn asked(&self, stmt: &Stmt, x_bar: &Cotangent) -> Pred {
        let (batch, own) = x_bar.gens.split_at(self.batch.len());
        let asked = Renaming::new(own, &stmt.gens).pred(&x_bar.support.pred);
        if batch.is_empty() {
            return asked;
        }
        let given = support::context(&self.f, &stmt.gens, &self.f.array(stmt.array).extents);
        let inside = [support::ranges(batch, &self.batch), asked].concat();
        let (pieces, _) = support::project(&self.f, &inside, batch, &given);
        support::union(&self.f, pieces, &given).map_or_else(Vec::new, |s| s.pred)
    }

    /// The extents of the cotangent of `x`.
    fn extents(&self, x: ArrayId) -> Vec<Affine> {
        [self.batch.as_slice(), &self.f.array(x).extents].concat()
    }

    fn seed(&mut self, results: &[ArrayId], seed: Seed, active: &Set<ArrayId>) {
        for (k, &y) in results.iter().enumerate() {
            let gens = self.gens(y);
            let factors = match seed {
                Seed::One => vec![],
                Seed::Parameters => {
                    let name = if results.len() == 1 { "y_bar".to_string() } else { format!("y_bar{k}") };
                    let y_bar = self.f.new_array(name, self.f.array(y).extents.clone());
                    self.f.params.push(y_bar);
                    vec![at_gens(y_bar, &gens)]
                }
            };
            if active.contains(&y) {
                let term = Term { sums: vec![], guard: vec![], coeff: 1.0, factors };
                self.contribute(y, term, None);
            }
        }
    }

    /// The gens of the cotangent of `y`.
    fn gens(&mut self, y: ArrayId) -> Vec<Index> {
        if let Some(p) = self.pending.get(&y) {
            return p.gens.clone();
        }
        let extents = self.extents(y);
        let own = index_names(&self.f, y);
        let names = self.batch.iter().map(|_| "k".to_string()).chain(own);
        let gens: Vec<Index> = names.map(|name| self.f.new_index(name)).collect();
        self.pending.insert(y, Pending { array: y, gens: gens.clone(), extents, terms: vec![] });
        gens
    }

    fn contribute(&mut self, y: ArrayId, term: Term, masked: Option<Masked>) {
        self.gens(y);
        if let Some(p) = self.pending.get_mut(&y) {
            p.terms.push((term, masked));
        }
    }

    /// All that was contributed to `X̄`, ready for use; none if it is zero. If the sweep is repeated: in pieces that do not meet.
    fn cotangents(&mut self, x: ArrayId) -> Vec<Cotangent> {
        let Some(all) = self.pending.remove(&x) else { return vec![] };
        if self.batch.is_empty() || all.terms.len() < 2 {
            return self.cotangent(all).into_iter().collect();
        }
        let given = support::context(&self.f, &all.gens, &all.extents);
        let pieces = apart(&self.f, &given, all.terms.clone(), &|(t, masked)| (t.clone(), masked.is_some()));
        let is_whole = pieces.len() == 1;
        let mut out = vec![];
        for terms in pieces {
            let piece = Pending { terms, ..all.clone() };
            let piece = if is_whole { piece } else { piece.freshened(&mut self.f) };
            out.extend(self.cotangent(piece));
        }
        out
    }

    /// A sum of contributions to `X̄`; `None` if it is zero.
    fn cotangent(&mut self, all: Pending) -> Option<Cotangent> {
        let Pending { gens, terms, .. } = &all;
        if let [(t, masked)] = terms.as_slice()
            && t.sums.is_empty()
            && (t.factors.is_empty() || (t.factors.len() == 1 && t.coeff.abs() == 1.0))
        {
            mark::hit(Mark::CotangentView);
            // A view needs no statement.
            let support = Support { pred: t.guard.clone(), wider: masked.is_some() };
            let (gens, coeff, factor) = (gens.clone(), t.coeff, t.factors.first().cloned());
            let number = self.counts.remember(all);
            return Some(Cotangent { number, gens, support, coeff, factor });
        }
        let given = support::context(&self.f, gens, &all.extents);
        let marked: Vec<(&Term, bool)> = terms.iter().map(|(t, masked)| (t, masked.is_some())).collect();
        let support = support::of_terms(&self.f, &given, &marked)?;
        let x_bar = self.define(&all);
        let gens = gens.clone();
        let number = self.counts.remember(all);
        let factor = Some(at_gens(x_bar, &gens));
        Some(Cotangent { number, gens, support, coeff: 1.0, factor })
    }

    fn define(&mut self, all: &Pending) -> ArrayId {
        let array = self.new_bar(all.array);
        let terms = all.terms.iter().map(|(t, _)| t.clone()).collect();
        self.f.stmts.push(Stmt { array, gens: all.gens.clone(), rhs: Rhs::Contract(terms), step: None });
        array
    }

    /// An array for the cotangent of another.
    fn new_bar(&mut self, x: ArrayId) -> ArrayId {
        let name = self.f.array(x).name.clone();
        self.f.new_array(format!("{name}_bar"), self.extents(x))
    }

    /// The cotangent of a parameter as an array.
    fn result(&mut self, x: ArrayId) -> ArrayId {
        let gens = self.gens(x);
        let extents = self.extents(x);
        let none = || Pending { array: x, gens: gens.clone(), extents: extents.clone(), terms: vec![] };
        let all = self.pending.remove(&x).unwrap_or_else(none);
        if let [(t, _)] = all.terms.as_slice()
            && let [a] = t.factors.as_slice()
            && (t.sums.is_empty() && t.guard.is_empty() && t.coeff == 1.0)
            && (*a == at_gens(a.array, &gens) && self.f.array(a.array).extents == extents)
        {
            return a.array;
        }
        self.define(&all)
    }

    /// `X[g] ∋ sum s. [p] rest · dY[a]` transposes to `Ȳ[k] ∋ sum g s. [p ∧ p' ∧ k = a] rest · X̄[g]`, where p' is the support of X̄
    /// (Differentiating a Tensor Language, 6.48 and 6.49).
    fn transpose(&mut self, t: &LinearTerm, stmt: &Stmt, x_bar: &Cotangent) {
        let Turned { to, sums, mut guard, at } = self.turned(&t.arg, &t.sums, &t.guard, stmt);
        let here = Renaming::new(&x_bar.gens, &at);
        guard.extend(here.pred(&x_bar.support.pred));
        let factor = x_bar.factor.as_ref().map(|a| here.access(a));
        let at = || at.iter().map(|i| i.affine()).collect();
        let mut masked = x_bar.support.wider.then(|| Masked { by: x_bar.number, at: at() });
        if t.rest.is_some()
            && let Some(m) = masked.take()
        {
            mark::hit(Mark::CountedAtRunTime);
            guard.extend(self.counts.some_live(&mut self.f, &m));
        }
        let all = self.gens(t.arg.array);
        let given = support::context(&self.f, &all, &self.extents(t.arg.array));
        if let Some(short) = support::gist(&guard, &given) {
            let guard = ranges::keep(short, &sums, &guard);
            let factors = t.rest.iter().map(|a| to.access(a)).chain(factor).collect();
            self.contribute(t.arg.array, Term { sums, guard, coeff: t.coeff * x_bar.coeff, factors }, masked);
        }
    }

    /// Where a term of a statement is found in the cotangent of what it is linear in.
    fn turned(&mut self, arg: &Access, sums: &[Index], guard: &Pred, stmt: &Stmt) -> Turned {
        let all = self.gens(arg.array);
        let (batch, k) = all.split_at(self.batch.len());
        let bound: Vec<Index> = stmt.gens.iter().chain(sums).copied().collect();
        // Where a dimension is read by a bare index, that index is the new gen.
        let mut to = Renaming::default();
        let mut equalities: Vec<usize> = vec![];
        for (d, a) in arg.at.iter().enumerate() {
            match bare_index(a) {
                Some(i) if bound.contains(&i) && to.insert(i, k[d]) => {}
                _ => {
                    mark::hit(Mark::Scatter);
                    equalities.push(d);
                }
            }
        }
        let left: Vec<Index> = bound.into_iter().filter(|i| to.index(*i) == *i).collect();
        let sums = to.extend_fresh(&mut self.f, &left);
        let new_gens: Vec<Index> = stmt.gens.iter().map(|g| to.index(*g)).collect();

        let mut all = support::ranges(&new_gens, &self.f.array(stmt.array).extents);
        all.extend(to.pred(guard));
        let equal = |d: &usize| k[*d].affine().plus_scaled(-1, &to.affine(&arg.at[*d])).map(Cond::Zero);
        all.extend(equalities.iter().filter_map(equal));
        let at = batch.iter().chain(&new_gens).copied().collect();
        Turned { to, sums, guard: all, at }
    }
}

/// A term over the gens of the cotangent that it contributes to.
struct Turned {
    /// The indices of the statement there.
    to: Renaming,
    /// Private sums.
    sums: Vec<Index>,
    /// The ranges of the gens of the statement, its guard, and what the element says of its indices.
    guard: Pred,
    /// The element of the cotangent of the statement.
    at: Vec<Index>,
}
