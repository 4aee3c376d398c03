//! Operations at every type, by scalar operations: a tensor elementwise, a tuple part by part.

use super::context::{Bound, Cx, number, real};
use crate::error::Span;
use crate::index::{Affine, Atom, Cond, Pred};
use crate::typed::{Binder, Expr, ExprKind, IndexArg, Type};

/// A scalar operation on as many scalars as it is given.
pub(super) type Scalar<'f> = dyn Fn(Vec<Expr>) -> Expr + 'f;

/// `e.k`
pub(super) fn field(e: Expr, k: usize, ty: Type) -> Expr {
    let span = e.span;
    match e.kind {
        ExprKind::Tuple(mut parts) if parts.len() > k => parts.swap_remove(k),
        kind => {
            let e = Expr { kind, ty: e.ty, span };
            Expr { kind: ExprKind::Field(Box::new(e), k), ty, span }
        }
    }
}

/// `e[at]`, where `e` is an array of `element`.
pub(super) fn element(e: Expr, at: &[Affine], element: &Type) -> Expr {
    let span = e.span;
    let at = at.iter().map(|index| IndexArg { index: index.clone(), text: None, span }).collect();
    Expr { kind: ExprKind::Access(Box::new(e), at), ty: element.clone(), span }
}

/// The binders as affine forms.
pub(super) fn indices(binders: &[Binder]) -> Vec<Affine> {
    binders.iter().map(|b| Atom::Index(b.index).into()).collect()
}

/// The tensor of values of a type.
pub(super) fn gen_type(mut extents: Vec<Affine>, element: &Type) -> Type {
    match element {
        Type::Array(inner, el) => {
            extents.extend(inner.iter().cloned());
            Type::Array(extents, el.clone())
        }
        Type::Real | Type::Tuple(_) | Type::Size => Type::Array(extents, Box::new(element.clone())),
    }
}

/// Whether `e` may be written twice without being evaluated twice.
fn is_shared(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::OfIndex(_) => true,
        ExprKind::Field(e, _) => is_shared(e),
        ExprKind::Neg(_)
        | ExprKind::Add(..)
        | ExprKind::Sub(..)
        | ExprKind::Mul(..)
        | ExprKind::Prim(..)
        | ExprKind::Tuple(_)
        | ExprKind::Gen(..)
        | ExprKind::Reduce(..)
        | ExprKind::Access(..)
        | ExprKind::Guard(..)
        | ExprKind::If(..)
        | ExprKind::Let(..)
        | ExprKind::LetArg(_)
        | ExprKind::Rec(_)
        | ExprKind::Grad(..)
        | ExprKind::Outer(_)
        | ExprKind::Ruled(_)
        | ExprKind::Call(..) => false,
    }
}

