//! The typed language, expression by expression.

mod rec;
mod value;

use super::index::{Point, affine, affines, pred};
use super::scalar::{constant, cost, prim, real};
use super::ssa::{TOO_LONG, first_extreme};
use super::{Cost, Error, Tensor};
use crate::index::{Affine, Atom, Cond};
use crate::prim::{Outer, Prim};
use crate::sorted::Map;
use crate::ssa::Extreme;
use crate::typed::{Binder, Block, Definition, Expr, ExprKind, Function, Reduce, Type, Var};
use crate::weights;
use value::Value;

/// How transforms, and functions with `grad(e, x)` in their bodies, are evaluated: by the number of the function, its sizes and the leaves of its arguments.
pub type Transforms<'a> = &'a dyn Fn(usize, &[i64], &[Tensor]) -> Result<(Vec<Tensor>, Cost), Error>;

/// The leaves of the result of `block.functions[k]`, and what they cost. `args` are the real leaves of the arguments.
///
/// # Errors
/// An argument has the wrong shape, something is read out of range, or a transform is called.
pub fn run(block: &Block, k: usize, sizes: &[i64], args: &[Tensor]) -> Result<(Vec<Tensor>, Cost), Error> {
    run_with(block, k, sizes, args, &|k, _, _| Err(format!("function {k} is a transform")))
}

/// The same with transforms.
///
/// # Errors
/// As [`run`], and those of `transforms`.
pub fn run_with(
    block: &Block,
    k: usize,
    sizes: &[i64],
    args: &[Tensor],
    transforms: Transforms,
) -> Result<(Vec<Tensor>, Cost), Error> {
    run_with_zero(block, k, sizes, args, transforms, (0.0, weights::verify::VISITS))
}

/// The same, where what is left out by a bracket is this zero: whoever gets another value by that of the other sign divides by what is not there. It gives
/// up after so many iterations.
///
/// # Errors
/// As [`run_with`].
pub fn run_with_zero(
    block: &Block,
    k: usize,
    sizes: &[i64],
    args: &[Tensor],
    transforms: Transforms,
    (zero, visits): (f64, u64),
) -> Result<(Vec<Tensor>, Cost), Error> {
    let f = &block.functions[k];
    let body = match &f.body {
        Some(Definition::Expr(body)) if !f.differentiated(body).is_empty() => {
            return transforms(k, sizes, args);
        }
        Some(Definition::Expr(body)) => body,
        Some(Definition::Transform { .. }) => return transforms(k, sizes, args),
        Some(Definition::Foreign(k)) => return foreign(block, f, *k, sizes, args),
        None => return Err(format!("{} has no body", f.name)),
    };
    let mut m = Machine {
        block,
        transforms,
        zero,
        visits,
        f,
        sizes,
        indices: Map::new(),
        vars: Map::new(),
        elements: Map::new(),
        visited: 0,
        cost: 0,
    };
    let mut next = 0;
    for p in &f.params {
        m.check_shapes(&p.ty, &[], args, &mut next)?;
    }
    if next != args.len() {
        return Err(format!("{} arguments for {next}", args.len()));
    }
    next = 0;
    for p in &f.params {
        let value = m.assemble(&p.ty, args, &mut next, &[])?;
        if let Some(var) = p.var {
            m.vars.insert(var, value);
        }
    }
    let value = m.expr(body)?;
    let leaves = m.leaves(&body.ty, &value)?;
    Ok((leaves, m.cost))
}

/// A call of a Rust function over tensors.
fn foreign(
    block: &Block,
    f: &Function,
    k: usize,
    sizes: &[i64],
    args: &[Tensor],
) -> Result<(Vec<Tensor>, Cost), Error> {
    let normal = crate::normalize::foreign(f, k, &block.callees);
    super::ssa::run(&normal, sizes, args)
}

