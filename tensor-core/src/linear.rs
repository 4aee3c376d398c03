//! Whether functions that are transposed are linear: if not, the term to blame.
//!
//! Each part of an expression depends on the variables not at all, linearly, or is zero. A sum takes parts of one kind, a product at most
//! one that is linear; a condition, and a function other than division by what is free, take none.

#[cfg(test)]
mod tests;

use crate::ad::degree::{Degree, degrees};
use crate::error::{Errors, Span};
use crate::index::{Cond, Pred};
use crate::prim::{Binary, Prim};
use crate::sorted::Map;
use crate::ssa;
use crate::typed::{Block, Definition, Expr, ExprKind, Function, Rec, Reduce, Transform, Type, Var};

/// Whether anything is transposed.
#[must_use]
pub fn possible(block: &Block) -> bool {
    let is_transpose =
        |f: &Function| matches!(f.body, Some(Definition::Transform { transform: Transform::Transpose, .. }));
    block.functions.iter().any(is_transpose)
}

/// Reports what is transposed and not linear, given the normal forms. The block has no other errors.
pub fn check(block: &Block, normal: &[Option<ssa::Function>], errors: &mut Errors) {
    for &k in &block.order {
        let f = &block.functions[k];
        let Some(Definition::Transform { transform: Transform::Transpose, of, wrt }) = &f.body else {
            continue;
        };
        let leaves = wrt.concat();
        if let Err(Blame { span, why }) = transposed(block, normal, *of, &leaves) {
            let of = &block.functions[*of];
            let by = params_of(of, &leaves).join("`, `");
            let span = span.unwrap_or_else(|| f.name.span().into());
            let message = format!("`{}` is not linear in `{by}`, as `transpose` needs it: {why}", of.name);
            errors.push(span, message);
        }
    }
}

/// The names of the parameters that have these leaves.
fn params_of(f: &Function, leaves: &[usize]) -> Vec<String> {
    let mut next = 0;
    let mut out = vec![];
    for p in &f.params {
        let end = next + shape(&p.ty, Degree::Free).leaves().len();
        if leaves.iter().any(|l| (next..end).contains(l)) {
            out.push(p.name.to_string());
        }
        next = end;
    }
    out
}

/// What is not linear, and why.
struct Blame {
    span: Option<Span>,
    why: &'static str,
}

/// The degrees of the parts of a value. Of an array: of its elements.
#[derive(Clone, Debug)]
enum Shape {
    Leaf(Degree),
    Tuple(Vec<Shape>),
}

impl Shape {
    fn leaves(&self) -> Vec<Degree> {
        match self {
            Shape::Leaf(d) => vec![*d],
            Shape::Tuple(parts) => parts.iter().flat_map(Shape::leaves).collect(),
        }
    }

    fn map(&self, f: &mut dyn FnMut(Degree) -> Degree) -> Shape {
        match self {
            Shape::Leaf(d) => Shape::Leaf(f(*d)),
            Shape::Tuple(parts) => Shape::Tuple(parts.iter().map(|p| p.map(f)).collect()),
        }
    }

    /// That of a scalar.
    fn degree(&self) -> Degree {
        self.leaves().into_iter().fold(Degree::Zero, Degree::plus)
    }
}

/// A value of this type, all of it of this degree.
fn shape(t: &Type, d: Degree) -> Shape {
    match t {
        Type::Real => Shape::Leaf(d),
        Type::Array(_, el) => shape(el, d),
        Type::Tuple(parts) => Shape::Tuple(parts.iter().map(|p| shape(p, d)).collect()),
        Type::Size => Shape::Tuple(vec![]),
    }
}

fn transposed(
    block: &Block,
    normal: &[Option<ssa::Function>],
    of: usize,
    wrt: &[usize],
) -> Result<(), Blame> {
    let f = &block.functions[of];
    let all: usize = f.params.iter().map(|p| shape(&p.ty, Degree::Free).leaves().len()).sum();
    let degree = |k: usize| if wrt.contains(&k) { Degree::Linear } else { Degree::Free };
    let params: Vec<Degree> = (0..all).map(degree).collect();
    if let Some(Definition::Expr(body)) = &f.body {
        let result = of_body(block, normal, f, body, &params)?;
        if result.leaves().contains(&Degree::Free) {
            let why = "the result has a part that does not depend on it, and is not zero";
            return Err(Blame { span: Some(last(body).span), why });
        }
    }
    let Some(g) = &normal[of] else { return Ok(()) };
    if degrees(g, &params).iter().all(|d| matches!(d, Degree::Zero | Degree::Linear)) {
        Ok(())
    } else {
        Err(Blame { span: None, why: "its derivative depends on it" })
    }
}

