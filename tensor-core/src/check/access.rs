//! Accesses: `a[i, 2*j + 1]`, `a[i]`, `a[.., j]`, `a[i][j]`.

use super::context::{Binding, Cx};
use super::names;
use super::vector::{element, indices};
use crate::ast;
use crate::error::Span;
use crate::index::{Affine, Atom};
use crate::typed::{Binder, Expr, ExprKind, IndexArg, Type};

/// `a[i][j]` as `a` and `[i, j]`: what comes later fills the dimensions left out, `a[.., j][i]` is `a[i, j]`.
pub(super) fn flatten(e: &ast::Expr) -> (&ast::Expr, Vec<&ast::IndexArg>) {
    let ast::ExprKind::Access(base, args) = &e.kind else { return (e, vec![]) };
    let (base, mut inner) = flatten(base);
    let mut outer = args.iter();
    for slot in &mut inner {
        if matches!(slot, ast::IndexArg::All(_)) {
            match outer.next() {
                Some(a) => *slot = a,
                None => break,
            }
        }
    }
    inner.extend(outer);
    (base, inner)
}

impl Cx<'_> {
    /// `base[args]`: of full rank an element, else `gen k. base[args with k where they are left out]`.
    pub(super) fn access(&mut self, e: &ast::Expr) -> Option<Expr> {
        let (base_text, args) = flatten(e);
        let base = self.unfinished(base_text).or_else(|| self.expr(base_text));
        let mut at = vec![];
        let mut ok = true;
        for a in &args {
            at.push(match a {
                ast::IndexArg::All(_) => None,
                ast::IndexArg::At(i) => {
                    let a = self.affine(i);
                    ok &= a.is_some();
                    a.map(|index| IndexArg { index, text: Some(names::index(i)), span: i.span })
                }
            });
        }
        let base = base?;
        let Type::Array(extents, el) = base.ty.clone() else {
            let (text, ty) = (names::expr(base_text), self.type_text(&base.ty));
            return self.error(e.span, format!("`{text}` is `{ty}`: only a tensor has elements"));
        };
        if at.len() > extents.len() {
            let (text, rank, given) = (names::expr(base_text), extents.len(), at.len());
            let dimensions = if rank == 1 { "dimension" } else { "dimensions" };
            return self
                .error(e.span, format!("`{text}` has {rank} {dimensions}, and {given} indices are given"));
        }
        for (a, extent) in at.iter().zip(&extents) {
            if let Some(a) = a {
                self.seen_at(&a.index, extent, || names::expr(e));
            }
        }
        if !ok {
            return None;
        }
        Some(self.read(base, &extents, &el, at, e.span))
    }

    /// A tensor that a recurrence around is about to give: its elements are read alone.
    fn unfinished(&self, e: &ast::Expr) -> Option<Expr> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        match self.lookup(&name.to_string()) {
            Some(Binding::Unfinished(var, ty)) => {
                Some(Expr { kind: ExprKind::Var(*var), ty: ty.clone(), span: e.span })
            }
            Some(Binding::Value(..) | Binding::Index(_) | Binding::Number(..) | Binding::Error) | None => {
                None
            }
        }
    }

    /// `base[at]`, the dimensions left out as they are.
    pub(super) fn read(
        &mut self,
        base: Expr,
        extents: &[Affine],
        el: &Type,
        mut at: Vec<Option<IndexArg>>,
        span: Span,
    ) -> Expr {
        at.resize(extents.len(), None);
        let open: Vec<Affine> =
            at.iter().zip(extents).filter(|a| a.0.is_none()).map(|a| a.1.clone()).collect();
        let ks = self.walk(&open, span);
        let mut next = indices(&ks).into_iter();
        let at: Vec<IndexArg> = at
            .into_iter()
            .map(|a| {
                let open =
                    || IndexArg { index: next.next().unwrap_or_default(), text: Some("..".into()), span };
                a.unwrap_or_else(open)
            })
            .collect();
        if ks.is_empty() {
            return Expr { kind: ExprKind::Access(Box::new(base), at), ty: el.clone(), span };
        }
        let mut bounds = vec![];
        let base = self.share(base, "a", &mut bounds);
        let body = Expr { kind: ExprKind::Access(Box::new(base), at), ty: el.clone(), span };
        let ty = Type::Array(open, Box::new(el.clone()));
        Cx::wrap(bounds, Expr { kind: ExprKind::Gen(ks, vec![], Box::new(body)), ty, span })
    }

    /// `t.k`; of an array of tuples `gen i. t[i].k`.
    pub(super) fn field(&mut self, e: &ast::Expr, t: &ast::Expr, k: u32) -> Option<Expr> {
        let base = self.expr(t)?;
        let k = k as usize;
        let part = match &base.ty {
            Type::Tuple(parts) => parts.get(k).cloned(),
            Type::Array(_, el) => match &**el {
                Type::Tuple(parts) => parts.get(k).cloned(),
                Type::Real | Type::Array(..) | Type::Size => None,
            },
            Type::Real | Type::Size => None,
        };
        let Some(part) = part else {
            let (text, ty) = (names::expr(t), self.type_text(&base.ty));
            return self.error(e.span, format!("`{text}` is `{ty}`: it has no field `{k}`"));
        };
        match base.ty {
            Type::Array(..) => self.part_of_elements(base, k, e.span),
            Type::Real | Type::Tuple(_) | Type::Size => Some(super::vector::field(base, k, part)),
        }
    }

    /// `gen i. a[i].k`
    pub(super) fn part_of_elements(&mut self, a: Expr, k: usize, span: Span) -> Option<Expr> {
        let Type::Array(extents, el) = a.ty.clone() else { return None };
        let Type::Tuple(parts) = &*el else { return None };
        let part = parts.get(k)?.clone();
        let mut bounds = vec![];
        let base = self.share(a, "t", &mut bounds);
        let ks: Vec<Binder> = self.walk(&extents, span);
        let at: Vec<Affine> = ks.iter().map(|k| Atom::Index(k.index).into()).collect();
        let body = super::vector::field(element(base, &at, &el), k, part);
        let all = self.gen_of(ks, vec![], body, span);
        Some(Cx::wrap(bounds, all))
    }
}