struct Machine<'a> {
    block: &'a Block,
    transforms: Transforms<'a>,
    /// What is where nothing is.
    zero: f64,
    f: &'a Function,
    sizes: &'a [i64],
    indices: Map<u32, i64>,
    vars: Map<Var, Value>,
    elements: Map<u32, i64>,
    /// Iterations so far.
    visited: u64,
    /// How many iterations it may visit.
    visits: u64,
    cost: Cost,
}

impl Point for Machine<'_> {
    fn atom(&mut self, t: &Atom) -> Result<Option<i64>, Error> {
        match t {
            Atom::Size(k) => Ok(Some(*self.sizes.get(*k as usize).ok_or("an unknown size")?)),
            Atom::Index(i) => Ok(self.indices.get(i).copied()),
            Atom::Element(id, _) => Ok(self.elements.get(id).copied()),
            Atom::Floor(..) | Atom::Product(_) => Err("not an atom of a point".into()),
        }
    }
    fn opaque(&mut self, id: u32, _: &[Affine]) -> Result<bool, Error> {
        let c = self.f.comparisons.get(id as usize).ok_or("an unknown comparison")?;
        let (l, r) = (self.scalar(&c.left)?.0, self.scalar(&c.right)?.0);
        Ok(c.op.of(l, r))
    }
}

