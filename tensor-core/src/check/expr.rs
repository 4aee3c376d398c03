//! Expressions of values.

use super::affine::is_constant_name;
use super::context::{Binding, Bound, Cx, real};
use super::{names, pred};
use crate::ast::{self, BinaryOp, Elem, Expr, ExprKind};
use crate::error::Span;
use crate::index::Pred;
use crate::prim::{Binary, Prim};
use crate::typed::{self, Type};
use proc_macro2::Ident;

/// A chain of `*` and `/` without its brackets: `None` where only brackets stood.
fn without_brackets<'e>(e: &'e Expr, brackets: &mut Vec<&'e Expr>) -> Option<Expr> {
    let again = |kind| Some(Expr { kind, span: e.span });
    match &e.kind {
        ExprKind::Bracket(items) => match items.as_slice() {
            [p] if pred::is_condition(p) => {
                brackets.push(p);
                None
            }
            _ => Some(e.clone()),
        },
        ExprKind::Neg(a) => {
            let a = without_brackets(a, brackets).unwrap_or_else(|| one(e.span));
            again(ExprKind::Neg(Box::new(a)))
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            match (without_brackets(a, brackets), without_brackets(b, brackets)) {
                (Some(a), Some(b)) => again(ExprKind::Binary(BinaryOp::Mul, Box::new(a), Box::new(b))),
                (a, b) => a.or(b),
            }
        }
        ExprKind::Binary(BinaryOp::Div, a, b) => {
            let a = without_brackets(a, brackets).unwrap_or_else(|| one(e.span));
            again(ExprKind::Binary(BinaryOp::Div, Box::new(a), b.clone()))
        }
        _ => Some(e.clone()),
    }
}

fn one(span: Span) -> Expr {
    Expr { kind: ExprKind::Number { digits: "1".into(), is_integer: true }, span }
}

/// A bracket in the chain of `*` and `/` at `e`, if there is one: of a dividend, or of a divisor (`true`).
fn bracket(e: &Expr) -> Option<(&Expr, bool)> {
    match &e.kind {
        ExprKind::Bracket(items) => match items.as_slice() {
            [p] if pred::is_condition(p) => Some((e, false)),
            _ => None,
        },
        ExprKind::Neg(a) => bracket(a),
        ExprKind::Binary(BinaryOp::Mul, a, b) => match (bracket(a), bracket(b)) {
            (Some((e, true)), _) | (_, Some((e, true))) => Some((e, true)),
            (a, b) => a.or(b),
        },
        ExprKind::Binary(BinaryOp::Div, a, b) => match bracket(b) {
            Some((e, _)) => Some((e, true)),
            None => bracket(a),
        },
        _ => None,
    }
}

