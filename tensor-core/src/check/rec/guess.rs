//! What type an element of a `rec` has, before its body is checked: the first branch, or operand, that tells; else it is a number. Ranges that are
//! left out follow on the way from what does not read the tensor itself.
//!
//! Invariant: guessing leaves no trace but in the ranges of indices around, says nothing, and looks at each part of a body once: what is bound by a
//!   `rec` within it is guessed, not checked.

use super::super::affine::Kind;
use super::super::context::{Binding, Cx};
use super::super::lets::pattern_names;
use super::super::pred;
use super::super::vector::gen_type;
use super::named::leaves;
use crate::ast::{BinaryOp, Body, Expr, ExprKind, Form, Let, Loop, Pattern, Recurrence, ReduceOp, TypeKind};
use crate::index::Affine;
use crate::typed::{Binder, Type};

/// What is known of what a `rec` gives.
pub(super) struct Guess {
    /// Its dimensions by the indices.
    pub extents: Option<Vec<Affine>>,
    /// The type, in the shape of the pattern.
    pub whole: Option<Type>,
}

impl Guess {
    /// The types of the names of the pattern.
    pub fn parts(&self, p: &Pattern) -> Option<Vec<Type>> {
        let mut out = vec![];
        leaves(p, self.whole.as_ref()?, &mut out)?;
        Some(out)
    }
}

/// What the names of a pattern stand for, by the type of an element.
fn by_pattern(p: &Pattern, extents: &[Affine], element: &Type) -> Option<Type> {
    match (p, element) {
        (Pattern::Name(_), _) => Some(gen_type(extents.to_vec(), element)),
        (Pattern::Tuple(parts, _), Type::Tuple(types)) if parts.len() == types.len() => {
            let all = parts.iter().zip(types).map(|(p, t)| by_pattern(p, extents, t));
            Some(Type::Tuple(all.collect::<Option<_>>()?))
        }
        (Pattern::Tuple(..), _) => None,
    }
}

/// The first dimensions of a type that is written.
fn written(ty: &Type, indices: usize) -> Option<Vec<Affine>> {
    match ty {
        Type::Array(extents, _) => extents.get(..indices).map(<[Affine]>::to_vec),
        Type::Tuple(parts) => written(parts.first()?, indices),
        Type::Real | Type::Size => None,
    }
}

