//! `grad(e, x)`: the reverse sweep over the statements so far, for all indices around the expression at once.

use super::Translation;
use super::rewrite::{self, Mentioned, Rewrite, Substitute, minus, plus};
use super::scope::Bound;
use super::value::{Sum, Value};
use crate::ad;
use crate::index::{Affine, Cond};
use crate::sorted::{Map, Set};
use crate::ssa::{self, Access, Index, Rhs, Stmt};
use crate::typed::{Expr, Var};

impl Translation<'_> {
    /// `let x = e` of a variable that something is differentiated by: an array of its own, of all the dimensions of `x`, even where the
    /// same value is there already.
    pub fn bind_apart(&mut self, value: Value, name: &str, own: &mut Vec<Index>) -> Value {
        match value {
            Value::Scalar(sum) => Value::read(self.define_apart(sum, own, name)),
            Value::Tuple(parts) => {
                let part = |(k, v)| self.bind_apart(v, &format!("{name}_{k}"), own);
                Value::Tuple(parts.into_iter().enumerate().map(part).collect())
            }
            Value::Array(formals, body) => {
                let depth = own.len();
                own.extend(formals.iter().map(|f| f.0));
                let body = self.inside(&formals, |t| t.bind_apart(*body, name, own));
                own.truncate(depth);
                Value::Array(formals, Box::new(body))
            }
        }
    }

    fn define_apart(&mut self, sum: Sum, own: &[Index], name: &str) -> Access {
        let known = std::mem::take(&mut self.defined);
        let access = self.define(Rhs::Contract(sum), own, None, name);
        self.defined = known;
        self.unnamed.remove(&access.array);
        access
    }

    /// `S[a(s)]` by `X[c(s), k]`, for all indices `s` around: the sweep is repeated for each of them that one of the two depends on, with
    /// the cotangent `[i = a(s)] 1` of `S[i]`, and gives `X̄[s; i, k]`, of which this is the element `X̄[s; c(s), k]`.
    pub fn gradient(&mut self, y: &Expr, x: Var) -> Value {
        let y = self.scalar(y);
        let y = self.access(y, "y");
        let Some(x) = self.vars.get(&x).cloned() else { return Value::Scalar(vec![]) };
        let mut arrays = vec![];
        x.visit(&mut |a| arrays.push(a.clone()));
        let mut used = Mentioned::default();
        y.at.iter().chain(arrays.iter().flat_map(|a| &a.at)).for_each(|e| used.add(e));
        let around: Set<Index> = self.scope.bounds.iter().map(|b| b.index).collect();
        let (path, used) = self.scope.settle(used.0.intersection(&around).copied().collect(), &[], &self.f);
        let batch: Vec<Bound> =
            self.scope.bounds.iter().filter(|b| used.contains(&b.index)).cloned().collect();
        let extents: Vec<Affine> = batch.iter().map(|b| b.extent.clone()).collect();
        let seed = |b: &[Index], i: &[Index]| {
            let to = batch.iter().zip(b).map(|(s, b)| (s.index, plus(&s.lower, &b.affine())));
            let mut to = Substitute(to.collect::<Map<_, _>>());
            let mut p = rewrite::pred(&path, &mut to);
            p.extend(i.iter().zip(&y.at).map(|(i, a)| Cond::Zero(minus(&i.affine(), &to.affine(a)))));
            p
        };
        let xs: Vec<_> = arrays.iter().map(|a| a.array).collect();
        // Recurrences are taken as such, those before it and those of the sweep.
        let found = ssa::regrouped(self.f.clone(), &self.levels, &self.along);
        self.f = found.unwrap_or_else(|| self.f.clone());
        let stmts: Vec<Stmt> = self.f.stmts.clone();
        let bars = ad::rows(&mut self.f, &stmts, y.array, &xs, &extents, &seed);
        (self.levels, self.along) = ssa::levels(&self.f);
        let of: Map<_, _> = xs.into_iter().zip(bars).collect();
        let at: Vec<Affine> = batch.iter().map(|s| minus(&s.index.affine(), &s.lower)).collect();
        x.map(&|a| Access {
            array: of.get(&a.array).copied().unwrap_or(a.array),
            at: at.iter().chain(&a.at).cloned().collect(),
        })
    }
}
