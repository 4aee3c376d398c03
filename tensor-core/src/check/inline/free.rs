//! The free names of an inline block, and how they are used.

use super::super::access::flatten;
use super::super::affine::{Kind, is_constant_name};
use super::super::pred::is_condition;
use crate::ast::{self, BinaryOp, Expr, ExprKind, Form, IndexArg, Pattern, ReduceOp, TypeKind};
use crate::error::Errors;
use proc_macro2::Ident;

/// How a free name is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// With so many indices.
    Rank(usize),
    /// As a number.
    Scalar,
    /// As an index or an extent.
    Size,
}

/// A free name.
pub(super) struct Capture {
    pub name: Ident,
    pub usage: Use,
    /// The names of its lengths, one for each dimension.
    pub lengths: Vec<String>,
}

struct Walk<'a> {
    bound: Vec<(String, Kind)>,
    found: Vec<Capture>,
    errors: &'a mut Errors,
}

/// The untyped captures, in order of first use.
pub(super) fn captures(inline: &ast::Inline, errors: &mut Errors) -> Vec<Capture> {
    let mut walk = Walk { bound: vec![], found: vec![], errors };
    for c in &inline.captures {
        let kind = if matches!(c.ty.kind, TypeKind::Size) { Kind::Index } else { Kind::Real };
        walk.bound.push((c.name.to_string(), kind));
    }
    for n in extent_names(inline) {
        if walk.lookup(&n).is_none() {
            walk.bound.push((n.to_string(), Kind::Index));
        }
    }
    walk.body(&inline.body);
    let (bound, mut found) = (walk.bound, walk.found);
    let mut taken: Vec<String> =
        bound.into_iter().map(|b| b.0).chain(found.iter().map(|c| c.name.to_string())).collect();
    for c in &mut found {
        let Use::Rank(rank) = c.usage else { continue };
        for d in 0..rank {
            let base = match (rank, d) {
                (1, _) => format!("{}_len", c.name),
                (2, 0) => format!("{}_rows", c.name),
                (2, _) => format!("{}_cols", c.name),
                _ => format!("{}_dim{d}", c.name),
            };
            let mut name = base.clone();
            let mut k = 2;
            while taken.contains(&name) {
                name = format!("{base}{k}");
                k += 1;
            }
            taken.push(name.clone());
            c.lengths.push(name);
        }
    }
    found
}

/// The lower-case names in the extents of typed captures, in order, each once.
pub(super) fn extent_names(inline: &ast::Inline) -> Vec<Ident> {
    fn of_type(t: &ast::Type, out: &mut Vec<Ident>) {
        match &t.kind {
            TypeKind::Real(_) | TypeKind::Size => {}
            TypeKind::Array(inner, extents) => {
                extents.iter().for_each(|e| of_extent(e, out));
                of_type(inner, out);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|p| of_type(p, out)),
        }
    }
    fn of_extent(e: &Expr, out: &mut Vec<Ident>) {
        match &e.kind {
            ExprKind::Name(n) if !is_constant_name(n) && !out.contains(n) => out.push(n.clone()),
            ExprKind::Neg(a) => of_extent(a, out),
            ExprKind::Binary(_, a, b) => {
                of_extent(a, out);
                of_extent(b, out);
            }
            _ => {}
        }
    }
    let mut out = vec![];
    inline.captures.iter().for_each(|c| of_type(&c.ty, &mut out));
    out
}