impl Cx<'_> {
    /// `e` as a value. What it needs of `argmax` is bound around it.
    pub(super) fn expr(&mut self, e: &Expr) -> Option<typed::Expr> {
        let mark = self.lifted.len();
        match self.unbound(e) {
            Some(value) => Some(self.bind_lifted(mark, value)),
            None => {
                self.lifted.truncate(mark);
                None
            }
        }
    }

    fn unbound(&mut self, e: &Expr) -> Option<typed::Expr> {
        match &e.kind {
            ExprKind::Number { digits, .. } => match digits.parse::<f64>() {
                Ok(x) if x.is_finite() => Some(real(typed::ExprKind::Number(x), e.span)),
                Ok(_) | Err(_) => self.error(e.span, format!("`{digits}` is no number of the type `f64`")),
            },
            ExprKind::Name(n) => self.name(n, e.span),
            ExprKind::Path(p) => {
                Some(real(typed::ExprKind::Constant(p.to_string().replace(' ', "")), e.span))
            }
            ExprKind::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|i| self.expr(i)).collect();
                let items = items.into_iter().collect::<Option<Vec<_>>>()?;
                let ty = Type::Tuple(items.iter().map(|i| i.ty.clone()).collect());
                Some(typed::Expr { kind: typed::ExprKind::Tuple(items), ty, span: e.span })
            }
            ExprKind::Neg(_) | ExprKind::Bracket(_) | ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, ..) => {
                self.product(e)
            }
            ExprKind::Binary(op, a, b) => self.sum(e, *op, a, b),
            ExprKind::Repeat(value, extents) => self.repeat(value, extents, e.span),
            ExprKind::Field(t, k) => self.field(e, t, *k),
            ExprKind::Access(..) => self.access(e),
            ExprKind::Cast(a, to) => self.cast(a, *to, e.span),
            ExprKind::Call(f, args) => self.call(f, &args.iter().collect::<Vec<_>>(), e.span, false),
            ExprKind::Method(receiver, f, args) => {
                let args: Vec<_> = std::iter::once(&**receiver).chain(args).collect();
                self.call(f, &args, e.span, true)
            }
            ExprKind::Gen(l) => self.gen_loop(l, e.span),
            ExprKind::Reduce(op, l) => self.reduce_loop(*op, l, e.span),
            ExprKind::Recurrence(r) => self.recurrence(r, e.span),
            ExprKind::If(p, a, b) => self.choice(e, p, a, b),
            ExprKind::Block(b) => self.body(b),
            ExprKind::Compare(..)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Exists(_) => {
                let text = names::expr(e);
                self.error(e.span, format!("`{text}` is a condition: `[{text}]` is 1 where it holds, else 0"))
            }
        }
    }

    fn name(&mut self, n: &Ident, span: Span) -> Option<typed::Expr> {
        let text = n.to_string();
        match self.lookup(&text) {
            Some(Binding::Value(var, ty)) => {
                Some(typed::Expr { kind: typed::ExprKind::Var(*var), ty: ty.clone(), span })
            }
            Some(Binding::Number(_, var)) => Some(real(typed::ExprKind::Var(*var), span)),
            Some(Binding::Error) => None,
            Some(Binding::Unfinished(..)) => self.error(
                span,
                format!("`{text}` is not finished here: read an element or a row of it, as `{text}[i - 1]`"),
            ),
            Some(Binding::Index(a)) => {
                let what = if super::context::of_sizes(a) { "a size" } else { "an index" };
                let to = names::elem(self.elem);
                self.error(span, format!("`{text}` is {what}: as a real value it is `{text} as {to}`"))
            }
            None if self.known_constant(&text).is_some() => {
                let to = names::elem(self.elem);
                self.error(span, format!("`{text}` is a size: as a real value it is `{text} as {to}`"))
            }
            None if is_constant_name(n) => Some(real(typed::ExprKind::Constant(text), span)),
            None => self.unknown(n),
        }
    }

    /// A chain of `*` and `/`: `a * [p] * b = [p] (a * b)`.
    fn product(&mut self, e: &Expr) -> Option<typed::Expr> {
        match bracket(e) {
            None => {}
            Some((b, true)) => {
                let text = names::expr(b);
                return self.error(
                    b.span,
                    format!(
                        "the bracket `{text}` stands in a divisor, which it would make zero: take it out"
                    ),
                );
            }
            Some((_, false)) => {
                let mut brackets = vec![];
                let rest = without_brackets(e, &mut brackets).unwrap_or_else(|| one(e.span));
                let preds: Vec<_> = brackets.into_iter().map(|p| self.pred(p)).collect();
                let value = self.expr(&rest);
                let p: Vec<Pred> = preds.into_iter().collect::<Option<_>>()?;
                let value = value?;
                let ty = value.ty.clone();
                let kind = typed::ExprKind::Guard(p.concat(), Box::new(value));
                return Some(typed::Expr { kind, ty, span: e.span });
            }
        }
        match &e.kind {
            ExprKind::Bracket(items) => self.tensor_literal(items, e.span),
            ExprKind::Neg(a) => {
                let a = self.expr(a)?;
                let span = e.span;
                Some(self.lift(vec![a], span, &|a| unary(typed::ExprKind::Neg, a, span)))
            }
            ExprKind::Binary(BinaryOp::Div, a, b) => self.quotient(e, a, b),
            ExprKind::Binary(_, a, b) => self.scalar_product(e, a, b),
            _ => None,
        }
    }

    fn scalar_product(&mut self, e: &Expr, a: &Expr, b: &Expr) -> Option<typed::Expr> {
        let (x, y) = (self.expr(a), self.expr(b));
        let (x, y) = (x?, y?);
        let span = e.span;
        let times = |x, y| real(typed::ExprKind::Mul(Box::new(x), Box::new(y)), span);
        match (&x.ty, &y.ty) {
            (Type::Real, Type::Real) => Some(times(x, y)),
            (Type::Real, _) => Some(self.scale(x, y, span, &times)),
            (_, Type::Real) => {
                // The operands are evaluated in order; both are pure, so the order does not show.
                Some(self.scale(y, x, span, &|s, a| times(a, s)))
            }
            _ => {
                let (s, t) = (self.type_text(&x.ty), self.type_text(&y.ty));
                let (a, b) = (names::or(a, "a"), names::or(b, "b"));
                self.error(
                    span,
                    format!(
                        "`*` takes two scalars or a scalar and a tensor, but these are `{s}` and `{t}`: write the product that is meant, \
                         `for i {{ {a}[i] * {b}[i] }}` or `sum i {{ {a}[i] * {b}[i] }}`"
                    ),
                )
            }
        }
    }

    fn quotient(&mut self, e: &Expr, a: &Expr, b: &Expr) -> Option<typed::Expr> {
        let (x, y) = (self.expr(a), self.expr(b));
        let (x, y) = (x?, y?);
        let span = e.span;
        let over = |x, y| real(typed::ExprKind::Prim(Prim::Binary(Binary::Div), vec![x, y]), span);
        match (&x.ty, &y.ty) {
            (Type::Real, Type::Real) => Some(over(x, y)),
            (_, Type::Real) => Some(self.scale(y, x, span, &|s, a| over(a, s))),
            _ => {
                let (text, ty) = (names::expr(b), self.type_text(&y.ty));
                let (a, b_name) = (names::or(a, "a"), names::or(b, "b"));
                let a = if x.ty == Type::Real { a } else { a + "[i]" };
                self.error(
                    b.span,
                    format!(
                        "`{text}` is `{ty}`: a divisor must be a scalar; elementwise it is `for i {{ {a} / {b_name}[i] }}`"
                    ),
                )
            }
        }
    }

    /// `a + b`, `a - b`
    fn sum(&mut self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr) -> Option<typed::Expr> {
        let span = e.span;
        if op == BinaryOp::Rem {
            let text = names::expr(e);
            return self.error(
                span,
                format!(
                    "`%` is for indices only: as a real value, `{text}` is `({text}) as {}`",
                    names::elem(self.elem)
                ),
            );
        }
        let (x, y) = (self.expr(a), self.expr(b));
        let (x, y) = (x?, y?);
        if !self.same_type(&x.ty, &y.ty) {
            let (s, t) = (self.type_text(&x.ty), self.type_text(&y.ty));
            let sign = if op == BinaryOp::Add { '+' } else { '-' };
            let advice = match (&x.ty, &y.ty) {
                (Type::Real, Type::Array(..)) | (Type::Array(..), Type::Real) => {
                    ": write `for i { … }` to do it elementwise".into()
                }
                _ => self.equal_if_types(&x.ty, &y.ty),
            };
            return self.error(
                span,
                format!("`{sign}` takes two values of the same type, but these are `{s}` and `{t}`{advice}"),
            );
        }
        let kind = if op == BinaryOp::Add { typed::ExprKind::Add } else { typed::ExprKind::Sub };
        Some(self.lift(vec![x, y], span, &|mut xs| match (xs.pop(), xs.pop()) {
            (Some(y), Some(x)) => real(kind(Box::new(x), Box::new(y)), span),
            _ => real(typed::ExprKind::Number(0.0), span),
        }))
    }

    /// `[a, b, c]`
    fn tensor_literal(&mut self, items: &[Expr], span: Span) -> Option<typed::Expr> {
        let values: Vec<_> = items.iter().map(|i| self.expr(i)).collect();
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let Some(first) = values.first().map(|v| v.ty.clone()) else {
            return self.error(span, "a literal without elements has no type: write `[0.0; 0]`");
        };
        for (v, item) in values.iter().zip(items) {
            if !self.same_type(&first, &v.ty) {
                let (s, t) = (self.type_text(&first), self.type_text(&v.ty));
                return self.error(
                    item.span,
                    format!(
                        "the elements of a literal must have the same type: this is `{t}`, the first is `{s}`"
                    ),
                );
            }
        }
        self.literal(values, span)
    }

    /// `[e; n, m] = gen k l. e`
    fn repeat(&mut self, value: &Expr, extents: &[Expr], span: Span) -> Option<typed::Expr> {
        let value = self.expr(value);
        let extents: Vec<_> = extents.iter().map(|x| self.extent(x)).collect();
        let extents = extents.into_iter().collect::<Option<Vec<_>>>()?;
        let mut bounds = vec![];
        let value = self.share(value?, "v", &mut bounds);
        let binders = self.walk(&extents, span);
        let all = self.gen_of(binders, vec![], value, span);
        Some(Cx::wrap(bounds, all))
    }

    fn cast(&mut self, a: &Expr, to: Elem, span: Span) -> Option<typed::Expr> {
        if to != self.elem {
            let (to, elem) = (names::elem(to), names::elem(self.elem));
            return self.error(span, format!("`as {to}` in a function of `{elem}`: write `as {elem}`"));
        }
        if self.kind(a) == super::affine::Kind::Real {
            let value = self.expr(a)?;
            let (text, ty) = (names::expr(a), self.type_text(&value.ty));
            return self.error(
                span,
                format!("`{text}` is `{ty}` already: `as` makes a scalar of an index or a size"),
            );
        }
        let a = self.affine(a)?;
        Some(real(typed::ExprKind::OfIndex(a), span))
    }

    fn choice(&mut self, e: &Expr, p: &Expr, a: &ast::Body, b: &ast::Body) -> Option<typed::Expr> {
        let p = self.pred(p);
        let (x, y) = (self.body(a), self.body(b));
        let (p, x, y) = (p?, x?, y?);
        if !self.same_type(&x.ty, &y.ty) {
            let (s, t) = (self.type_text(&x.ty), self.type_text(&y.ty));
            return self.error(
                b.value.span,
                format!("the branches of `if` must have the same type: this is `{t}`, the first is `{s}`"),
            );
        }
        let ty = x.ty.clone();
        Some(typed::Expr { kind: typed::ExprKind::If(p, Box::new(x), Box::new(y)), ty, span: e.span })
    }

    /// `{ lets; value }`
    pub(super) fn body(&mut self, b: &ast::Body) -> Option<typed::Expr> {
        let mark = self.scope.len();
        let mut bounds: Vec<Bound> = vec![];
        let mut ok = true;
        for l in &b.lets {
            ok &= self.bind_let(l, &mut bounds).is_some();
        }
        let value = self.expr(&b.value);
        self.scope.truncate(mark);
        let value = value?;
        ok.then(|| Cx::wrap(bounds, value))
    }
}

/// An operation of one scalar.
pub(super) fn unary(
    f: impl Fn(Box<typed::Expr>) -> typed::ExprKind,
    mut args: Vec<typed::Expr>,
    span: Span,
) -> typed::Expr {
    match args.pop() {
        Some(a) => real(f(Box::new(a)), span),
        None => real(typed::ExprKind::Number(0.0), span),
    }
}
