//! `let y = rec i in 0..n { e };`, in which `e` reads `y`.

use super::super::context::{Binding, Bound, Cx, IndexRange};
use super::super::vector::{field, gen_type};
use super::super::{lets::pattern_names, names};
use super::backward;
use super::guess::Guess;
use crate::ast::{Let, Pattern, Recurrence};
use crate::index::Affine;
use crate::typed::{Expr, ExprKind, Rec, Type, Var};
use proc_macro2::Ident;

/// The parts of a type that a pattern names, in order; `None` where it is no tuple of so many.
pub(super) fn leaves(p: &Pattern, ty: &Type, out: &mut Vec<Type>) -> Option<()> {
    match (p, ty) {
        (Pattern::Name(_), _) => {
            out.push(ty.clone());
            Some(())
        }
        (Pattern::Tuple(parts, _), Type::Tuple(types)) if parts.len() == types.len() => {
            parts.iter().zip(types).try_for_each(|(p, t)| leaves(p, t, out))
        }
        (Pattern::Tuple(..), _) => None,
    }
}

impl Cx<'_> {
    /// Binds what a `rec` gives. Within it the names are known, too: of the type that is written, or that follows.
    pub(in super::super) fn bind_rec(
        &mut self,
        l: &Let,
        r: &Recurrence,
        bounds: &mut Vec<Bound>,
    ) -> Option<()> {
        let given = match &l.ty {
            Some(ty) => Some(self.ty(ty)?),
            None => None,
        };
        let guess = self.guess_rec(&l.pattern, r, given.as_ref());
        if self.guessing {
            // Nothing but the types of the names is asked for.
            return self.bind_guess(&l.pattern, guess.whole);
        }
        let read = guess.parts(&l.pattern);
        let rec = self.rec(&l.pattern, r, guess)?;
        self.is_as_read(l, given, read, &rec)?;
        let mut all = vec![];
        pattern_names(&l.pattern, &mut all);
        let values: Vec<Expr> = match rec.ty.clone() {
            Type::Tuple(types) if all.len() > 1 => {
                let rec = self.share(rec, "t", bounds);
                types.into_iter().enumerate().map(|(k, ty)| field(rec.clone(), k, ty)).collect()
            }
            _ => vec![rec],
        };
        for (name, value) in all.iter().zip(values) {
            let var = self.new_var(name);
            let ty = value.ty.clone();
            bounds.push(Bound::Let(var, value));
            if *name != "_" {
                self.bind(name, Binding::Value(var, ty));
            }
        }
        Some(())
    }

    /// `rec binders if p { e }`, of which the pattern names the parts.
    fn rec(&mut self, pattern: &Pattern, r: &Recurrence, guess: Guess) -> Option<Expr> {
        let mut names = vec![];
        pattern_names(pattern, &mut names);
        let vars: Vec<Var> = names.iter().map(|n| self.new_var(n)).collect();
        let opened = self.open(&r.steps, Some("rec"));
        let mut ok = self.begins_at_zero(r);
        for ((index, _), extent) in opened.indices.iter().zip(guess.extents.iter().flatten()) {
            if let Some(info) = self.indices.get_mut(*index as usize)
                && matches!(info.range, IndexRange::Open(_))
            {
                info.range = IndexRange::Known(0.into(), extent.clone());
            }
        }
        // An index hides what has its name.
        let indices = self.scope.split_off(opened.mark);
        let types = guess.parts(pattern);
        for (k, (name, var)) in names.iter().zip(&vars).enumerate().filter(|(_, (n, _))| **n != "_") {
            let binding = match types.as_ref().and_then(|types| types.get(k)) {
                Some(ty) => Binding::Unfinished(*var, ty.clone()),
                None => Binding::Error,
            };
            self.bind(name, binding);
        }
        self.scope.extend(indices);
        let said = self.errors.0.len();
        let (guard, lifted, body) = self.step(&r.steps);
        ok &= guard.is_some() && body.is_some();
        if !ok && types.is_none() && self.errors.0.len() == said {
            self.unknown_type(&names, r, guess.extents.is_some());
        }
        let binders = self.close(&opened, ok);
        let (binders, mut guard, mut body) = (binders?, guard?, body?);
        if !lifted.is_empty() {
            let (ty, span) = (body.ty.clone(), body.span);
            let kind = ExprKind::Guard(std::mem::take(&mut guard), Box::new(body));
            let around = lifted.into_iter().map(Bound::Arg).collect();
            body = Cx::wrap(around, Expr { kind, ty, span });
        }
        let body = self.elements(pattern, body, r)?;
        let extents: Option<Vec<Affine>> = binders.iter().map(|b| b.upper.minus(&b.lower)).collect();
        let rec = Rec {
            backward: backward(&r.steps),
            checkpoint: r.checkpoint.clone(),
            vars,
            binders,
            guard,
            body,
        };
        let all: Vec<Type> =
            rec.elements().iter().map(|ty| Some(gen_type(extents.clone()?, ty))).collect::<Option<_>>()?;
        let ty = match all.as_slice() {
            [one] => one.clone(),
            _ => Type::Tuple(all),
        };
        Some(Expr { kind: ExprKind::Rec(Box::new(rec)), ty, span: r.word.to(r.steps.body.span) })
    }

    /// Nothing else is wrong than that what is read of a tensor is not known before it is finished.
    fn unknown_type(&mut self, names: &[&Ident], r: &Recurrence, has_range: bool) {
        let message = match (names, has_range) {
            ([name], true) => format!(
                "the type of an element of `{name}` does not follow from its first branch: give it, `let {name}: [f64; n] = rec …`"
            ),
            (_, true) => {
                "the type of an element does not follow from its first branch: give that of the pattern, `let (h, c): ([f64; n], [f64; n]) = rec …`".into()
            }
            (_, false) => {
                "the ranges of this `rec` do not follow from the use of its indices, as in `x[i]`: write `i in 0..n`".into()
            }
        };
        self.errors.push(r.word, message);
    }

    /// A body as a flat tuple of the parts that a pattern names.
    fn elements(&mut self, pattern: &Pattern, body: Expr, r: &Recurrence) -> Option<Expr> {
        let Pattern::Tuple(all, span) = pattern else { return Some(body) };
        let mut types = vec![];
        if leaves(pattern, &body.ty, &mut types).is_none() {
            let ty = self.type_text(&body.ty);
            return self.error(
                r.steps.body.value.span,
                format!("the pattern is a tuple of {}, but an element is `{ty}`", all.len()),
            );
        }
        let (mut bounds, mut flat) = (vec![], vec![]);
        self.named_parts(pattern, body, &mut bounds, &mut flat);
        let value = match flat.pop() {
            Some(one) if flat.is_empty() => one,
            last => {
                flat.extend(last);
                Expr { kind: ExprKind::Tuple(flat), ty: Type::Tuple(types), span: *span }
            }
        };
        Some(Cx::wrap(bounds, value))
    }

    /// The parts of a value that a pattern names, in order.
    fn named_parts(&mut self, p: &Pattern, value: Expr, bounds: &mut Vec<Bound>, out: &mut Vec<Expr>) {
        let Pattern::Tuple(patterns, _) = p else {
            out.push(value);
            return;
        };
        if let ExprKind::Tuple(all) = value.kind {
            patterns.iter().zip(all).for_each(|(p, part)| self.named_parts(p, part, bounds, out));
            return;
        }
        let Type::Tuple(types) = value.ty.clone() else { return };
        let value = self.share(value, "element", bounds);
        for (k, (p, ty)) in patterns.iter().zip(types).enumerate() {
            self.named_parts(p, field(value.clone(), k, ty), bounds, out);
        }
    }

    /// Says so if a part is not of the type that is given, or by which it was read.
    fn is_as_read(
        &mut self,
        l: &Let,
        given: Option<Type>,
        read: Option<Vec<Type>>,
        rec: &Expr,
    ) -> Option<()> {
        let mut names = vec![];
        pattern_names(&l.pattern, &mut names);
        let found = match &rec.ty {
            Type::Tuple(all) if names.len() > 1 => all.clone(),
            ty => vec![ty.clone()],
        };
        let Some(read) = read else {
            let Some(given) = given else { return Some(()) };
            return self.not_as_given(l, &given, &rec.ty);
        };
        for ((name, read), found) in names.iter().zip(&read).zip(&found) {
            if self.same_type(read, found) {
                continue;
            }
            if let Some(given) = given {
                return self.not_as_given(l, &given, &rec.ty);
            }
            let (read, found) = (self.type_text(read), self.type_text(found));
            return self.error(
                l.value.span,
                format!(
                    "`{name}` is read as `{read}` within this, and it is `{found}`\n  help: give its type, `let {name}: {found} = rec …`"
                ),
            );
        }
        Some(())
    }

    fn not_as_given(&mut self, l: &Let, given: &Type, found: &Type) -> Option<()> {
        let (found, given) = (self.type_text(found), self.type_text(given));
        self.error(l.value.span, format!("this is `{found}`, and the type given is `{given}`"))
    }

    /// Ranges of a `rec` begin at 0: else the element before would be `y[i - 1 - a]`.
    fn begins_at_zero(&mut self, r: &Recurrence) -> bool {
        let mut ok = true;
        for b in &r.steps.binders {
            let Some(range) = &b.range else { continue };
            let lower = self.quietly(|cx| cx.affine(&range.lower));
            if lower.is_some_and(|a| a != 0.into()) {
                let (i, text) = (&b.index, names::expr(&range.lower));
                let message = format!(
                    "the range of `{i}` in a `rec` begins at 0, so that element `{i}` is computed at `{i}`\n  help: begin it at 0, and choose by `if {i} >= {text}`, or write a `scan`"
                );
                self.errors.push(range.lower.span, message);
                ok = false;
            }
        }
        ok
    }
}
