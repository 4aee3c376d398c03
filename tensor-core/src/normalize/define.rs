//! Statements: what they range over, what guards them, and that equal ones are one.

use super::Translation;
use super::rewrite::{self, Mentioned, Rewrite, Substitute, minus, plus};
use super::scope::Scope;
use super::value::{Sum, Value, as_access, as_literal, monomial};
use crate::index::{Affine, Pred};
use crate::mark::{self, Mark};
use crate::sorted::{self, Map, Set};
use crate::ssa::{Access, Array, ArrayId, ArrayKind, Index, Rhs, Stmt, Term};

/// The range of the values of a statement that defines indices.
pub(super) type Values = Option<(Affine, Affine)>;

impl Translation<'_> {
    /// `gen i. [p] e → let X = gen i. [p] e in X[i]` (Figures 11 and 12) with only the indices `i` of the scope that `e` and its
    /// path depend on, outermost first; those in `forced` come last, needed or not.
    pub fn define(&mut self, rhs: Rhs, forced: &[Index], values: Values, name: &str) -> Access {
        let (guard, dims) = self.dimensions(&rhs, forced, &values);
        let mut to = Map::new();
        let (mut gens, mut at, mut times) = (vec![], vec![], Map::new());
        for (index, lower, extent) in dims {
            let gen_index = self.f.new_index(self.f.indices[index.0 as usize].clone());
            times.insert(index, gen_index);
            to.insert(index, plus(&lower, &gen_index.affine()));
            at.push(minus(&index.affine(), &lower));
            gens.push((gen_index, extent));
        }
        let mut w = Substitute(to);
        let rhs = guarded(rewrite::rhs(&rhs, &mut w), &rewrite::pred(&guard, &mut w));
        let rhs = tidy(rhs, &gens, &self.f.assumptions);
        let values = values.map(|(l, u)| (w.affine(&l), w.affine(&u)));
        Access { array: self.share(rhs, gens, values, (name, &times)), at }
    }

    /// The guard of a statement, and what it ranges over: index of the scope, first value, length.
    fn dimensions(
        &self,
        rhs: &Rhs,
        forced: &[Index],
        values: &Values,
    ) -> (Pred, Vec<(Index, Affine, Affine)>) {
        let mut mentioned = Mentioned::default();
        rewrite::rhs(rhs, &mut mentioned);
        for a in values.iter().flat_map(|(l, u)| [l, u]) {
            mentioned.add(a);
        }
        mentioned.0.extend(forced);
        mentioned.0.extend(self.times_of(rhs));
        let works = match rhs {
            Rhs::Contract(terms) => {
                terms.len() > 1 || terms.iter().any(|t| !t.factors.is_empty() || !t.guard.is_empty())
            }
            Rhs::Prim { .. } | Rhs::Extreme { .. } | Rhs::ArgExtreme { .. } | Rhs::Call(_) => true,
            Rhs::OfIndex(_) | Rhs::Constant(_) => false,
        };
        // What costs nothing and reads nothing is evaluated anywhere.
        let own = if matches!(rhs, Rhs::Call(_)) { forced } else { &[] };
        let (guard, used) =
            if works { self.scope.settle(mentioned.0, own, &self.f) } else { (vec![], mentioned.0) };
        let (mut dims, mut last) = (vec![], vec![]);
        for b in self.scope.bounds.iter().filter(|b| used.contains(&b.index)) {
            let dim = (b.index, b.lower.clone(), b.extent.clone());
            if forced.contains(&b.index) { last.push(dim) } else { dims.push(dim) }
        }
        sorted::sort_by_key(&mut last, |d| forced.iter().position(|i| *i == d.0));
        dims.append(&mut last);
        (guard, dims)
    }

    /// The array of a statement: a new one, or that of an equal statement.
    fn share(
        &mut self,
        rhs: Rhs,
        gens: Vec<(Index, Affine)>,
        values: Values,
        (name, times): (&str, &Map<Index, Index>),
    ) -> ArrayId {
        let key = key(&rhs, &gens);
        if let Some(known) = self.defined.get(&key) {
            mark::hit(Mark::Defined);
            return *known;
        }
        let (gens, extents): (Vec<Index>, Vec<Affine>) = gens.into_iter().unzip();
        let kind = match values {
            None => ArrayKind::Real,
            Some((lower, upper)) => self.index_kind(&gens, &lower, &upper),
        };
        let array = self.f.new_array(name, extents.clone());
        self.f.arrays[array.0 as usize] = Array { name: name.to_string(), extents, kind, recompute: false };
        if !self.around.is_empty() {
            self.along(array, times);
            self.join(array, &rhs);
        }
        self.f.stmts.push(Stmt { array, gens, rhs, step: None });
        self.defined.insert(key, array);
        self.unnamed.insert(array);
        array
    }

    fn index_kind(&mut self, gens: &[Index], lower: &Affine, upper: &Affine) -> ArrayKind {
        let formals: Vec<Index> =
            gens.iter().map(|g| self.f.new_index(self.f.indices[g.0 as usize].clone())).collect();
        let to = gens.iter().copied().zip(formals.iter().map(|f| f.affine())).collect();
        let mut w = Substitute(to);
        ArrayKind::Index { formals, lower: w.affine(lower), upper: w.affine(upper) }
    }

    /// The sum as an element of an array.
    pub fn access(&mut self, sum: Sum, name: &str) -> Access {
        match as_access(&sum) {
            Some(access) => access.clone(),
            None => self.define(Rhs::Contract(sum), &[], None, name),
        }
    }

    /// The sum as one term of at most one factor, without a sum.
    pub fn monomial(&mut self, sum: Sum) -> Term {
        match sum.as_slice() {
            [t] if super::value::is_monomial(&sum) => t.clone(),
            _ => monomial(vec![], 1.0, vec![self.access(sum, "t")]),
        }
    }

    /// `let x = e`: what takes work is done here and once, views and literals are used as they are.
    pub fn bind(&mut self, value: Value, name: &str) -> Value {
        match value {
            Value::Scalar(sum) if sum.is_empty() || as_literal(&sum).is_some() => Value::Scalar(sum),
            Value::Scalar(sum) => {
                let access = self.access(sum, name);
                self.name(access.array, name);
                Value::read(access)
            }
            Value::Tuple(parts) => {
                let part = |(k, v)| self.bind(v, &format!("{name}_{k}"));
                Value::Tuple(parts.into_iter().enumerate().map(part).collect())
            }
            Value::Array(formals, body) => {
                let body = self.inside(&formals, |t| t.bind(*body, name));
                Value::Array(formals, Box::new(body))
            }
        }
    }

    /// A name from the program replaces a short one.
    fn name(&mut self, array: ArrayId, name: &str) {
        if self.unnamed.remove(&array) {
            self.f.arrays[array.0 as usize].name = name.to_string();
        }
    }
}

