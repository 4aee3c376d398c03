//! Reductions.

use super::Translation;
use super::rewrite::{Mentioned, Substitute, term};
use super::scope::{Bound, range};
use super::value::{Sum, Value, guard_term, monomial};
use crate::index::omega::Work;
use crate::index::project::exists;
use crate::index::query::Facts;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::prim::{Prim, Unary, name_of};
use crate::sorted::Map;
use crate::ssa::{Access, Extreme, Index, Rhs, Term};
use crate::typed::{Binder, Expr, LetArg, Reduce};

/// `i in lower..upper`, translated.
#[derive(Clone)]
struct Range {
    index: Index,
    lower: Affine,
    upper: Affine,
    /// A range over sizes alone, of one that ends at an element of an array of indices.
    hull: Pred,
}

impl Range {
    fn pred(&self) -> Pred {
        [self.hull.clone(), range(&self.index.affine(), &self.lower, &self.upper)].concat()
    }
}

impl Translation<'_> {
    /// A reduction to a scalar.
    pub fn reduce(&mut self, op: Reduce, binders: &[Binder], p: &Pred, body: &Expr) -> Sum {
        let ranges = self.ranges(binders);
        match op {
            Reduce::Sum => {
                let (p, sum) = self.over(&ranges, |t| {
                    let p = t.pred(p);
                    let sum = t.under(&p, |t| t.scalar(body));
                    (p, sum)
                });
                self.sum(&ranges, &p, sum)
            }
            Reduce::Max | Reduce::Min => {
                let (p, x) = self.reduced(&ranges, p, body);
                let op = if op == Reduce::Max { Extreme::Max } else { Extreme::Min };
                Value::read(self.extreme(op, &ranges, p, x)).scalar()
            }
            Reduce::LogSumExp => {
                let (p, x) = self.reduced(&ranges, p, body);
                self.log_sum_exp(&ranges, &p, x)
            }
        }
    }

    /// New indices for the binders.
    fn ranges(&mut self, binders: &[Binder]) -> Vec<Range> {
        let mut out = vec![];
        let (bounds, path) = (self.scope.bounds.len(), self.scope.path.len());
        for b in binders {
            let (lower, upper) = (self.affine(&b.lower), self.affine(&b.upper));
            let index = self.f.new_index(self.index_name(b));
            self.indices.insert(b.index, index.affine());
            self.scope.reduce(index, &lower, &upper, &self.f);
            let at_element =
                [&lower, &upper].into_iter().any(|a| a.any_atom(&|t| matches!(t, Atom::Element(..))));
            let hull = self.scope.bounds.last().filter(|_| at_element).map_or(vec![], Bound::range);
            out.push(Range { index, lower, upper, hull });
        }
        self.scope.bounds.truncate(bounds);
        self.scope.path.truncate(path);
        out
    }

    /// What `run` does inside the reduction.
    fn over<T>(&mut self, ranges: &[Range], run: impl FnOnce(&mut Self) -> T) -> T {
        let (bounds, path) = (self.scope.bounds.len(), self.scope.path.len());
        for r in ranges {
            self.scope.reduce(r.index, &r.lower, &r.upper, &self.f);
        }
        let out = run(self);
        self.scope.bounds.truncate(bounds);
        self.scope.path.truncate(path);
        out
    }

    /// The guard of a reduction and its values as an array.
    fn reduced(&mut self, ranges: &[Range], p: &Pred, body: &Expr) -> (Pred, Access) {
        self.over(ranges, |t| {
            let p = t.pred(p);
            let x = t.under(&p, |t| {
                let x = t.scalar(body);
                t.access(x, "t")
            });
            (p, x)
        })
    }

    /// `sum i in l..u if p { Σ t } → Σ sum i. [l <= i < u ∧ p] t`, each term with indices of its own.
    fn sum(&mut self, ranges: &[Range], p: &Pred, sum: Sum) -> Sum {
        let mut guard: Pred = ranges.iter().flat_map(Range::pred).collect();
        guard.extend(p.iter().cloned());
        let mut out = vec![];
        for t in sum {
            let mut to = Map::new();
            let mut sums = vec![];
            for r in ranges {
                let own = self.f.new_index(self.f.indices[r.index.0 as usize].clone());
                to.insert(r.index, own.affine());
                sums.push(own);
            }
            let t = term(&guard_term(t, &guard, &self.thresholds), &mut Substitute(to));
            out.push(Term { sums: [sums, t.sums.clone()].concat(), ..t });
        }
        out
    }

    /// `max i, j if p { x } → max i if ∃ j. p { max j if p { x } }`
    fn extreme(&mut self, op: Extreme, ranges: &[Range], p: Pred, x: Access) -> Access {
        let word = if op == Extreme::Max { "max" } else { "min" };
        let name = name_of(word, &self.f.array(x.array).name);
        let (mut guard, mut arg) = (p, x);
        for k in (0..ranges.len()).rev() {
            let r = &ranges[k];
            let mut all = r.pred();
            all.append(&mut guard);
            guard = self.some(r.index, &all);
            let rhs = Rhs::Extreme { op, over: r.index, guard: all, arg };
            arg = self.over(&ranges[..k], |t| t.define(rhs, &[], None, &name));
        }
        arg
    }

    /// `∃ i. p`, or true if it cannot be had: then a maximum of nothing is compared too.
    fn some(&self, i: Index, p: &Pred) -> Pred {
        let mentions = |c: &Cond| Mentioned::of_cond(c).contains(&i);
        let (inner, mut outer): (Pred, Pred) = p.iter().cloned().partition(mentions);
        let (facts, mut work) = (Facts::default(), Work::default());
        match exists(&inner, &[i.atom()], false, &self.f.assumptions, &facts, &mut work) {
            Some(mut pieces) if pieces.len() == 1 => outer.append(&mut pieces[0]),
            Some(pieces) => outer.push(Cond::Any(pieces)),
            None => {}
        }
        outer
    }

    /// `logsumexp i { x } = ln(sum i { exp(x - m) }) + m` with `m = max i { x }`, or 0 where that is infinite; `m` has no derivative.
    fn log_sum_exp(&mut self, ranges: &[Range], p: &Pred, x: Access) -> Sum {
        let m = self.extreme(Extreme::Max, ranges, p.clone(), x.clone());
        let m = self.apply_to(Prim::FiniteOrZero, vec![m]);
        let e = self.over(ranges, |t| {
            t.under(p, |t| {
                let less = vec![monomial(vec![], 1.0, vec![x]), monomial(vec![], -1.0, vec![m.clone()])];
                let less = t.access(less, "t");
                t.apply_to(Prim::Unary(Unary::Exp), vec![less])
            })
        });
        let name = name_of("sum", &self.f.array(e.array).name);
        let sum = self.sum(ranges, p, Value::read(e).scalar());
        let sum = self.access(sum, &name);
        let ln = self.apply_to(Prim::Unary(Unary::Ln), vec![sum]);
        [Value::read(ln).scalar(), Value::read(m).scalar()].concat()
    }

    /// `let k = argmax i in l..u if p { e }`: an array of indices.
    pub fn let_arg(&mut self, l: &LetArg) {
        let ranges = self.ranges(std::slice::from_ref(&l.binder));
        let (p, arg) = self.reduced(&ranges, &l.guard, &l.value);
        let r = ranges[0].clone();
        let mut guard = r.pred();
        guard.extend(p);
        let op = if l.is_max { Extreme::Max } else { Extreme::Min };
        let rhs = Rhs::ArgExtreme { op, over: r.index, guard, arg };
        let before = i64::from(l.may_be_empty);
        let least = r.lower.plus_scaled(-before, &1.into()).unwrap_or(r.lower);
        let access = self.define(rhs, &[], Some((least, r.upper)), "arg");
        self.elements.insert(l.element, access);
    }
}
