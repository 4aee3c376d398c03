//! Recurrences. All of them are `rec`, in the order of one binder:
//!
//! ```text
//! scan t in a..b from s = s0 if p { e }  →  rec E by t in a..b { let V = if t == a { s0 } else { E[t - 1 - a] }; if p { e{s := V} } else { V } }
//! fold …                                 →  if a < b { scan …[b - 1 - a] } else { s0 }
//! (a..b).rev()                           →  the first step is t == b - 1, before E[t - a] is E[t + 1 - a], and the last state is E[0]
//! prod i if p { e }                      →  fold i from x = 1 if p { x * e }, an index in a product by the index before it
//! reduce i with |p, q| { op } from e0 { e }  →  fold i from p = e0 { let q = e; op }
//! ```

mod guess;
mod named;

use super::context::{Binding, Bound, Cx, Lifted, real};
use super::vector::gen_type;
use crate::ast::{Checkpoint, Expr as Written, Form, Loop, Operator, Pattern, Recurrence};
use crate::error::Span;
use crate::index::affine::floor;
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::typed::{Binder, Expr, ExprKind, IndexArg, Rec, Type, Var};

/// What one step makes of the state.
struct Step {
    /// The state before it.
    state: Var,
    /// The state that the first step finds; it may be written twice.
    start: Expr,
    /// What the condition and the value read.
    around: Vec<Bound>,
    /// Where there is a step; elsewhere the state stays.
    guard: Pred,
    /// The state after it.
    value: Expr,
}

/// The times of the steps.
struct Times {
    binder: Binder,
    backward: bool,
    checkpoint: Option<Checkpoint>,
    span: Span,
}

/// Which of its indices run from their last value to their first.
fn backward(l: &Loop) -> Vec<bool> {
    l.binders.iter().map(|b| b.range.as_ref().is_some_and(|r| r.backward)).collect()
}

fn variable(var: Var, ty: &Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Var(var), ty: ty.clone(), span }
}