/// `[p] rhs`
pub(super) fn guarded(rhs: Rhs, p: &Pred) -> Rhs {
    let and = |guard: Pred| {
        let mut all = p.clone();
        all.extend(guard);
        all
    };
    match rhs {
        Rhs::Contract(terms) => {
            Rhs::Contract(terms.into_iter().map(|t| Term { guard: and(t.guard), ..t }).collect())
        }
        Rhs::Prim { guard, prim, args } => Rhs::Prim { guard: and(guard), prim, args },
        Rhs::Extreme { op, over, guard, arg } => Rhs::Extreme { op, over, guard: and(guard), arg },
        Rhs::ArgExtreme { op, over, guard, arg } => Rhs::ArgExtreme { op, over, guard: and(guard), arg },
        Rhs::Call(mut call) => {
            call.guard = and(call.guard);
            Rhs::Call(call)
        }
        Rhs::OfIndex(_) | Rhs::Constant(_) => rhs,
    }
}

/// Without what the ranges of the gens say already. The factors of a term are a product in either order.
pub(super) fn tidy(rhs: Rhs, gens: &[(Index, Affine)], assumptions: &Pred) -> Rhs {
    let less = |guard: &Pred, bound: &[Index]| {
        Scope::tidy(guard, gens, &bound.iter().copied().collect::<Set<_>>(), assumptions)
    };
    match rhs {
        Rhs::Contract(terms) => Rhs::Contract(
            terms
                .into_iter()
                .map(|mut t| {
                    sorted::sort(&mut t.factors);
                    Term { guard: less(&t.guard, &t.sums), ..t }
                })
                .collect(),
        ),
        Rhs::Prim { guard, prim, args } => Rhs::Prim { guard: less(&guard, &[]), prim, args },
        Rhs::Extreme { op, over, guard, arg } => Rhs::Extreme { op, over, guard: less(&guard, &[over]), arg },
        Rhs::ArgExtreme { op, over, guard, arg } => {
            Rhs::ArgExtreme { op, over, guard: less(&guard, &[over]), arg }
        }
        Rhs::Call(mut call) => {
            // Where its guard is asked, what it returns is not yet there: that this has elements says nothing.
            let own = call.results.get(call.part).map_or(0, Vec::len);
            let around = &gens[..gens.len().saturating_sub(own)];
            call.guard = Scope::tidy(&call.guard, around, &Set::new(), assumptions);
            Rhs::Call(call)
        }
        Rhs::OfIndex(_) | Rhs::Constant(_) => rhs,
    }
}

/// The same for statements that differ in the names of indices alone.
fn key(rhs: &Rhs, gens: &[(Index, Affine)]) -> String {
    let bound = match rhs {
        Rhs::Contract(terms) => terms.iter().flat_map(|t| t.sums.clone()).collect(),
        Rhs::Extreme { over, .. } | Rhs::ArgExtreme { over, .. } => vec![*over],
        Rhs::Call(call) => call.args.iter().flat_map(|a| a.own.clone()).collect(),
        Rhs::Prim { .. } | Rhs::OfIndex(_) | Rhs::Constant(_) => vec![],
    };
    let all = gens.iter().map(|g| g.0).chain(bound);
    let to = all.zip((0..u32::MAX).rev()).map(|(i, k)| (i, Index(k).affine())).collect();
    let extents: Vec<&Affine> = gens.iter().map(|g| &g.1).collect();
    format!("{extents:?} {:?}", rewrite::rhs(rhs, &mut Substitute(to)))
}
