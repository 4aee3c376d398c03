//! The constants that stand in ranges, extents and places: there they are sizes, so they are in conditions and `let`s, too, wherever these stand.

use crate::ast::{Body, Expr, ExprKind, Form, Function, IndexArg, Loop, Pattern, Type, TypeKind};
use crate::check::is_constant_name;
use crate::emit::constants::OWN;
use proc_macro2::TokenStream;
use quote::quote;

/// Of a function: in its types and conditions.
pub(in crate::check) fn of_signature(f: &Function) -> Vec<TokenStream> {
    let mut w = Walk::default();
    f.params.iter().map(|p| &p.ty).chain([&f.result]).for_each(|t| w.ty(t));
    f.conditions.iter().for_each(|c| w.condition(c));
    w.found()
}

/// Of a body.
pub(in crate::check) fn of_body(b: &Body) -> Vec<TokenStream> {
    let mut w = Walk::default();
    w.body(b);
    w.found()
}

#[derive(Default)]
struct Walk {
    found: Vec<TokenStream>,
    /// Names that are no constants everywhere.
    bound: Vec<String>,
}

impl Walk {
    fn found(self) -> Vec<TokenStream> {
        let Walk { found, bound } = self;
        found.into_iter().filter(|c| !bound.contains(&c.to_string())).collect()
    }

    fn bind(&mut self, p: &Pattern) {
        match p {
            Pattern::Name(n) => self.bound.push(n.to_string()),
            Pattern::Tuple(parts, _) => parts.iter().for_each(|p| self.bind(p)),
        }
    }

    fn ty(&mut self, t: &Type) {
        match &t.kind {
            TypeKind::Real(_) | TypeKind::Size => {}
            TypeKind::Array(of, extents) => {
                extents.iter().for_each(|e| self.index(e));
                self.ty(of);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|t| self.ty(t)),
        }
    }

    fn body(&mut self, b: &Body) {
        for l in &b.lets {
            self.bind(&l.pattern);
            l.ty.iter().for_each(|t| self.ty(t));
            self.expr(&l.value);
        }
        self.expr(&b.value);
    }

    fn looped(&mut self, l: &Loop) {
        for b in &l.binders {
            self.bound.push(b.index.to_string());
            if let Some(r) = &b.range {
                self.index(&r.lower);
                self.index(&r.upper);
            }
        }
        l.guard.iter().for_each(|g| self.expr(g));
        self.body(&l.body);
    }

    /// A condition of `where`: of sizes alone.
    fn condition(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Compare(first, rest) => {
                self.index(first);
                rest.iter().for_each(|(_, e)| self.index(e));
            }
            ExprKind::And(p, q) | ExprKind::Or(p, q) => {
                self.condition(p);
                self.condition(q);
            }
            ExprKind::Not(p) => self.condition(p),
            _ => self.expr(e),
        }
    }

    fn index(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(n) if is_constant_name(n) && !OWN.contains(&n.to_string().as_str()) => {
                self.found.push(quote!(#n));
            }
            ExprKind::Path(p) => self.found.push(p.clone()),
            ExprKind::Neg(a) => self.index(a),
            ExprKind::Binary(_, a, b) => {
                self.index(a);
                self.index(b);
            }
            _ => self.expr(e),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number { .. } | ExprKind::Name(_) | ExprKind::Path(_) => {}
            ExprKind::Tuple(all) | ExprKind::Bracket(all) | ExprKind::Call(_, all) => {
                all.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Repeat(a, extents) => {
                self.expr(a);
                extents.iter().for_each(|e| self.index(e));
            }
            ExprKind::Access(a, at) => {
                self.expr(a);
                at.iter().for_each(|i| {
                    if let IndexArg::At(i) = i {
                        self.index(i)
                    }
                });
            }
            ExprKind::Field(a, _) | ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Cast(a, _) => {
                self.expr(a)
            }
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Compare(first, rest) => {
                self.expr(first);
                rest.iter().for_each(|(_, e)| self.expr(e));
            }
            ExprKind::Method(a, _, all) => {
                self.expr(a);
                all.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Gen(l) | ExprKind::Reduce(_, l) | ExprKind::Exists(l) => self.looped(l),
            ExprKind::Recurrence(r) => {
                match &r.form {
                    Form::Fold(p, e) | Form::Scan(p, e) => {
                        self.bind(p);
                        self.expr(e);
                    }
                    Form::Rec | Form::Prod | Form::Reduce(_) | Form::ScanWith(_) => {}
                }
                self.looped(&r.steps);
            }
            ExprKind::If(p, a, b) => {
                self.expr(p);
                self.body(a);
                self.body(b);
            }
            ExprKind::Block(b) => self.body(b),
        }
    }
}
