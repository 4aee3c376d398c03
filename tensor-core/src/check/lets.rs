//! `let`: of values, of tuples of them, and of indices.

use super::affine::Kind;
use super::context::{Binding, Bound, Cx};
use super::names;
use super::vector::{field, gen_type};
use crate::ast::{ExprKind, Form, Let, Pattern, TypeKind};
use crate::error::Span;
use crate::typed::{Expr, Type};
use proc_macro2::Ident;

/// The names of a pattern.
pub(super) fn pattern_names<'p>(p: &'p Pattern, out: &mut Vec<&'p Ident>) {
    match p {
        Pattern::Name(n) => out.push(n),
        Pattern::Tuple(parts, _) => parts.iter().for_each(|p| pattern_names(p, out)),
    }
}

impl Cx<'_> {
    /// Binds `let pattern: ty = value;`. Where it fails its names are bound to nothing, silently.
    pub(super) fn bind_let(&mut self, l: &Let, bounds: &mut Vec<Bound>) -> Option<()> {
        let mut all = vec![];
        pattern_names(&l.pattern, &mut all);
        for (k, n) in all.iter().enumerate() {
            if *n != "_" && all[..k].contains(n) {
                self.errors.push(n.span(), format!("`{n}` is bound twice in one pattern"));
            }
        }
        let mark = bounds.len();
        let outer = self.defining.len();
        self.defining.extend(all.iter().map(ToString::to_string));
        let bound = self.try_let(l, bounds);
        self.defining.truncate(outer);
        if l.recompute {
            let vars = bounds[mark..].iter().filter_map(|b| match b {
                Bound::Let(var, _) => Some(*var),
                Bound::Arg(_) => None,
            });
            self.recomputed.extend(vars);
        }
        if bound.is_none() {
            self.bind_nothing(&l.pattern);
        }
        bound
    }

    /// Binds the names of a pattern to nothing: their uses are silent.
    pub(super) fn bind_nothing(&mut self, p: &Pattern) {
        let mut all = vec![];
        pattern_names(p, &mut all);
        all.iter().for_each(|n| self.bind(n, Binding::Error));
    }

    fn try_let(&mut self, l: &Let, bounds: &mut Vec<Bound>) -> Option<()> {
        if let ExprKind::Recurrence(r) = &l.value.kind
            && matches!(r.form, Form::Rec)
        {
            return self.bind_rec(l, r, bounds);
        }
        let kind = self.kind(&l.value);
        let wants_size = l.ty.as_ref().map(|t| matches!(t.kind, TypeKind::Size));
        let wants_real = wants_size == Some(false);
        if let Pattern::Name(name) = &l.pattern {
            if kind == Kind::Error {
                self.report_unknown(&l.value);
                return None;
            }
            if wants_size == Some(true) || kind == Kind::Index && !wants_real {
                let mark = self.lifted.len();
                let a = self.affine(&l.value);
                if let (ExprKind::Reduce(..), Some(k)) = (&l.value.kind, self.lifted.last_mut()) {
                    k.name = name.to_string();
                    if let Some(text) = self.element_names.get_mut(k.element as usize) {
                        text.clone_from(&k.name);
                    }
                }
                bounds.extend(self.lifted.split_off(mark).into_iter().map(Bound::Arg));
                self.bind(name, Binding::Index(a?));
                return Some(());
            }
        }
        let value = self.expr(&l.value);
        if let Some(ty) = &l.ty {
            let given = self.ty(ty)?;
            let value = value.as_ref()?;
            if !self.same_type(&given, &value.ty) {
                let (found, given) = (self.type_text(&value.ty), self.type_text(&given));
                return self
                    .error(l.value.span, format!("this is `{found}`, and the type given is `{given}`"));
            }
        }
        let value = value?;
        if let (Pattern::Name(name), Kind::Literal, false) = (&l.pattern, kind, wants_real)
            && let Some(a) = self.quietly(|cx| cx.affine(&l.value))
        {
            let var = self.new_var(name);
            bounds.push(Bound::Let(var, value));
            self.bind(name, Binding::Number(a, var));
            return Some(());
        }
        let mut found = vec![];
        self.matched(&l.pattern, value, bounds, &mut found)?;
        self.scope.extend(found);
        Some(())
    }

    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn matched(
        &mut self,
        p: &Pattern,
        value: Expr,
        bounds: &mut Vec<Bound>,
        found: &mut Vec<(String, Binding)>,
    ) -> Option<()> {
        match p {
            Pattern::Name(name) => {
                let var = self.new_var(name);
                let ty = value.ty.clone();
                bounds.push(Bound::Let(var, value));
                if name != "_" {
                    found.push((name.to_string(), Binding::Value(var, ty)));
                }
                Some(())
            }
            Pattern::Tuple(parts, span) => {
                let types = match &value.ty {
                    Type::Tuple(types) if types.len() == parts.len() => types.clone(),
                    Type::Array(extents, el) => match &**el {
                        Type::Tuple(types) if types.len() == parts.len() => {
                            types.iter().map(|t| gen_type(extents.clone(), t)).collect()
                        }
                        Type::Real | Type::Tuple(_) | Type::Array(..) | Type::Size => {
                            return self.not_so_many(*span, parts.len(), &value.ty);
                        }
                    },
                    ty => return self.not_so_many(*span, parts.len(), ty),
                };
                if let crate::typed::ExprKind::Tuple(items) = value.kind {
                    return parts.iter().zip(items).try_for_each(|(p, v)| self.matched(p, v, bounds, found));
                }
                let value = self.share(value, "t", bounds);
                parts.iter().zip(types).enumerate().try_for_each(|(k, (p, ty))| {
                    let part = match value.ty {
                        Type::Array(..) => self.part_of_elements(value.clone(), k, value.span)?,
                        Type::Real | Type::Tuple(_) | Type::Size => field(value.clone(), k, ty),
                    };
                    self.matched(p, part, bounds, found)
                })
            }
        }
    }

    pub(super) fn not_so_many<T>(&mut self, span: Span, parts: usize, ty: &Type) -> Option<T> {
        let ty = self.type_text(ty);
        self.error(span, format!("the pattern is a tuple of {parts}, but the value is `{ty}`"))
    }

    /// An extent: a form of sizes alone.
    pub(super) fn extent(&mut self, e: &crate::ast::Expr) -> Option<crate::index::Affine> {
        if let ExprKind::Reduce(..) = e.kind {
            return self.error(e.span, "an extent is made of sizes and integers");
        }
        let mark = self.lifted.len();
        let a = self.affine(e);
        self.lifted.truncate(mark);
        let a = a?;
        if super::context::of_sizes(&a) {
            let is_size = matches!(a.as_atom(), Some(crate::index::Atom::Size(_)));
            if !a.is_constant() && !is_size && self.written.iter().all(|w| w.0 != a) {
                self.written.push((a.clone(), names::index(e)));
            }
            return Some(a);
        }
        let text = names::expr(e);
        self.error(
            e.span,
            format!("the extent `{text}` depends on an index: extents are made of sizes and integers"),
        )
    }
}