impl Cx<'_> {
    /// What a `rec` gives, by the type that is written of it, or by its body.
    pub(super) fn guess_rec(&mut self, p: &Pattern, r: &Recurrence, given: Option<&Type>) -> Guess {
        if let Some(ty) = given {
            return Guess { extents: written(ty, r.steps.binders.len()), whole: Some(ty.clone()) };
        }
        let (extents, element) = self.without_trace(|cx| {
            let opened = cx.open(&r.steps, Some("rec"));
            let indices = cx.scope.split_off(opened.mark);
            cx.bind_nothing(p);
            cx.scope.extend(indices);
            cx.guess_condition(&r.steps);
            let element = cx.guess_body(&r.steps.body).unwrap_or(Type::Real);
            let binders = cx.close(&opened, true);
            let extent = |b: &Binder| b.upper.minus(&b.lower);
            (binders.and_then(|all| all.iter().map(extent).collect::<Option<Vec<_>>>()), element)
        });
        let whole = extents.as_ref().and_then(|extents| by_pattern(p, extents, &element));
        Guess { extents, whole }
    }

    /// The result of `f`, of which the check keeps nothing.
    fn without_trace<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (indices, variables, comparisons) =
            (self.indices.len(), self.variables.len(), self.comparisons.len());
        let (elements, lifted, calls, scope) =
            (self.elements.len(), self.lifted.len(), self.calls.len(), self.scope.len());
        let recomputed = self.recomputed.clone();
        let guessing = std::mem::replace(&mut self.guessing, true);
        let out = self.quietly(f);
        self.guessing = guessing;
        self.indices.truncate(indices);
        self.variables.truncate(variables);
        self.comparisons.truncate(comparisons);
        self.elements.truncate(elements);
        self.element_names.truncate(elements);
        self.lifted.truncate(lifted);
        self.calls.truncate(calls);
        self.scope.truncate(scope);
        self.recomputed = recomputed;
        out
    }

    fn guess_condition(&mut self, l: &Loop) {
        let mark = self.lifted.len();
        if let Some(p) = &l.guard {
            self.pred(p);
        }
        self.lifted.truncate(mark);
    }

    fn guess_body(&mut self, b: &Body) -> Option<Type> {
        let mark = self.scope.len();
        b.lets.iter().for_each(|l| self.guess_let(l));
        let ty = self.guess(&b.value);
        self.scope.truncate(mark);
        ty
    }

    fn guess_let(&mut self, l: &Let) {
        let is_size = matches!(l.ty.as_ref().map(|t| &t.kind), Some(TypeKind::Size));
        let is_rec = matches!(&l.value.kind, ExprKind::Recurrence(r) if matches!(r.form, Form::Rec));
        let is_index = matches!(self.kind(&l.value), Kind::Index | Kind::Literal);
        if is_size || is_index || is_rec {
            self.bind_let(l, &mut vec![]);
            return;
        }
        let given = l.ty.as_ref().and_then(|ty| self.ty(ty));
        let ty = self.guess(&l.value);
        if self.bind_guess(&l.pattern, given.or(ty)).is_none() {
            self.bind_nothing(&l.pattern);
        }
    }

    /// Binds names by what is guessed of their types.
    pub(super) fn bind_guess(&mut self, p: &Pattern, ty: Option<Type>) -> Option<()> {
        let mut types = vec![];
        leaves(p, &ty?, &mut types)?;
        let mut names = vec![];
        pattern_names(p, &mut names);
        for (name, ty) in names.into_iter().zip(types) {
            let var = self.new_var(name);
            self.bind(name, Binding::Value(var, ty));
        }
        Some(())
    }

    /// The type of a value, if it follows without what the `rec` gives.
    fn guess(&mut self, e: &Expr) -> Option<Type> {
        match &e.kind {
            ExprKind::Number { .. } | ExprKind::Cast(..) => Some(Type::Real),
            ExprKind::If(p, a, b) => {
                let mark = self.lifted.len();
                self.pred(p);
                self.lifted.truncate(mark);
                let (a, b) = (self.guess_body(a), self.guess_body(b));
                a.or(b)
            }
            ExprKind::Block(b) => self.guess_body(b),
            ExprKind::Tuple(items) => {
                Some(Type::Tuple(items.iter().map(|i| self.guess(i).unwrap_or(Type::Real)).collect()))
            }
            ExprKind::Bracket(items) => match items.as_slice() {
                [p] if pred::is_condition(p) => {
                    self.pred(p);
                    Some(Type::Real)
                }
                items => {
                    let all: Vec<_> = items.iter().map(|i| self.guess(i)).collect();
                    let n = i64::try_from(all.len()).ok()?;
                    let element = all.into_iter().flatten().next().unwrap_or(Type::Real);
                    Some(gen_type(vec![n.into()], &element))
                }
            },
            ExprKind::Neg(a) => self.guess(a),
            ExprKind::Binary(op, a, b) => self.guess_binary(*op, a, b),
            ExprKind::Gen(l) => self.guess_loop(l, true),
            ExprKind::Reduce(ReduceOp::Sum, l) => match self.guess_loop(l, false) {
                Some(ty @ Type::Array(..)) => Some(ty),
                Some(Type::Real | Type::Tuple(_) | Type::Size) | None => Some(Type::Real),
            },
            ExprKind::Method(..) | ExprKind::Reduce(..) => {
                self.expr(e);
                Some(Type::Real)
            }
            ExprKind::Recurrence(r) => match (&r.form, self.expr(e)) {
                (_, Some(value)) => Some(value.ty),
                (Form::Prod, None) => Some(Type::Real),
                (Form::Fold(_, from), None) => self.guess(from),
                (Form::Reduce(o), None) => self.guess(&o.unit),
                (Form::Rec | Form::Scan(..) | Form::ScanWith(_), None) => None,
            },
            ExprKind::Name(_)
            | ExprKind::Path(_)
            | ExprKind::Repeat(..)
            | ExprKind::Field(..)
            | ExprKind::Access(..)
            | ExprKind::Call(..)
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Exists(_) => self.expr(e).map(|value| value.ty),
        }
    }

    fn guess_binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Type> {
        let is_guard = |e: &Expr| matches!(&e.kind, ExprKind::Bracket(items) if matches!(items.as_slice(), [p] if pred::is_condition(p)));
        let (x, y) = (self.guess(a), self.guess(b));
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Rem => x.or(y),
            BinaryOp::Div => x,
            BinaryOp::Mul if is_guard(a) => y,
            BinaryOp::Mul if is_guard(b) => x,
            // A number times what is not known may be a tensor.
            BinaryOp::Mul => match (x, y) {
                (Some(Type::Real), y) => y,
                (x, Some(Type::Real)) => x,
                (x, y) => x.or(y),
            },
        }
    }

    /// `for`, if it is a tensor, or a sum.
    fn guess_loop(&mut self, l: &Loop, is_gen: bool) -> Option<Type> {
        let opened = self.open(l, is_gen.then_some("for"));
        self.guess_condition(l);
        let element = self.guess_body(&l.body);
        let binders = self.close(&opened, true);
        if !is_gen {
            return element;
        }
        let extents = binders?.iter().map(|b| b.upper.minus(&b.lower)).collect::<Option<_>>()?;
        Some(gen_type(extents, &element.unwrap_or(Type::Real)))
    }
}
