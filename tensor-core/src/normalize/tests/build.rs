//! Typed programs by hand.

use crate::ast::Elem;
use crate::error::Span;
use crate::index::{Affine, Atom, Cond, Pred, cond};
use crate::prim::{Binary, Prim, Unary};
use crate::ssa::RealCompare;
use crate::typed::{
    Binder, Block, Comparison, Definition, EntryCheck, Expr, ExprKind, Function, IndexArg, LetArg, Param,
    Reduce, Size, SizeOrigin, Type, Var,
};
use proc_macro2::{Ident, TokenStream};

pub(crate) fn span() -> Span {
    proc_macro2::Span::call_site().into()
}

/// An expression.
#[derive(Clone)]
pub(crate) struct E(pub Expr);

fn e(kind: ExprKind, ty: Type) -> E {
    E(Expr { kind, ty, span: span() })
}

fn real(kind: ExprKind) -> E {
    e(kind, Type::Real)
}

pub(crate) fn i(k: u32) -> Affine {
    Affine::index(k)
}
pub(crate) fn n(k: u32) -> Affine {
    Affine::size(k)
}
pub(crate) fn c(k: i64) -> Affine {
    Affine::from(k)
}
/// `Σ coeff · form + constant`
pub(crate) fn aff(terms: &[(i64, Affine)], constant: i64) -> Affine {
    terms.iter().fold(Affine::from(constant), |a, (k, b)| a.plus_scaled(*k, b).unwrap())
}

pub(crate) fn lt(a: &Affine, b: &Affine) -> Cond {
    cond::lt(a, b).unwrap()
}
pub(crate) fn le(a: &Affine, b: &Affine) -> Cond {
    cond::le(a, b).unwrap()
}
pub(crate) fn eq(a: &Affine, b: &Affine) -> Cond {
    cond::eq(a, b).unwrap()
}

impl std::ops::Add for E {
    type Output = E;
    fn add(self, b: E) -> E {
        real(ExprKind::Add(self.0.into(), b.0.into()))
    }
}
impl std::ops::Sub for E {
    type Output = E;
    fn sub(self, b: E) -> E {
        real(ExprKind::Sub(self.0.into(), b.0.into()))
    }
}
impl std::ops::Mul for E {
    type Output = E;
    fn mul(self, b: E) -> E {
        real(ExprKind::Mul(self.0.into(), b.0.into()))
    }
}
impl std::ops::Div for E {
    type Output = E;
    fn div(self, b: E) -> E {
        real(ExprKind::Prim(Prim::Binary(Binary::Div), vec![self.0, b.0]))
    }
}
impl std::ops::Neg for E {
    type Output = E;
    fn neg(self) -> E {
        real(ExprKind::Neg(self.0.into()))
    }
}

impl E {
    pub(crate) fn unary(self, f: Unary) -> E {
        self.prim(Prim::Unary(f))
    }
    pub(crate) fn exp(self) -> E {
        self.unary(Unary::Exp)
    }
    pub(crate) fn ln(self) -> E {
        self.unary(Unary::Ln)
    }
    pub(crate) fn sin(self) -> E {
        self.unary(Unary::Sin)
    }
    pub(crate) fn powi(self, k: Affine) -> E {
        self.prim(Prim::Powi(k))
    }
    pub(crate) fn prim(self, f: Prim) -> E {
        real(ExprKind::Prim(f, vec![self.0]))
    }
    /// `self[at]`
    pub(crate) fn at(self, at: &[Affine]) -> E {
        let Type::Array(_, ty) = self.0.ty.clone() else { panic!("not an array") };
        let at = at.iter().map(|a| IndexArg { index: a.clone(), text: None, span: span() }).collect();
        e(ExprKind::Access(self.0.into(), at), *ty)
    }
    pub(crate) fn field(self, k: usize) -> E {
        let Type::Tuple(parts) = self.0.ty.clone() else { panic!("not a tuple") };
        e(ExprKind::Field(self.0.into(), k), parts[k].clone())
    }
    /// `[p] self`
    pub(crate) fn only(self, p: Pred) -> E {
        let ty = self.0.ty.clone();
        e(ExprKind::Guard(p, self.0.into()), ty)
    }
    pub(crate) fn ty(&self) -> Type {
        self.0.ty.clone()
    }
}

pub(crate) fn num(x: f64) -> E {
    real(ExprKind::Number(x))
}
pub(crate) fn constant(path: &str) -> E {
    real(ExprKind::Constant(path.into()))
}
pub(crate) fn of_index(a: Affine) -> E {
    real(ExprKind::OfIndex(a))
}
pub(crate) fn var(k: u32, ty: Type) -> E {
    e(ExprKind::Var(Var(k)), ty)
}
pub(crate) fn tuple(parts: Vec<E>) -> E {
    let ty = Type::Tuple(parts.iter().map(E::ty).collect());
    e(ExprKind::Tuple(parts.into_iter().map(|p| p.0).collect()), ty)
}
pub(crate) fn clamp(x: E, low: E, high: E) -> E {
    real(ExprKind::Prim(Prim::Clamp, vec![x.0, low.0, high.0]))
}