/// The value of a body.
fn last(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Let(_, _, rest) => last(rest),
        ExprKind::LetArg(l) => last(&l.rest),
        _ => e,
    }
}

/// The degrees of the result of a body, given those of the leaves of the parameters.
fn of_body(
    block: &Block,
    normal: &[Option<ssa::Function>],
    f: &Function,
    body: &Expr,
    params: &[Degree],
) -> Result<Shape, Blame> {
    let mut walk = Walk { block, normal, f, vars: Map::new() };
    let mut leaves = params.iter().copied();
    for p in &f.params {
        let shape = shape(&p.ty, Degree::Free).map(&mut |d| leaves.next().unwrap_or(d));
        if let Some(var) = p.var {
            walk.vars.insert(var, shape);
        }
    }
    walk.expr(body)
}

struct Walk<'a> {
    block: &'a Block,
    normal: &'a [Option<ssa::Function>],
    f: &'a Function,
    vars: Map<Var, Shape>,
}

fn blame<T>(e: &Expr, why: &'static str) -> Result<T, Blame> {
    Err(Blame { span: Some(e.span), why })
}

impl Walk<'_> {
    fn scalar(&mut self, e: &Expr) -> Result<Degree, Blame> {
        Ok(self.expr(e)?.degree())
    }

    fn free(&mut self, e: &Expr, why: &'static str) -> Result<(), Blame> {
        if self.expr(e)?.leaves().iter().all(|d| d.is_free()) { Ok(()) } else { blame(e, why) }
    }

    fn pred(&mut self, p: &Pred) -> Result<(), Blame> {
        for c in p {
            match c {
                Cond::Opaque { id, .. } => {
                    let Some(c) = self.f.comparisons.get(*id as usize) else { continue };
                    let why = "a condition depends on it";
                    self.free(&c.left, why)?;
                    self.free(&c.right, why)?;
                }
                Cond::Any(ps) => ps.iter().try_for_each(|p| self.pred(p))?,
                Cond::Zero(_) | Cond::NonZero(_) | Cond::NonNeg(_) => {}
                Cond::Residue(..) | Cond::NonResidue(..) => {}
            }
        }
        Ok(())
    }

    /// `a + b`, or one of the two.
    fn sum(&mut self, a: &Expr, b: &Expr) -> Result<Shape, Blame> {
        let (x, y) = (self.expr(a)?, self.expr(b)?);
        let mut other = y.leaves().into_iter();
        let mut mistake = None;
        let sum = x.map(&mut |d| {
            let e = other.next().unwrap_or(Degree::Zero);
            match (d, e) {
                (Degree::Linear, Degree::Free) => mistake = Some(b),
                (Degree::Free, Degree::Linear) => mistake = Some(a),
                _ => {}
            }
            d.plus(e)
        });
        match mistake {
            Some(e) => blame(last(e), "this term does not depend on it, and is not zero"),
            None => Ok(sum),
        }
    }

    fn expr(&mut self, e: &Expr) -> Result<Shape, Blame> {
        Ok(match &e.kind {
            ExprKind::Var(v) => self.vars.get(v).cloned().unwrap_or_else(|| shape(&e.ty, Degree::Free)),
            ExprKind::Number(0.0) => Shape::Leaf(Degree::Zero),
            ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::OfIndex(_) => Shape::Leaf(Degree::Free),
            ExprKind::Neg(a) | ExprKind::Access(a, _) => self.expr(a)?,
            ExprKind::Add(a, b) | ExprKind::Sub(a, b) => self.sum(a, b)?,
            ExprKind::Mul(a, b) => match self.scalar(a)?.times(self.scalar(b)?) {
                Degree::Other => return blame(e, "both factors of this product depend on it"),
                d => Shape::Leaf(d),
            },
            ExprKind::Prim(prim, args) => self.prim(e, prim, args)?,
            ExprKind::Tuple(parts) => {
                Shape::Tuple(parts.iter().map(|p| self.expr(p)).collect::<Result<_, _>>()?)
            }
            ExprKind::Field(a, k) => match self.expr(a)? {
                Shape::Tuple(mut parts) if *k < parts.len() => parts.swap_remove(*k),
                other => other,
            },
            ExprKind::Gen(_, p, a) | ExprKind::Guard(p, a) | ExprKind::Reduce(Reduce::Sum, _, p, a) => {
                self.pred(p)?;
                self.expr(a)?
            }
            ExprKind::Reduce(Reduce::Max | Reduce::Min | Reduce::LogSumExp, _, p, a) => {
                self.pred(p)?;
                self.free(a, "this is reduced otherwise than by `sum`")?;
                Shape::Leaf(Degree::Free)
            }
            ExprKind::If(p, a, b) => {
                self.pred(p)?;
                self.sum(a, b)?
            }
            ExprKind::Let(var, value, rest) => {
                let value = self.expr(value)?;
                self.vars.insert(*var, value);
                self.expr(rest)?
            }
            ExprKind::LetArg(l) => {
                self.pred(&l.guard)?;
                self.free(&l.value, "the place of an extreme depends on it")?;
                self.expr(&l.rest)?
            }
            ExprKind::Rec(r) => self.rec(r)?,
            ExprKind::Grad(a, x) => self.grad(e, a, *x)?,
            ExprKind::Outer(o) => {
                let why = "a function of what depends on it is not linear";
                o.args.iter().try_for_each(|a| self.free(a, why))?;
                Shape::Leaf(Degree::Free)
            }
            ExprKind::Ruled(r) => self.expr(&r.value)?,
            ExprKind::Call(k, _, args) => self.call(e, *k, args)?,
        })
    }

    /// What reads itself: from zero upwards, to a fixpoint.
    fn rec(&mut self, r: &Rec) -> Result<Shape, Blame> {
        let mut found: Vec<Shape> = r.elements().iter().map(|ty| shape(ty, Degree::Zero)).collect();
        loop {
            self.vars.extend(r.vars.iter().copied().zip(found.iter().cloned()));
            self.pred(&r.guard)?;
            let element = self.expr(&r.body)?;
            let next = match (&element, r.vars.as_slice()) {
                (Shape::Tuple(parts), [_, _, ..]) => parts.clone(),
                (element, _) => vec![element.clone()],
            };
            let degrees = |all: &[Shape]| all.iter().flat_map(Shape::leaves).collect::<Vec<_>>();
            if degrees(&next) == degrees(&found) {
                return Ok(element);
            }
            found = next;
        }
    }

    fn prim(&mut self, e: &Expr, prim: &Prim, args: &[Expr]) -> Result<Shape, Blame> {
        let why = match prim {
            Prim::Binary(Binary::Div) => {
                if let [a, b] = args {
                    self.free(b, "a divisor depends on it")?;
                    return self.expr(a);
                }
                "a divisor depends on it"
            }
            Prim::Powi(k) if k.is_constant() && k.constant == 1 => {
                if let [a] = args {
                    return self.expr(a);
                }
                "a function of what depends on it"
            }
            Prim::Stop => "`stop` has no derivative, so no transpose",
            _ => "a function of what depends on it is not linear",
        };
        for a in args {
            if !self.expr(a)?.leaves().iter().all(|d| d.is_free()) {
                return blame(e, why);
            }
        }
        Ok(Shape::Leaf(Degree::Free))
    }

    /// By what is free the derivative is linear where the value is; of a linear value by what is linear it is free.
    fn grad(&mut self, e: &Expr, y: &Expr, x: Var) -> Result<Shape, Blame> {
        let y = self.scalar(y)?;
        let of_x = self.vars.get(&x).map_or(vec![], Shape::leaves);
        let d = if of_x.iter().all(|d| d.is_free()) {
            y
        } else if y == Degree::Linear {
            Degree::Free
        } else {
            Degree::Zero
        };
        Ok(shape(&e.ty, d))
    }

    fn call(&mut self, e: &Expr, k: usize, args: &[Expr]) -> Result<Shape, Blame> {
        let mut params = vec![];
        for a in args {
            params.extend(self.expr(a)?.leaves());
        }
        let f = &self.block.functions[k];
        match (&f.body, &self.normal[k]) {
            (Some(Definition::Expr(body)), _) => of_body(self.block, self.normal, f, body, &params),
            (Some(Definition::Transform { .. } | Definition::Foreign(_)), Some(g)) => {
                let mut found = degrees(g, &params).into_iter();
                let result = shape(&e.ty, Degree::Free).map(&mut |d| found.next().unwrap_or(d));
                if result.leaves().contains(&Degree::Other) {
                    let why = if matches!(f.body, Some(Definition::Foreign(_))) {
                        "a function of Rust is linear if its `extern fn` has a `transpose`, and then in all arguments together that this names"
                    } else {
                        "the function called is not linear in it"
                    };
                    return blame(e, why);
                }
                Ok(result)
            }
            (Some(Definition::Transform { .. } | Definition::Foreign(_)), None) | (None, _) => {
                Ok(shape(&e.ty, Degree::Zero))
            }
        }
    }
}
