//! `for`, the reductions, and the ranges of their indices.

use super::context::{Binding, Bound, Cx, IndexRange, Lifted, of_sizes, real};
use super::names;
use super::vector::{element, indices};
use crate::ast::{self, ReduceOp};
use crate::error::Span;
use crate::index::{Affine, Atom, Pred};
use crate::typed::{Binder, Expr, ExprKind, Reduce, Type};

/// A loop whose indices are in scope; their ranges may still be open.
pub(super) struct Opened {
    pub indices: Vec<(u32, Span)>,
    /// The scope to return to.
    pub mark: usize,
    pub ok: bool,
}

impl Cx<'_> {
    /// Binds the indices of a loop. If it is a tensor, by this word, its ends speak of sizes alone.
    pub(super) fn open(&mut self, l: &ast::Loop, word: Option<&str>) -> Opened {
        let mut opened = Opened { indices: vec![], mark: self.scope.len(), ok: true };
        for (k, b) in l.binders.iter().enumerate() {
            let span = b.index.span();
            if l.binders[..k].iter().any(|other| other.index == b.index && b.index != "_") {
                self.errors.push(span, format!("the index `{}` is bound twice", b.index));
                opened.ok = false;
            }
            let range = match &b.range {
                None => IndexRange::Open(vec![]),
                Some(r) => match self.range(r, word.map(|word| (word, &b.index))) {
                    Some((lower, upper)) => IndexRange::Known(lower, upper),
                    None => {
                        opened.ok = false;
                        IndexRange::Error
                    }
                },
            };
            let index = self.new_index(&b.index, range);
            opened.indices.push((index, span.into()));
            self.bind(&b.index, Binding::Index(Atom::Index(index).into()));
        }
        opened
    }

    fn range(
        &mut self,
        r: &ast::Range,
        of_tensor: Option<(&str, &proc_macro2::Ident)>,
    ) -> Option<(Affine, Affine)> {
        let (lower, upper) = (self.affine(&r.lower), self.affine(&r.upper));
        let (lower, mut upper) = (lower?, upper?);
        if let Some((word, index)) = of_tensor {
            for (end, e, op) in
                [(&lower, &r.lower, ">="), (&upper, &r.upper, if r.inclusive { "<=" } else { "<" })]
            {
                if !of_sizes(end) {
                    let text = names::expr(e);
                    let message = format!(
                        "the range of `{index}` in a `{word}` may not depend on an index, as `{text}` does: \
                         write `{index} in 0..n if {index} {op} {text}`"
                    );
                    return self.error(e.span, message);
                }
            }
        }
        if r.inclusive {
            upper.constant += 1;
        }
        Some((lower, upper))
    }

    /// The ranges of a loop, now that its body has been seen. Where that had errors a range that does not follow is none.
    pub(super) fn close(&mut self, opened: &Opened, seen_all: bool) -> Option<Vec<Binder>> {
        self.scope.truncate(opened.mark);
        let before = self.errors.0.len();
        let binders: Vec<_> =
            opened.indices.iter().map(|(index, span)| self.resolve(*index, *span)).collect();
        if !(opened.ok && seen_all) {
            self.errors.0.truncate(before);
            return None;
        }
        binders.into_iter().collect()
    }

    fn resolve(&mut self, index: u32, span: Span) -> Option<Binder> {
        let info = self.indices.get(index as usize)?;
        let name = info.name.clone();
        let (lower, upper) = match &info.range {
            IndexRange::Error => return None,
            IndexRange::Known(lower, upper) => (lower.clone(), upper.clone()),
            IndexRange::Open(seen) => {
                let seen = seen.clone();
                let Some((extent, first)) = seen.first() else {
                    return self.error(
                        span,
                        format!("the range of `{name}` does not follow from its use, as in `x[{name}]`: write `{name} in 0..n`"),
                    );
                };
                for (other, text) in &seen[1..] {
                    if !self.same_extent(extent, other) {
                        let (a, b) = (self.affine_text(extent), self.affine_text(other));
                        let message = format!(
                            "the range of `{name}` is 0..{a} by `{first}` and 0..{b} by `{text}`: write the one that is meant"
                        );
                        return self.error(span, message);
                    }
                }
                (0.into(), extent.clone())
            }
        };
        self.indices[index as usize].range = IndexRange::Known(lower.clone(), upper.clone());
        Some(Binder { index, lower, upper, span })
    }

    /// `base` has length `extent` where the bare `index` stands.
    pub(super) fn seen_at(&mut self, index: &Affine, extent: &Affine, text: impl FnOnce() -> String) {
        let ([(Atom::Index(k), 1)], 0) = (index.terms.as_slice(), index.constant) else { return };
        let Some(info) = self.indices.get_mut(*k as usize) else { return };
        match &mut info.range {
            IndexRange::Open(seen) => {
                if seen.iter().all(|s| s.0 != *extent) {
                    seen.push((extent.clone(), text()));
                }
            }
            IndexRange::Known(lower, upper)
                if self.flexible.is_some() && *lower == 0.into() && of_sizes(upper) =>
            {
                let upper = upper.clone();
                if upper != *extent {
                    self.unify(&upper, extent);
                }
            }
            IndexRange::Known(..) | IndexRange::Error => {}
        }
    }

    /// The condition after the binders, and what was lifted out of it.
    pub(super) fn guard(&mut self, l: &ast::Loop) -> (Option<Pred>, Vec<Lifted>) {
        let mark = self.lifted.len();
        let p = match &l.guard {
            Some(p) => self.pred(p),
            None => Some(vec![]),
        };
        (p, self.lifted.split_off(mark))
    }

    /// The parts of a loop: its binders, its guard and its body. A guard that needs an `argmax` moves into the body, where `absent`
    /// is the value of an iteration that does not count.
    fn parts(
        &mut self,
        l: &ast::Loop,
        word: Option<&str>,
        absent: Option<f64>,
    ) -> Option<(Vec<Binder>, Pred, Expr)> {
        let opened = self.open(l, word);
        let (guard, lifted) = self.guard(l);
        let body = self.body(&l.body);
        let binders = self.close(&opened, guard.is_some() && body.is_some());
        let (binders, mut guard, mut body) = (binders?, guard?, body?);
        if !lifted.is_empty() {
            let (ty, span) = (body.ty.clone(), body.span);
            let p = std::mem::take(&mut guard);
            let kind = match absent {
                None => ExprKind::Guard(p, Box::new(body)),
                Some(x) => ExprKind::If(p, Box::new(body), Box::new(real(ExprKind::Number(x), span))),
            };
            body = Cx::wrap(lifted.into_iter().map(Bound::Arg).collect(), Expr { kind, ty, span });
        }
        Some((binders, guard, body))
    }

    /// `for binders if guard { body }`
    pub(super) fn gen_loop(&mut self, l: &ast::Loop, span: Span) -> Option<Expr> {
        let (binders, guard, body) = self.parts(l, Some("for"), None)?;
        Some(self.gen_of(binders, guard, body, span))
    }

    /// `sum binders if guard { body }`, …
    pub(super) fn reduce_loop(&mut self, op: ReduceOp, l: &ast::Loop, span: Span) -> Option<Expr> {
        let (reduce, absent) = match op {
            ReduceOp::Sum => (Reduce::Sum, None),
            ReduceOp::Max => (Reduce::Max, Some(f64::NEG_INFINITY)),
            ReduceOp::Min => (Reduce::Min, Some(f64::INFINITY)),
            ReduceOp::LogSumExp => (Reduce::LogSumExp, Some(f64::NEG_INFINITY)),
            ReduceOp::ArgMax | ReduceOp::ArgMin => {
                let text = names::reduction(op);
                self.quietly(|cx| cx.arg_extreme(true, l, span));
                return self.error(
                    span,
                    format!(
                        "`{text}` is an index: use it as one, or write `({text} … {{ … }}) as {}`",
                        names::elem(self.elem)
                    ),
                );
            }
        };
        let (binders, guard, body) = self.parts(l, None, absent)?;
        match &body.ty {
            Type::Real => Some(real(ExprKind::Reduce(reduce, binders, guard, Box::new(body)), span)),
            Type::Array(_, el) if reduce == Reduce::Sum && **el == Type::Real => {
                Some(self.sum_of_tensors(binders, guard, body, span))
            }
            Type::Array(..) | Type::Tuple(_) | Type::Size => {
                let (word, ty) = (names::reduction(op), self.type_text(&body.ty));
                self.error(
                    l.body.value.span,
                    format!("`{word}` takes scalars, but this is `{ty}`: write `for` outside and `{word}` inside, or one `{word}` for each part"),
                )
            }
        }
    }

    /// `sum i. [p] a = gen k. sum i. [p] a[k]`
    fn sum_of_tensors(&mut self, binders: Vec<Binder>, mut guard: Pred, body: Expr, span: Span) -> Expr {
        let ty = body.ty.clone();
        let (ks, body) = match (body.kind, &ty) {
            (ExprKind::Gen(ks, p, e), _) => {
                guard.extend(p);
                (ks, *e)
            }
            (kind, Type::Array(extents, el)) => {
                let body = Expr { kind, ty: ty.clone(), span: body.span };
                let ks = self.walk(extents, span);
                let mut bounds = vec![];
                let a = self.share(body, "row", &mut bounds);
                (ks.clone(), Cx::wrap(bounds, element(a, &indices(&ks), el)))
            }
            (kind, Type::Real | Type::Tuple(_) | Type::Size) => {
                (vec![], Expr { kind, ty: ty.clone(), span: body.span })
            }
        };
        let sum = real(ExprKind::Reduce(Reduce::Sum, binders, guard, Box::new(body)), span);
        Expr { kind: ExprKind::Gen(ks, vec![], Box::new(sum)), ty, span }
    }

    /// `argmax i in a..b if p { e }`: an element, to be bound around the expression that it stands in.
    pub(super) fn arg_extreme(&mut self, is_max: bool, l: &ast::Loop, span: Span) -> Option<Affine> {
        let word = if is_max { "argmax" } else { "argmin" };
        if let [_, second, ..] = l.binders.as_slice() {
            return self.error(second.index.span(), format!("`{word}` takes one index"));
        }
        let opened = self.open(l, None);
        let (guard, lifted) = self.guard(l);
        let body = self.body(&l.body);
        let binders = self.close(&opened, guard.is_some() && body.is_some());
        let (binders, guard, value) = (binders?, guard?, body?);
        if !lifted.is_empty() {
            return self.error(
                span,
                "`argmax` in the condition of `argmax`: bind the inner one with a `let` before",
            );
        }
        if value.ty != Type::Real {
            let ty = self.type_text(&value.ty);
            return self.error(l.body.value.span, format!("`{word}` takes scalars, but this is `{ty}`"));
        }
        let binder = binders.into_iter().next()?;
        let element = super::context::number(self.elements.len());
        self.elements.push((binder.lower.clone(), binder.upper.clone()));
        let name = format!("{word} {}", self.indices.get(binder.index as usize).map_or("", |i| &i.name));
        self.element_names.push(name.clone());
        self.lifted.push(Lifted { element, name, is_max, binder, guard, value });
        Some(Atom::Element(element, vec![]).into())
    }
}
