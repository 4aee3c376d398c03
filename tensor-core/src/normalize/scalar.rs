//! Expressions to values.

use super::Translation;
use super::rewrite::{fits, minus};
use super::value::{Sum, Value, as_literal, monomial, scale};
use crate::index::pred::{any, complement};
use crate::index::{Affine, Pred};
use crate::prim::{Binary, Prim};
use crate::ssa::{Access, Index, Rhs};
use crate::typed::{Binder, Expr, ExprKind};

impl Translation<'_> {
    /// What an expression denotes; of an array, if `at` is given, only that element, and then only that is computed:
    /// `(gen i. e)[a] → e{i := a}` (Figure 9).
    pub fn expr(&mut self, e: &Expr, at: Option<&[Affine]>) -> Value {
        match &e.kind {
            ExprKind::Var(v) => self.element(self.vars.get(v).cloned(), at),
            ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::OfIndex(_)
            | ExprKind::Neg(_)
            | ExprKind::Add(..)
            | ExprKind::Sub(..)
            | ExprKind::Mul(..)
            | ExprKind::Prim(..)
            | ExprKind::Reduce(..) => Value::Scalar(self.scalar(e)),
            ExprKind::Tuple(parts) => Value::Tuple(parts.iter().map(|p| self.expr(p, None)).collect()),
            ExprKind::Field(t, k) => {
                let part = self.known(e).cloned().unwrap_or_else(|| self.expr(t, None).field(*k));
                self.element(Some(part), at)
            }
            ExprKind::Gen(binders, p, body) => self.generate(binders, p, body, at),
            ExprKind::Access(array, indices) => {
                let inner: Vec<Affine> = indices.iter().map(|i| self.affine(&i.index)).collect();
                self.expr(array, Some(&inner))
            }
            ExprKind::Guard(p, body) => {
                let p = self.pred(p);
                self.under(&p, |t| t.expr(body, at)).guarded(&p, &self.thresholds)
            }
            ExprKind::If(p, a, b) => self.choose(p, a, b, at),
            ExprKind::Let(var, value, rest) => {
                let name = self.typed.variables.get(var.0 as usize).map_or("t", |s| s).to_string();
                let first = self.f.arrays.len();
                let value = self.expr(value, None);
                let value = match self.differentiated.contains(var) {
                    true => self.bind_apart(value, &name, &mut vec![]),
                    false => self.bind(value, &name),
                };
                if self.typed.recomputed.contains(var) {
                    self.f.arrays[first..].iter_mut().for_each(|a| a.recompute = true);
                }
                self.vars.insert(*var, value);
                self.expr(rest, at)
            }
            ExprKind::LetArg(l) => {
                self.let_arg(l);
                self.expr(&l.rest, at)
            }
            ExprKind::Rec(r) => {
                let value = self.rec(r, &e.ty);
                self.element(Some(value), at)
            }
            ExprKind::Outer(o) => Value::Scalar(self.outer(o)),
            ExprKind::Ruled(r) => {
                let value = self.ruled(r);
                self.element(Some(value), at)
            }
            ExprKind::Grad(y, x) => {
                let value = self.gradient(y, *x);
                self.element(Some(value), at)
            }
            ExprKind::Call(k, sizes, args) => {
                let value = self.call(*k, sizes, args, &e.ty, e.span);
                self.element(Some(value), at)
            }
        }
    }

    /// A variable, or a part of one that is a tuple.
    fn known(&self, e: &Expr) -> Option<&Value> {
        match &e.kind {
            ExprKind::Var(v) => self.vars.get(v),
            ExprKind::Field(t, k) => match self.known(t)? {
                Value::Tuple(parts) => parts.get(*k),
                Value::Scalar(_) | Value::Array(..) => None,
            },
            _ => None,
        }
    }

    fn element(&self, value: Option<Value>, at: Option<&[Affine]>) -> Value {
        let value = value.unwrap_or(Value::Scalar(vec![]));
        match at {
            Some(at) => value.at(at),
            None => value,
        }
    }

    /// `gen i in l..u if p. e → gen i' < u - l. [p] e{i := l + i'}`
    fn generate(&mut self, binders: &[Binder], p: &Pred, body: &Expr, at: Option<&[Affine]>) -> Value {
        let mut formals: Vec<(Index, Affine)> = vec![];
        for (k, b) in binders.iter().enumerate() {
            let (lower, upper) = (self.affine(&b.lower), self.affine(&b.upper));
            let element = match at {
                Some(at) => at[k].clone(),
                None => {
                    let index = self.f.new_index(self.index_name(b));
                    formals.push((index, minus(&upper, &lower)));
                    index.affine()
                }
            };
            self.indices.insert(b.index, fits(lower.plus_scaled(1, &element)));
        }
        let value = self.inside(&formals, |t| {
            let p = t.pred(p);
            t.under(&p, |t| t.expr(body, None)).guarded(&p, &t.thresholds)
        });
        if formals.is_empty() { value } else { Value::Array(formals, Box::new(value)) }
    }

    /// The name of an index of the program.
    pub fn index_name(&self, b: &Binder) -> String {
        self.typed.indices.get(b.index as usize).map_or("i", |s| s).to_string()
    }

    /// `if p { a } else { b } → [p] a + [¬p] b`
    fn choose(&mut self, p: &Pred, a: &Expr, b: &Expr, at: Option<&[Affine]>) -> Value {
        let p = self.pred(p);
        let not = vec![any(complement(&p))];
        let a = self.under(&p, |t| t.expr(a, at)).guarded(&p, &self.thresholds);
        let b = self.under(&not, |t| t.expr(b, at)).guarded(&not, &self.thresholds);
        a.plus(b)
    }

    /// The terms of a scalar.
    pub fn scalar(&mut self, e: &Expr) -> Sum {
        match &e.kind {
            ExprKind::Number(c) => vec![monomial(vec![], *c, vec![])],
            ExprKind::Constant(path) => {
                self.read(Rhs::Constant(path.clone()), path.rsplit(':').next().unwrap_or("c"))
            }
            ExprKind::OfIndex(a) => self.of_index(a),
            ExprKind::Neg(a) => scale(self.scalar(a), -1.0),
            ExprKind::Add(a, b) => {
                let mut sum = self.scalar(a);
                sum.extend(self.scalar(b));
                sum
            }
            ExprKind::Sub(a, b) => {
                let mut sum = self.scalar(a);
                sum.extend(scale(self.scalar(b), -1.0));
                sum
            }
            ExprKind::Mul(..) => self.product(e),
            ExprKind::Prim(f, args) => self.prim(f, args),
            ExprKind::Reduce(op, binders, p, body) => self.reduce(*op, binders, p, body),
            ExprKind::Var(_)
            | ExprKind::Tuple(_)
            | ExprKind::Field(..)
            | ExprKind::Gen(..)
            | ExprKind::Access(..)
            | ExprKind::Guard(..)
            | ExprKind::If(..)
            | ExprKind::Let(..)
            | ExprKind::LetArg(_)
            | ExprKind::Rec(_)
            | ExprKind::Grad(..)
            | ExprKind::Outer(_)
            | ExprKind::Ruled(_)
            | ExprKind::Call(..) => self.expr(e, None).scalar(),
        }
    }

    /// A new statement, read at the indices of the scope.
    fn read(&mut self, rhs: Rhs, name: &str) -> Sum {
        Value::read(self.define(rhs, &[], None, name)).scalar()
    }

    fn of_index(&mut self, a: &Affine) -> Sum {
        let a = self.affine(a);
        if !a.is_constant() {
            return self.read(Rhs::OfIndex(a), "number");
        }
        let value = a.constant as f64;
        vec![monomial(vec![], value, vec![])]
    }

    /// `f(a, …)`, evaluated on the path alone; powers up to 2 and division by a power of two are products.
    fn prim(&mut self, f: &Prim, args: &[Expr]) -> Sum {
        let mut sums: Vec<Sum> = args.iter().map(|a| self.scalar(a)).collect();
        if let (Prim::Powi(k), [_]) = (f, args) {
            let k = self.affine(k);
            let x = sums.pop().unwrap_or_default();
            return match (k.is_constant(), k.constant) {
                (true, 0) => vec![monomial(vec![], 1.0, vec![])],
                (true, 1) => x,
                (true, 2) => self.square(x),
                _ => self.apply(Prim::Powi(k), vec![x]),
            };
        }
        if let (Prim::Binary(Binary::Div), [x, y]) = (f, sums.as_slice())
            && let Some(c) = as_literal(y)
            && is_power_of_two(c)
        {
            return self.times(1.0 / c, x.clone());
        }
        self.apply(f.clone(), sums)
    }

    fn apply(&mut self, f: Prim, args: Vec<Sum>) -> Sum {
        let args: Vec<Access> = args.into_iter().map(|a| self.access(a, "t")).collect();
        let name = self.name_of(&f, &args);
        self.read(Rhs::Prim { guard: vec![], prim: f, args }, &name)
    }

    /// `f(x, …)` of elements.
    pub fn apply_to(&mut self, f: Prim, args: Vec<Access>) -> Access {
        let name = self.name_of(&f, &args);
        self.define(Rhs::Prim { guard: vec![], prim: f, args }, &[], None, &name)
    }

    fn name_of(&self, f: &Prim, args: &[Access]) -> String {
        f.name_of(args.first().map_or("", |a| &self.f.array(a.array).name))
    }
}

/// `x / c = x · (1 / c)`, exactly.
fn is_power_of_two(c: f64) -> bool {
    c.is_normal() && (1.0 / c).is_normal() && c.to_bits().trailing_zeros() >= 52
}