impl Cx<'_> {
    /// `e`, or a variable bound to it if `e` would be evaluated wherever it is written.
    pub(super) fn share(&mut self, e: Expr, name: &str, bounds: &mut Vec<Bound>) -> Expr {
        if is_shared(&e) {
            return e;
        }
        let var = self.new_var(name);
        let (ty, span) = (e.ty.clone(), e.span);
        bounds.push(Bound::Let(var, e));
        Expr { kind: ExprKind::Var(var), ty, span }
    }

    /// `gen binders. [guard] body`, of which the elements are scalars or tuples:
    /// `gen i. [p] gen j. [q] e = gen i j. [p ∧ q] e` and `gen i. [p] a = gen i k. [p] a[k]`.
    pub(super) fn gen_of(
        &mut self,
        mut binders: Vec<Binder>,
        mut guard: Pred,
        body: Expr,
        span: Span,
    ) -> Expr {
        let ty = body.ty.clone();
        let extent = |b: &Binder| b.upper.plus_scaled(-1, &b.lower).unwrap_or_default();
        let mut extents: Vec<_> = binders.iter().map(extent).collect();
        let Type::Array(inner, el) = ty else {
            let kind = ExprKind::Gen(binders, guard, Box::new(body));
            return Expr { kind, ty: Type::Array(extents, Box::new(ty)), span };
        };
        extents.extend(inner.iter().cloned());
        let body = match body.kind {
            ExprKind::Gen(more, p, e) => {
                binders.extend(more);
                guard.extend(p);
                e
            }
            kind => {
                let body = Expr { kind, ty: Type::Array(inner.clone(), el.clone()), span: body.span };
                let ks = self.walk(&inner, span);
                let mut bounds = vec![];
                let a = self.share(body, "row", &mut bounds);
                let e = Cx::wrap(bounds, element(a, &indices(&ks), &el));
                binders.extend(ks);
                Box::new(e)
            }
        };
        Expr { kind: ExprKind::Gen(binders, guard, body), ty: Type::Array(extents, el), span }
    }

    /// `f` of the scalars of `args`, which are all of type `ty` and may be written twice.
    fn elementwise(&mut self, ty: &Type, args: &[Expr], span: Span, f: &Scalar) -> Expr {
        match ty {
            Type::Real | Type::Size => f(args.to_vec()),
            Type::Tuple(parts) => {
                let mut out = vec![];
                for (k, part) in parts.iter().enumerate() {
                    let args: Vec<_> = args.iter().map(|a| field(a.clone(), k, part.clone())).collect();
                    out.push(self.elementwise(part, &args, span, f));
                }
                Expr { kind: ExprKind::Tuple(out), ty: ty.clone(), span }
            }
            Type::Array(extents, el) => {
                let ks = self.walk(extents, span);
                let at = indices(&ks);
                let args: Vec<_> = args.iter().map(|a| element(a.clone(), &at, el)).collect();
                let body = self.elementwise(el, &args, span, f);
                Expr { kind: ExprKind::Gen(ks, vec![], Box::new(body)), ty: ty.clone(), span }
            }
        }
    }

    /// `f` of the scalars of `args`, which are all of one type: each is evaluated once.
    pub(super) fn lift(&mut self, args: Vec<Expr>, span: Span, f: &Scalar) -> Expr {
        let Some(ty) = args.first().map(|a| a.ty.clone()) else { return f(args) };
        if ty == Type::Real {
            return f(args);
        }
        let mut bounds = vec![];
        let names = ["a", "b", "c"].iter().chain(std::iter::repeat(&"v"));
        let args: Vec<_> = args.into_iter().zip(names).map(|(a, n)| self.share(a, n, &mut bounds)).collect();
        Cx::wrap(bounds, self.elementwise(&ty, &args, span, f))
    }

    /// `s * a`, `a / s`: `f` of each scalar of `a` and of `s`.
    pub(super) fn scale(&mut self, s: Expr, a: Expr, span: Span, f: &dyn Fn(Expr, Expr) -> Expr) -> Expr {
        let mut bounds = vec![];
        let s = self.share(s, "s", &mut bounds);
        let scaled = self.lift(vec![a], span, &|mut a| match a.pop() {
            Some(a) => f(s.clone(), a),
            None => s.clone(),
        });
        Cx::wrap(bounds, scaled)
    }

    /// `[a, b, c] = gen k in 0..3. [k = 0] a + [k = 1] b + [k = 2] c`
    pub(super) fn literal(&mut self, items: Vec<Expr>, span: Span) -> Option<Expr> {
        let ty = items.first()?.ty.clone();
        let count = i64::try_from(items.len()).ok()?;
        let mut bounds = vec![];
        let items: Vec<_> = items.into_iter().map(|e| self.share(e, "item", &mut bounds)).collect();
        let binder = self.walk(&[count.into()], span);
        let at = Atom::Index(binder.first()?.index);
        let choose = |items: Vec<Expr>| {
            let one = |(m, e): (usize, Expr)| {
                let here = Affine { terms: vec![(at.clone(), 1)], constant: -i64::from(number(m)) };
                real(ExprKind::Guard(vec![Cond::Zero(here)], Box::new(e)), span)
            };
            let add = |a, b| real(ExprKind::Add(Box::new(a), Box::new(b)), span);
            let zero = || real(ExprKind::Number(0.0), span);
            items.into_iter().enumerate().map(one).reduce(add).unwrap_or_else(zero)
        };
        let body = self.elementwise(&ty, &items, span, &choose);
        let array = self.gen_of(binder, vec![], body, span);
        Some(Cx::wrap(bounds, array))
    }
}
