//! Reverse mode: linearize each statement, last first, and transpose its terms.

use super::counts::{Counts, Masked, Pending};
use super::linearize::{LinearTerm, arguments, linearize};
use super::rename::{Renaming, at_gens, bare_index};
use super::support::{self, Support};
use crate::index::Cond;
use crate::ssa::display::named;
use crate::ssa::{Access, ArrayId, Function, Index, Rhs, Stmt, Term, ranges};
use std::collections::{BTreeMap, BTreeSet};

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
    let active = active(f, wrt);
    let mut sweep = Sweep { f: named(f), pending: BTreeMap::new(), counts: Counts::default() };
    sweep.seed(&f.results, seed, &active);
    for stmt in f.stmts.iter().rev() {
        if let Some(x_bar) = sweep.cotangent(stmt.array) {
            let to_stmt = Renaming::new(&x_bar.gens, &stmt.gens);
            let asked = to_stmt.pred(&x_bar.support.pred);
            for term in linearize(&mut sweep.f, stmt, &|a| active.contains(&a), &asked) {
                sweep.transpose(&term, stmt, &x_bar);
            }
        }
    }
    let mut bars: BTreeMap<ArrayId, ArrayId> = BTreeMap::new();
    let mut results = vec![];
    for &k in wrt {
        let x = f.params[k];
        let x_bar = *bars.entry(x).or_insert_with(|| sweep.result(x));
        results.push(x_bar);
    }
    (sweep.f, results)
}

/// What depends on `wrt` with a derivative.
fn active(f: &Function, wrt: &[usize]) -> BTreeSet<ArrayId> {
    let mut all: BTreeSet<ArrayId> = wrt.iter().map(|k| f.params[*k]).collect();
    for stmt in &f.stmts {
        if arguments(f, stmt).iter().any(|a| all.contains(a)) {
            all.insert(stmt.array);
        }
    }
    all
}

/// `X̄[gens] = [support] coeff · factor`
struct Cotangent {
    array: ArrayId,
    gens: Vec<Index>,
    support: Support,
    coeff: f64,
    factor: Option<Access>,
}

struct Sweep {
    f: Function,
    /// What has been found of each cotangent.
    pending: BTreeMap<ArrayId, Pending>,
    counts: Counts,
}

impl Sweep {
    fn seed(&mut self, results: &[ArrayId], seed: Seed, active: &BTreeSet<ArrayId>) {
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
        let rank = self.f.array(y).extents.len();
        let gens: Vec<Index> = (0..rank).map(|_| self.f.new_index("k")).collect();
        self.pending.insert(y, Pending { gens: gens.clone(), terms: vec![] });
        gens
    }

    fn contribute(&mut self, y: ArrayId, term: Term, masked: Option<Masked>) {
        self.gens(y);
        if let Some(p) = self.pending.get_mut(&y) {
            p.terms.push((term, masked));
        }
    }

    /// All that was contributed to `X̄`, ready for use; `None` if it is zero.
    fn cotangent(&mut self, x: ArrayId) -> Option<Cotangent> {
        let all = self.pending.remove(&x)?;
        let Pending { gens, terms } = &all;
        if let [(t, masked)] = terms.as_slice()
            && t.sums.is_empty()
            && (t.factors.is_empty() || (t.factors.len() == 1 && t.coeff.abs() == 1.0))
        {
            // A view needs no statement.
            let support = Support { pred: t.guard.clone(), wider: masked.is_some() };
            let factor = t.factors.first().cloned();
            let view = Cotangent { array: x, gens: gens.clone(), support, coeff: t.coeff, factor };
            self.counts.remember(x, all);
            return Some(view);
        }
        let given = support::context(&self.f, gens, &self.f.array(x).extents);
        let marked: Vec<(&Term, bool)> = terms.iter().map(|(t, masked)| (t, masked.is_some())).collect();
        let support = support::of_terms(&given, &marked)?;
        let x_bar = self.define(x, &all);
        let gens = gens.clone();
        if support.wider {
            self.counts.remember(x, all);
        }
        let factor = Some(at_gens(x_bar, &gens));
        Some(Cotangent { array: x, gens, support, coeff: 1.0, factor })
    }

    fn define(&mut self, x: ArrayId, all: &Pending) -> ArrayId {
        let (name, extents) = (self.f.array(x).name.clone(), self.f.array(x).extents.clone());
        let array = self.f.new_array(format!("{name}_bar"), extents);
        let terms = all.terms.iter().map(|(t, _)| t.clone()).collect();
        self.f.stmts.push(Stmt { array, gens: all.gens.clone(), rhs: Rhs::Contract(terms) });
        array
    }

    /// The cotangent of a parameter as an array.
    fn result(&mut self, x: ArrayId) -> ArrayId {
        let gens = self.gens(x);
        let all = self.pending.remove(&x).unwrap_or(Pending { gens: gens.clone(), terms: vec![] });
        if let [(t, _)] = all.terms.as_slice()
            && let [a] = t.factors.as_slice()
            && (t.sums.is_empty() && t.guard.is_empty() && t.coeff == 1.0)
            && (*a == at_gens(a.array, &gens) && self.f.array(a.array).extents == self.f.array(x).extents)
        {
            return a.array;
        }
        self.define(x, &all)
    }

    /// `X[g] ∋ sum s. [p] rest · dY[a]` transposes to `Ȳ[k] ∋ sum g s. [p ∧ p' ∧ k = a] rest · X̄[g]`, where p' is the support of X̄
    /// (Differentiating a Tensor Language, 6.48 and 6.49).
    fn transpose(&mut self, t: &LinearTerm, stmt: &Stmt, x_bar: &Cotangent) {
        let k = self.gens(t.arg.array);
        let bound: Vec<Index> = stmt.gens.iter().chain(&t.sums).copied().collect();
        // Where a dimension is read by a bare index, that index is the new gen.
        let mut to = Renaming::default();
        let mut equalities: Vec<usize> = vec![];
        for (d, a) in t.arg.at.iter().enumerate() {
            match bare_index(a) {
                Some(i) if bound.contains(&i) && to.insert(i, k[d]) => {}
                _ => equalities.push(d),
            }
        }
        let left: Vec<Index> = bound.into_iter().filter(|i| to.index(*i) == *i).collect();
        let sums = to.extend_fresh(&mut self.f, &left);
        let new_gens: Vec<Index> = stmt.gens.iter().map(|g| to.index(*g)).collect();

        let mut guard = support::ranges(&new_gens, &self.f.array(stmt.array).extents);
        guard.extend(to.pred(&t.guard));
        let equal = |d: &usize| k[*d].affine().plus_scaled(-1, &to.affine(&t.arg.at[*d])).map(Cond::Zero);
        guard.extend(equalities.iter().filter_map(equal));
        let here = Renaming::new(&x_bar.gens, &new_gens);
        guard.extend(here.pred(&x_bar.support.pred));
        let factor = x_bar.factor.as_ref().map(|a| here.access(a));
        let mut masked = x_bar.support.wider.then_some(Masked { by: x_bar.array, at: new_gens });
        if t.rest.is_some()
            && let Some(m) = masked.take()
        {
            guard.extend(self.counts.some_live(&mut self.f, &m));
        }
        let given = support::context(&self.f, &k, &self.f.array(t.arg.array).extents);
        if let Some(short) = support::gist(&guard, &given) {
            let guard = ranges::keep(short, &sums, &guard);
            let factors = t.rest.iter().map(|a| to.access(a)).chain(factor).collect();
            self.contribute(t.arg.array, Term { sums, guard, coeff: t.coeff * x_bar.coeff, factors }, masked);
        }
    }
}