impl Walk<'_> {
    fn lookup(&self, n: &Ident) -> Option<Kind> {
        self.bound.iter().rev().find(|b| *n == b.0).map(|b| b.1)
    }

    fn record(&mut self, n: &Ident, usage: Use) {
        if self.lookup(n).is_some() || is_constant_name(n) {
            return;
        }
        let Some(c) = self.found.iter_mut().find(|c| c.name == *n) else {
            self.found.push(Capture { name: n.clone(), usage, lengths: vec![] });
            return;
        };
        let how = |u: Use| match u {
            Use::Rank(1) => "with 1 index".into(),
            Use::Rank(k) => format!("with {k} indices"),
            Use::Scalar => "as a scalar".into(),
            Use::Size => "as a size".to_string(),
        };
        match (c.usage, usage) {
            (a, b) if a == b => {}
            // The check asks for `n as f64` where it stands as a scalar.
            (Use::Size, Use::Scalar) => {}
            (Use::Scalar, Use::Size) => c.usage = Use::Size,
            (a, b) => {
                let message = format!(
                    "`{n}` is used {} here and {} before: give its type, `tensor!(|{n}: [f64; n]| …)`",
                    how(b),
                    how(a)
                );
                self.errors.push(n.span(), message);
            }
        }
    }

    fn kind(&self, e: &Expr) -> Kind {
        match &e.kind {
            ExprKind::Number { is_integer: true, .. } => Kind::Literal,
            ExprKind::Name(n) => match self.lookup(n) {
                Some(kind) => kind,
                None if self.found.iter().any(|c| c.name == *n && c.usage == Use::Size) => Kind::Index,
                None => Kind::Literal,
            },
            ExprKind::Path(_) => Kind::Literal,
            ExprKind::Neg(a) => self.kind(a),
            ExprKind::Binary(BinaryOp::Rem, ..) => Kind::Index,
            ExprKind::Binary(_, a, b) => self.kind(a).max(self.kind(b)),
            ExprKind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin, _) => Kind::Index,
            ExprKind::Block(b) if b.lets.is_empty() => self.kind(&b.value),
            _ => Kind::Real,
        }
    }

    /// `e` where an index is expected.
    fn index(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(n) => self.record(n, Use::Size),
            ExprKind::Neg(a) => self.index(a),
            ExprKind::Binary(_, a, b) => {
                self.index(a);
                self.index(b);
            }
            _ => self.value(e),
        }
    }

    fn pred(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Compare(first, rest) => {
                let sides = || std::iter::once(&**first).chain(rest.iter().map(|r| &r.1));
                let is_index = sides().map(|s| self.kind(s)).max() == Some(Kind::Index);
                for side in sides() {
                    if is_index { self.index(side) } else { self.value(side) }
                }
            }
            ExprKind::Not(p) => self.pred(p),
            ExprKind::And(p, q) | ExprKind::Or(p, q) => {
                self.pred(p);
                self.pred(q);
            }
            ExprKind::Exists(l) => self.looped(l, true),
            _ => self.value(e),
        }
    }

    fn looped(&mut self, l: &ast::Loop, is_pred: bool) {
        let mark = self.bound.len();
        self.binders(l);
        if let Some(p) = &l.guard {
            self.pred(p);
        }
        if is_pred {
            self.pred(&l.body.value)
        } else {
            self.body(&l.body)
        }
        self.bound.truncate(mark);
    }

    /// A recurrence; `named` are the names of what a `rec` gives.
    fn recurrence(&mut self, r: &ast::Recurrence, named: Option<&Pattern>) {
        let mark = self.bound.len();
        match &r.form {
            Form::Rec | Form::Prod => {}
            Form::Fold(_, from) | Form::Scan(_, from) => self.value(from),
            Form::Reduce(o) | Form::ScanWith(o) => {
                self.value(&o.unit);
                self.bind(&o.left, Kind::Real);
                self.bind(&o.right, Kind::Real);
                self.body(&o.value);
                self.bound.truncate(mark);
            }
        }
        match (&r.form, named) {
            (Form::Fold(state, _) | Form::Scan(state, _), _) | (Form::Rec, Some(state)) => {
                self.binders(&r.steps);
                let indices = self.bound.len();
                self.bind(state, Kind::Real);
                if matches!(r.form, Form::Rec) {
                    // An index hides what has its name.
                    self.bound[mark..].rotate_left(indices - mark);
                }
            }
            (Form::Rec | Form::Prod | Form::Reduce(_) | Form::ScanWith(_), _) => self.binders(&r.steps),
        }
        if let Some(p) = &r.steps.guard {
            self.pred(p);
        }
        self.body(&r.steps.body);
        self.bound.truncate(mark);
    }

    fn binders(&mut self, l: &ast::Loop) {
        for b in &l.binders {
            if let Some(r) = &b.range {
                self.index(&r.lower);
                self.index(&r.upper);
            }
            self.bound.push((b.index.to_string(), Kind::Index));
        }
    }

    fn bind(&mut self, p: &Pattern, kind: Kind) {
        match p {
            Pattern::Name(n) => self.bound.push((n.to_string(), kind)),
            Pattern::Tuple(parts, _) => parts.iter().for_each(|p| self.bind(p, Kind::Real)),
        }
    }

    fn body(&mut self, b: &ast::Body) {
        let mark = self.bound.len();
        for l in &b.lets {
            let kind = self.kind(&l.value);
            match &l.value.kind {
                ExprKind::Recurrence(r) => self.recurrence(r, Some(&l.pattern)),
                _ if kind == Kind::Index => self.index(&l.value),
                _ => self.value(&l.value),
            }
            // A literal stays one; a free name is a number.
            let is_number = matches!(l.value.kind, ExprKind::Number { .. });
            self.bind(&l.pattern, if kind == Kind::Literal && !is_number { Kind::Real } else { kind });
        }
        self.value(&b.value);
        self.bound.truncate(mark);
    }

    fn values(&mut self, es: &[Expr]) {
        es.iter().for_each(|e| self.value(e));
    }

    /// `e` where a value is expected.
    fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number { .. } | ExprKind::Path(_) => {}
            ExprKind::Name(n) => self.record(n, Use::Scalar),
            ExprKind::Access(..) => self.access(e),
            ExprKind::Bracket(items) => match items.as_slice() {
                [p] if is_condition(p) => self.pred(p),
                items => self.values(items),
            },
            ExprKind::Tuple(items) | ExprKind::Call(_, items) => self.values(items),
            ExprKind::Repeat(a, extents) => {
                self.value(a);
                extents.iter().for_each(|e| self.index(e));
            }
            ExprKind::Method(a, f, args) => {
                self.value(a);
                args.iter().for_each(|b| if f == "powi" { self.index(b) } else { self.value(b) });
            }
            ExprKind::Field(a, _) | ExprKind::Neg(a) => self.value(a),
            ExprKind::Binary(_, a, b) => {
                self.value(a);
                self.value(b);
            }
            ExprKind::Cast(a, _) => self.index(a),
            ExprKind::Gen(l) | ExprKind::Reduce(_, l) => self.looped(l, false),
            ExprKind::Recurrence(r) => self.recurrence(r, None),
            ExprKind::If(p, a, b) => {
                self.pred(p);
                self.body(a);
                self.body(b);
            }
            ExprKind::Block(b) => self.body(b),
            ExprKind::Compare(..)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Exists(_) => self.pred(e),
        }
    }

    fn access(&mut self, e: &Expr) {
        let (base, args) = flatten(e);
        match &base.kind {
            ExprKind::Name(n) => self.record(n, Use::Rank(args.len())),
            _ => self.value(base),
        }
        for a in args {
            if let IndexArg::At(i) = a {
                self.index(i);
            }
        }
    }
}