impl Cx<'_> {
    /// A recurrence that is no `rec` with its `let`.
    pub(super) fn recurrence(&mut self, r: &Recurrence, span: Span) -> Option<Expr> {
        match &r.form {
            Form::Rec => self.error(
                r.word,
                "a `rec` is the whole value of a `let`, which gives it the name that it reads itself by: `let y = rec i in 0..n { … };`",
            ),
            Form::Prod => self.product_loop(r, span),
            Form::Fold(state, from) => self.steps(r, (state, from), false, span),
            Form::Scan(state, from) => self.steps(r, (state, from), true, span),
            Form::Reduce(o) => self.combined(r, o, false, span),
            Form::ScanWith(o) => self.combined(r, o, true, span),
        }
    }

    /// Runs `f` as part of a step.
    fn within_steps<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.recurrences += 1;
        let out = f(self);
        self.recurrences -= 1;
        out
    }

    /// The condition of a step, what that needs of `argmax`, and its value.
    fn step(&mut self, l: &Loop) -> (Option<Pred>, Vec<Lifted>, Option<Expr>) {
        self.within_steps(|cx| {
            let (guard, lifted) = cx.guard(l);
            (guard, lifted, cx.body(&l.body))
        })
    }

    /// `fold t from state = from if p { e }`, or `scan`.
    fn steps(
        &mut self,
        r: &Recurrence,
        (pattern, from): (&Pattern, &Written),
        all: bool,
        span: Span,
    ) -> Option<Expr> {
        self.one_index(r)?;
        let start = self.expr(from);
        let opened = self.open(&r.steps, Some(r.form.word()));
        let ty = start.as_ref().map(|s| s.ty.clone());
        let state = self.new_var(name_of(pattern));
        let mut parts = vec![];
        match &ty {
            Some(ty) => {
                self.bind_state(pattern, state, ty, &mut parts);
            }
            None => self.bind_nothing(pattern),
        }
        let (guard, lifted, value) = self.step(&r.steps);
        let binders = self.close(&opened, guard.is_some() && value.is_some() && start.is_some());
        let (binder, guard, value) = (binders?.pop()?, guard?, value?);
        let (start, ty) = (start?, ty?);
        self.keeps_type(&ty, &value.ty, r.steps.body.value.span)?;
        let mut bounds = vec![];
        let start = self.share(start, "start", &mut bounds);
        parts.extend(lifted.into_iter().map(Bound::Arg));
        let times = self.times(r, binder, backward(&r.steps).contains(&true), span);
        let out = self.states(times, Step { state, start, around: parts, guard, value }, all)?;
        Some(Cx::wrap(bounds, out))
    }

    /// `reduce i with |p, q| { op } from e0 if c { e }`, or `scan`.
    fn combined(&mut self, r: &Recurrence, o: &Operator, all: bool, span: Span) -> Option<Expr> {
        self.one_index(r)?;
        let start = self.expr(&o.unit);
        let ty = start.as_ref().map(|s| s.ty.clone());
        let (state, next) = (self.new_var(name_of(&o.left)), self.new_var(name_of(&o.right)));
        let (mark, mut parts) = (self.scope.len(), vec![]);
        for (pattern, var) in [(&o.left, state), (&o.right, next)] {
            match &ty {
                Some(ty) => {
                    self.bind_state(pattern, var, ty, &mut parts);
                }
                None => self.bind_nothing(pattern),
            }
        }
        let op = self.within_steps(|cx| cx.body(&o.value));
        self.scope.truncate(mark);
        let opened = self.open(&r.steps, Some(r.form.word()));
        let (guard, lifted, value) = self.step(&r.steps);
        let binders = self.close(&opened, guard.is_some() && value.is_some() && start.is_some());
        let (binder, guard, value) = (binders?.pop()?, guard?, value?);
        let (start, ty, op) = (start?, ty?, op?);
        self.keeps_type(&ty, &value.ty, r.steps.body.value.span)?;
        self.keeps_type(&ty, &op.ty, o.value.value.span)?;
        let mut bounds = vec![];
        let start = self.share(start, "unit", &mut bounds);
        parts.insert(0, Bound::Let(next, value));
        let value = Cx::wrap(parts, op);
        let around = lifted.into_iter().map(Bound::Arg).collect();
        let times = self.times(r, binder, backward(&r.steps).contains(&true), span);
        let out = self.states(times, Step { state, start, around, guard, value }, all)?;
        Some(Cx::wrap(bounds, out))
    }

    /// `prod i, j if p { e }`: by the last index inside, so that what it is of each other does not wait for the one before.
    fn product_loop(&mut self, r: &Recurrence, span: Span) -> Option<Expr> {
        let opened = self.open(&r.steps, Some("prod"));
        let (guard, mut lifted, value) = self.step(&r.steps);
        let binders = self.close(&opened, guard.is_some() && value.is_some());
        let (binders, mut guard, mut product) = (binders?, guard?, value?);
        if product.ty != Type::Real {
            let ty = self.type_text(&product.ty);
            return self.error(
                r.steps.body.value.span,
                format!("`prod` takes scalars, but this is `{ty}`: write `for` outside and `prod` inside"),
            );
        }
        for binder in binders.into_iter().rev() {
            let state = self.new_var("product");
            let before = variable(state, &Type::Real, span);
            let value = real(ExprKind::Mul(Box::new(before), Box::new(product)), span);
            let step = Step {
                state,
                start: real(ExprKind::Number(1.0), span),
                around: std::mem::take(&mut lifted).into_iter().map(Bound::Arg).collect(),
                guard: std::mem::take(&mut guard),
                value,
            };
            let times = self.times(r, binder, false, span);
            product = self.states(times, step, false)?;
        }
        Some(product)
    }

    fn times(&self, r: &Recurrence, binder: Binder, backward: bool, span: Span) -> Times {
        Times { binder, backward, checkpoint: r.checkpoint.clone(), span }
    }

    fn one_index(&mut self, r: &Recurrence) -> Option<()> {
        match r.steps.binders.as_slice() {
            [_, second, ..] => {
                let word = r.form.word();
                let message = format!(
                    "`{word}` takes one index\n  help: write another `{word}` in its body, or a `rec`, which takes several"
                );
                self.error(second.index.span(), message)
            }
            [_] | [] => Some(()),
        }
    }

    fn keeps_type(&mut self, state: &Type, step: &Type, span: Span) -> Option<()> {
        if self.same_type(state, step) {
            return Some(());
        }
        let (s, t) = (self.type_text(state), self.type_text(step));
        let advice = self.equal_if_types(state, step);
        self.error(
            span,
            format!("a step keeps the type of the state: it begins as `{s}`, and this is `{t}`{advice}"),
        )
    }

    /// Names the parts of a state.
    fn bind_state(&mut self, p: &Pattern, var: Var, ty: &Type, parts: &mut Vec<Bound>) -> Option<()> {
        match p {
            Pattern::Name(name) => {
                if name != "_" {
                    self.bind(name, Binding::Value(var, ty.clone()));
                }
                Some(())
            }
            Pattern::Tuple(_, span) => {
                let mut found = vec![];
                let bound = self.matched(p, variable(var, ty, *span), parts, &mut found);
                self.scope.extend(found);
                if bound.is_none() {
                    self.bind_nothing(p);
                }
                bound
            }
        }
    }

    /// `scan`, or its last state.
    fn states(&mut self, times: Times, step: Step, all: bool) -> Option<Expr> {
        let Times { mut binder, backward, checkpoint, span } = times;
        let (lower, upper) = (binder.lower.clone(), binder.upper.clone());
        let time = Affine::index(binder.index);
        let start = step.start.clone();
        let steps = upper.minus(&lower);
        let last = steps.as_ref().and_then(|n| n.plus_constant(-1));
        let first = if backward { upper.plus_constant(-1) } else { Some(lower.clone()) };
        let before = time.minus(&lower).and_then(|at| at.plus_constant(if backward { 1 } else { -1 }));
        let is_first = first.and_then(|first| cond::eq(&time, &first));
        let (Some(steps), Some(last), Some(before), Some(is_first)) = (steps, last, before, is_first) else {
            return self.error(binder.span, "the numbers in this range are too large");
        };
        if !all && steps.is_constant() && steps.constant <= 0 {
            return Some(start);
        }
        // There may be less than no steps, but not so many elements: those beyond the steps are zero.
        let mut guard = vec![];
        let mut extent = steps.clone();
        if !all && let Some(more) = natural(&steps).filter(|more| *more != steps) {
            guard.extend(cond::lt(&time, &upper));
            binder.upper = lower.plus(&more)?;
            extent = more;
        }
        let ty = gen_type(vec![extent], &start.ty);
        let states = self.new_var("states");
        let earlier = self.element_of(variable(states, &ty, span), before, span)?;
        let kind = ExprKind::If(vec![is_first], Box::new(step.start), Box::new(earlier));
        let state = Expr { kind, ty: start.ty.clone(), span };
        let mut bounds = vec![Bound::Let(step.state, state)];
        bounds.extend(step.around);
        let value = if step.guard.is_empty() {
            step.value
        } else {
            let stays = variable(step.state, &start.ty, span);
            let kind = ExprKind::If(step.guard, Box::new(step.value), Box::new(stays));
            Expr { kind, ty: start.ty.clone(), span }
        };
        let body = Cx::wrap(bounds, value);
        let rec = Rec {
            vars: vec![states],
            binders: vec![binder],
            backward: vec![backward],
            guard,
            body,
            checkpoint,
        };
        let all_states = Expr { kind: ExprKind::Rec(Box::new(rec)), ty, span };
        if all {
            return Some(all_states);
        }
        self.last_of(all_states, if backward { 0.into() } else { last }, &steps, start)
    }

    /// `if 0 < steps { states[last] } else { start }`
    fn last_of(&mut self, states: Expr, last: Affine, steps: &Affine, start: Expr) -> Option<Expr> {
        let (span, ty) = (states.span, start.ty.clone());
        let mut bounds = vec![];
        let states = self.share(states, "states", &mut bounds);
        let last = self.element_of(states, last, span)?;
        let last = Cx::wrap(bounds, last);
        if steps.is_constant() {
            return Some(last);
        }
        let runs: Pred = vec![Cond::NonNeg(steps.plus_constant(-1)?)];
        Some(Expr { kind: ExprKind::If(runs, Box::new(last), Box::new(start)), ty, span })
    }

    /// `array[at]` by the first dimension.
    fn element_of(&mut self, array: Expr, at: Affine, span: Span) -> Option<Expr> {
        let Type::Array(extents, el) = array.ty.clone() else { return None };
        Some(self.read(array, &extents, &el, vec![Some(IndexArg { index: at, text: None, span })], span))
    }
}

/// A form of sizes that is at least this one, and never negative; none where it cannot be seen which parts may be.
fn natural(a: &Affine) -> Option<Affine> {
    let mut out = Affine::from(a.constant.max(0));
    for (t, k) in &a.terms {
        if *k > 0 {
            out = out.plus_scaled(*k, &natural_atom(t)?)?;
        } else {
            // What goes may not be negative itself.
            is_natural(t).then_some(())?;
        }
    }
    Some(out)
}

fn natural_atom(t: &Atom) -> Option<Affine> {
    match t {
        Atom::Size(_) => Some(t.clone().into()),
        Atom::Floor(e, q) => floor(&natural(e)?, *q),
        Atom::Product(fs) if fs.iter().all(is_natural) => Some(t.clone().into()),
        Atom::Product(_) | Atom::Index(_) | Atom::Element(..) => None,
    }
}

fn is_natural(t: &Atom) -> bool {
    natural_atom(t).is_some_and(|n| n == t.clone().into())
}

/// What messages call a state.
fn name_of(p: &Pattern) -> String {
    match p {
        Pattern::Name(n) => n.to_string(),
        Pattern::Tuple(..) => "state".into(),
    }
}