impl Machine<'_> {
    fn expr(&mut self, e: &Expr) -> Result<Value, Error> {
        match &e.kind {
            ExprKind::Var(v) => self.vars.get(v).cloned().ok_or_else(|| "an unbound variable".into()),
            ExprKind::Tuple(parts) => {
                Ok(Value::Tuple(parts.iter().map(|p| self.expr(p)).collect::<Result<_, _>>()?))
            }
            ExprKind::Field(t, k) => match self.expr(t)? {
                Value::Tuple(mut parts) if *k < parts.len() => Ok(parts.swap_remove(*k)),
                other => Err(format!("no field {k} in {other:?}")),
            },
            ExprKind::Gen(binders, p, body) => self.generate(binders, p, body),
            ExprKind::Access(array, indices) => {
                let forms: Vec<Affine> = indices.iter().map(|i| i.index.clone()).collect();
                let at = affines(self, &forms)?;
                match &array.kind {
                    ExprKind::Var(v) => self.vars.get(v).ok_or("an unbound variable")?.element(&at),
                    _ => self.expr(array)?.element(&at),
                }
            }
            ExprKind::Guard(p, body) if e.ty != Type::Real => {
                if pred(self, p)? {
                    self.expr(body)
                } else {
                    self.nothing(&e.ty)
                }
            }
            ExprKind::If(p, a, b) if e.ty != Type::Real => {
                if pred(self, p)? {
                    self.expr(a)
                } else {
                    self.expr(b)
                }
            }
            ExprKind::Let(..) | ExprKind::LetArg(_) if e.ty != Type::Real => {
                let rest = self.bind(e)?;
                self.expr(rest)
            }
            ExprKind::Call(k, sizes, args) => self.call(*k, sizes, args, &e.ty),
            ExprKind::Rec(r) => self.rec(r),
            ExprKind::Grad(..) => Err("a derivative in an expression".into()),
            ExprKind::Ruled(r) => self.expr(&r.value),
            ExprKind::Outer(_) => Ok(Value::Real(self.scalar(e)?.0)),
            ExprKind::Number(_)
            | ExprKind::Constant(_)
            | ExprKind::OfIndex(_)
            | ExprKind::Neg(_)
            | ExprKind::Add(..)
            | ExprKind::Sub(..)
            | ExprKind::Mul(..)
            | ExprKind::Prim(..)
            | ExprKind::Reduce(..)
            | ExprKind::Guard(..)
            | ExprKind::If(..)
            | ExprKind::Let(..)
            | ExprKind::LetArg(_) => Ok(Value::Real(self.scalar(e)?.0)),
        }
    }

    /// The value of a scalar, and whether it is live: a sum of what is not live costs no addition.
    fn scalar(&mut self, e: &Expr) -> Result<(f64, bool), Error> {
        let value = match &e.kind {
            ExprKind::Number(c) => *c,
            ExprKind::Constant(path) => {
                constant(path).ok_or_else(|| format!("`{path}` has no value here"))?
            }
            ExprKind::OfIndex(a) => real(affine(self, a)?),
            // A zero that is written has no sign.
            ExprKind::Neg(a) if matches!(a.kind, ExprKind::Number(c) if c == 0.0) => 0.0,
            ExprKind::Neg(a) => return self.scalar(a).map(|(v, live)| (-v, live)),
            ExprKind::Add(a, b) => return self.add(a, b, 1.0),
            ExprKind::Sub(a, b) => return self.add(a, b, -1.0),
            ExprKind::Mul(a, b) => {
                let product = self.scalar(a)?.0 * self.scalar(b)?.0;
                self.cost += 1;
                product
            }
            ExprKind::Prim(f, args) => {
                let values = args.iter().map(|a| Ok(self.scalar(a)?.0)).collect::<Result<Vec<_>, Error>>()?;
                self.cost += cost(f, args.len());
                prim(f, &values, &mut |a| affine(self, a))?
            }
            ExprKind::Outer(o) => {
                let values =
                    o.args.iter().map(|a| Ok(self.scalar(a)?.0)).collect::<Result<Vec<_>, Error>>()?;
                let f = Prim::Outer(Outer::Rust(o.path.clone()));
                self.cost += cost(&f, values.len());
                prim(&f, &values, &mut |a| affine(self, a))?
            }
            ExprKind::Reduce(op, binders, p, body) => return self.reduce(*op, binders, p, body),
            ExprKind::Guard(p, body) => {
                return if pred(self, p)? { self.scalar(body) } else { Ok((self.zero, false)) };
            }
            ExprKind::If(p, a, b) => return if pred(self, p)? { self.scalar(a) } else { self.scalar(b) },
            ExprKind::Let(..) | ExprKind::LetArg(_) => {
                let rest = self.bind(e)?;
                return self.scalar(rest);
            }
            ExprKind::Var(_)
            | ExprKind::Tuple(_)
            | ExprKind::Field(..)
            | ExprKind::Gen(..)
            | ExprKind::Access(..)
            | ExprKind::Rec(_)
            | ExprKind::Grad(..)
            | ExprKind::Ruled(_)
            | ExprKind::Call(..) => match self.expr(e)? {
                Value::Real(x) => x,
                other => return Err(format!("not a scalar: {other:?}")),
            },
        };
        Ok((value, true))
    }

    /// `[p] a + [q] b` adds where `p ∧ q`.
    fn add(&mut self, a: &Expr, b: &Expr, sign: f64) -> Result<(f64, bool), Error> {
        let ((x, p), (y, q)) = (self.scalar(a)?, self.scalar(b)?);
        self.cost += Cost::from(p && q);
        let value = match (p, q) {
            (true, true) => x + sign * y,
            (true, false) => x,
            (false, true) => sign * y,
            (false, false) => self.zero,
        };
        Ok((value, p || q))
    }

    /// Binds a `let`, and returns where it is in scope.
    fn bind<'e>(&mut self, e: &'e Expr) -> Result<&'e Expr, Error> {
        match &e.kind {
            ExprKind::Let(var, value, rest) => {
                let value = self.expr(value)?;
                self.vars.insert(*var, value);
                Ok(rest)
            }
            ExprKind::LetArg(l) => {
                let mut all = vec![];
                self.each(std::slice::from_ref(&l.binder), &l.guard, &mut |m| {
                    let i = affine(m, &Atom::Index(l.binder.index).into())?;
                    all.push((i, m.scalar(&l.value)?.0));
                    Ok(())
                })?;
                self.cost += (all.len() as Cost).saturating_sub(1);
                let op = if l.is_max { Extreme::Max } else { Extreme::Min };
                let none = if l.may_be_empty { Some(affine(self, &l.binder.lower)? - 1) } else { None };
                let first = first_extreme(op, &all).or(none).ok_or("an argmax of nothing")?;
                self.elements.insert(l.element, first);
                Ok(&l.rest)
            }
            _ => Ok(e),
        }
    }

    /// Every value of the binders for which the predicate holds. How many numbers are folded if those of each binder are folded to one, also where it has
    /// none.
    fn each(
        &mut self,
        binders: &[Binder],
        p: &[Cond],
        visit: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<Cost, Error> {
        let Some((b, rest)) = binders.split_first() else {
            let holds = pred(self, p)?;
            if holds {
                visit(self)?;
            }
            return Ok(Cost::from(holds));
        };
        let mut folded = 0;
        for i in affine(self, &b.lower)?..affine(self, &b.upper)? {
            self.indices.insert(b.index, i);
            self.visited += 1;
            if self.visited > self.visits {
                return Err(TOO_LONG.into());
            }
            let inner = self.each(rest, p, visit)?;
            folded += if rest.is_empty() { inner } else { inner.max(1) };
        }
        Ok(folded)
    }

    fn generate(&mut self, binders: &[Binder], p: &[Cond], body: &Expr) -> Result<Value, Error> {
        let mut shape = vec![];
        for b in binders {
            let n = affine(self, &b.upper)? - affine(self, &b.lower)?;
            shape.push(usize::try_from(n).map_err(|_| format!("a `for` over {n} elements"))?);
        }
        let mut data = vec![];
        self.each(binders, &[], &mut |m| {
            data.push(if pred(m, p)? { m.expr(body)? } else { m.nothing(&body.ty)? });
            Ok(())
        })?;
        Ok(Value::Array(shape, data))
    }

    fn reduce(
        &mut self,
        op: Reduce,
        binders: &[Binder],
        p: &[Cond],
        body: &Expr,
    ) -> Result<(f64, bool), Error> {
        let mut all = vec![];
        let folded = self.each(binders, p, &mut |m| {
            all.push(m.scalar(body)?);
            Ok(())
        })?;
        let live = all.iter().filter(|x| x.1).count() as Cost;
        let count = all.len() as Cost;
        let values = || all.iter().map(|x| x.0);
        Ok(match op {
            Reduce::Sum => {
                self.cost += live.saturating_sub(1);
                let sum = all.iter().filter(|x| x.1).map(|x| x.0).reduce(|a, b| a + b);
                (sum.unwrap_or(self.zero), live > 0)
            }
            Reduce::Max => {
                self.cost += folded.saturating_sub(1);
                (values().fold(f64::NEG_INFINITY, f64::max), true)
            }
            Reduce::Min => {
                self.cost += folded.saturating_sub(1);
                (values().fold(f64::INFINITY, f64::min), true)
            }
            Reduce::LogSumExp => {
                // Comparisons and additions, one less than values; a difference and an `exp` for each; `ln`, and the shift.
                self.cost += 2 * folded.saturating_sub(1) + 2 * count + 2;
                let max = values().fold(f64::NEG_INFINITY, f64::max);
                let shift = if max.is_finite() { max } else { 0.0 };
                let sum: f64 = values().map(|x| (x - shift).exp()).sum();
                (sum.ln() + shift, true)
            }
        })
    }

    fn call(&mut self, k: usize, sizes: &[Affine], args: &[Expr], ty: &Type) -> Result<Value, Error> {
        let sizes = affines(self, sizes)?;
        let mut leaves = vec![];
        for a in args {
            let value = self.expr(a)?;
            leaves.extend(self.leaves(&a.ty, &value)?);
        }
        let (results, cost) =
            run_with_zero(self.block, k, &sizes, &leaves, self.transforms, (self.zero, self.visits))?;
        self.cost += cost;
        self.assemble(ty, &results, &mut 0, &[])
    }
}