/// `(index, lower, upper)`
pub(crate) type Range = (u32, Affine, Affine);

fn binders(ranges: &[Range]) -> Vec<Binder> {
    let binder = |r: &Range| Binder { index: r.0, lower: r.1.clone(), upper: r.2.clone(), span: span() };
    ranges.iter().map(binder).collect()
}
/// `index in 0..upper`
pub(crate) fn to(index: u32, upper: &Affine) -> Range {
    (index, c(0), upper.clone())
}
pub(crate) fn array(extents: &[Affine]) -> Type {
    Type::Array(extents.to_vec(), Box::new(Type::Real))
}
pub(crate) fn gen_if(ranges: &[Range], p: Pred, body: E) -> E {
    let extents = ranges.iter().map(|r| r.2.minus(&r.1).unwrap()).collect();
    let ty = Type::Array(extents, Box::new(body.ty()));
    e(ExprKind::Gen(binders(ranges), p, body.0.into()), ty)
}
pub(crate) fn tensor(ranges: &[Range], body: E) -> E {
    gen_if(ranges, vec![], body)
}
pub(crate) fn reduce(op: Reduce, ranges: &[Range], p: Pred, body: E) -> E {
    real(ExprKind::Reduce(op, binders(ranges), p, body.0.into()))
}
pub(crate) fn sum(ranges: &[Range], body: E) -> E {
    reduce(Reduce::Sum, ranges, vec![], body)
}
pub(crate) fn choose(p: Pred, a: E, b: E) -> E {
    let ty = a.ty();
    e(ExprKind::If(p, a.0.into(), b.0.into()), ty)
}
/// `let var = value; rest`
pub(crate) fn bind(var: u32, value: E, rest: impl FnOnce(E) -> E) -> E {
    let ty = value.ty();
    let rest = rest(e(ExprKind::Var(Var(var)), ty));
    let ty = rest.ty();
    e(ExprKind::Let(Var(var), value.0.into(), rest.0.into()), ty)
}
/// `let k = argmax range if guard { value }; rest(k)`
pub(crate) fn arg_max(
    element: u32,
    range: Range,
    guard: Pred,
    value: E,
    rest: impl FnOnce(Affine) -> E,
) -> E {
    let rest = rest(Affine::from(Atom::Element(element, vec![])));
    let ty = rest.ty();
    let binder = binders(&[range]).remove(0);
    let (name, may_be_empty) = (String::new(), false);
    let l = LetArg { element, name, is_max: true, binder, guard, may_be_empty, value: value.0, rest: rest.0 };
    e(ExprKind::LetArg(Box::new(l)), ty)
}
pub(crate) fn call(k: usize, sizes: &[Affine], args: Vec<E>, ty: Type) -> E {
    e(ExprKind::Call(k, sizes.to_vec(), args.into_iter().map(|a| a.0).collect()), ty)
}
/// The condition `left < right` that the function keeps under this id.
pub(crate) fn real_lt(id: u32) -> Cond {
    Cond::Opaque { id, args: vec![], holds: true }
}

/// A function of `sizes` sizes whose parameters are the variables from 0 on.
pub(crate) fn function(name: &str, sizes: usize, params: &[Type], body: E) -> Function {
    let param = |(k, ty): (usize, &Type)| Param {
        name: ident(&format!("p{k}")),
        ty: ty.clone(),
        var: Some(Var(u32::try_from(k).unwrap())),
    };
    let size = |k: usize| Size { name: ["n", "m", "l"][k].into(), origin: SizeOrigin::Shape(span()) };
    Function {
        attrs: TokenStream::new(),
        threads: false,
        vis: TokenStream::new(),
        name: ident(name),
        sizes: (0..sizes).map(size).collect(),
        params: params.iter().enumerate().map(param).collect(),
        result: body.ty(),
        is_inner: false,
        linearization: None,
        elem: Elem::F64,
        solution: crate::index::project::Sizes::default(),
        checks: vec![],
        body: Some(Definition::Expr(body.0)),
        indices: (0..16).map(|k| format!("i{k}")).collect(),
        variables: (0..32).map(|k| format!("v{k}")).collect(),
        recomputed: Default::default(),
        comparisons: vec![],
        elements: vec![],
        written: vec![],
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, proc_macro2::Span::call_site())
}

pub(crate) trait With {
    fn compares(self, left: E, right: E) -> Self;
    fn requires(self, condition: Cond) -> Self;
}

impl With for Function {
    /// The next comparison: `left < right`
    fn compares(mut self, left: E, right: E) -> Function {
        self.comparisons.push(Comparison { op: RealCompare::Lt, left: left.0, right: right.0 });
        self
    }
    fn requires(mut self, condition: Cond) -> Function {
        self.checks.push(EntryCheck { condition, text: String::new() });
        self
    }
}

pub(crate) fn block(functions: Vec<Function>) -> Block {
    let order = (0..functions.len()).collect();
    Block { functions, order, ..Block::default() }
}

impl E {
    pub(crate) fn prim2(f: Prim, a: E, b: E) -> E {
        real(ExprKind::Prim(f, vec![a.0, b.0]))
    }
}
