//! Calls: of scalar functions by their Rust names, of `stop`, and of the functions of the block.

use super::context::{Cx, real};
use super::names;
use super::signature::leaves;
use crate::ast::Expr;
use crate::error::Span;
use crate::index::{Affine, Atom};
use crate::prim::{Binary, Prim, Unary};
use crate::typed::{self, ExprKind, SizeOrigin, Type};
use proc_macro2::Ident;

/// The functions of one number.
const UNARY: [(&str, Unary); 30] = [
    ("exp", Unary::Exp),
    ("exp2", Unary::Exp2),
    ("ln", Unary::Ln),
    ("log2", Unary::Log2),
    ("log10", Unary::Log10),
    ("sqrt", Unary::Sqrt),
    ("cbrt", Unary::Cbrt),
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("tan", Unary::Tan),
    ("asin", Unary::Asin),
    ("acos", Unary::Acos),
    ("atan", Unary::Atan),
    ("sinh", Unary::Sinh),
    ("cosh", Unary::Cosh),
    ("tanh", Unary::Tanh),
    ("asinh", Unary::Asinh),
    ("acosh", Unary::Acosh),
    ("atanh", Unary::Atanh),
    ("abs", Unary::Abs),
    ("recip", Unary::Recip),
    ("exp_m1", Unary::ExpM1),
    ("ln_1p", Unary::Ln1p),
    ("signum", Unary::Signum),
    ("floor", Unary::Floor),
    ("ceil", Unary::Ceil),
    ("round", Unary::Round),
    ("sigmoid", Unary::Sigmoid),
    ("softplus", Unary::Softplus),
    ("erf", Unary::Erf),
];

/// The functions of two numbers.
const BINARY: [(&str, Binary); 5] = [
    ("atan2", Binary::Atan2),
    ("hypot", Binary::Hypot),
    ("powf", Binary::Powf),
    ("max", Binary::Max),
    ("min", Binary::Min),
];

/// The names of all that is built in.
pub(super) fn built_in() -> impl Iterator<Item = &'static str> {
    let two = BINARY.iter().map(|f| f.0);
    UNARY.iter().map(|f| f.0).chain(two).chain(["clamp", "powi", "stop"])
}

/// What people write of other languages and libraries.
fn foreign(name: &str) -> Option<&'static str> {
    match name {
        "log" => Some("the natural logarithm is `ln`"),
        "pow" => Some("powers are `powi` and `powf`"),
        "log1p" => Some("it is `ln_1p`"),
        "expm1" => Some("it is `exp_m1`"),
        "len" => Some("name the length as a size, `x: [f64; n]`"),
        "sum" => Some("sums are written `sum i { x[i] }`"),
        "iter" => Some("loops are written `for i { x[i] }`"),
        "relu" => Some("it is `x.max(0.0)`"),
        _ => None,
    }
}

impl Cx<'_> {
    /// `f(args)`, or `args[0].f(args[1..])` if `is_method`.
    pub(super) fn call(
        &mut self,
        f: &Ident,
        args: &[&Expr],
        span: Span,
        is_method: bool,
    ) -> Option<typed::Expr> {
        let name = f.to_string();
        if let Some((_, op)) = UNARY.iter().find(|u| u.0 == name) {
            return self.scalar(Prim::Unary(*op), 1, f, args, span);
        }
        if let Some((_, op)) = BINARY.iter().find(|b| b.0 == name) {
            return self.scalar(Prim::Binary(*op), 2, f, args, span);
        }
        match name.as_str() {
            "clamp" => self.scalar(Prim::Clamp, 3, f, args, span),
            "powi" => self.powi(f, args, span),
            "stop" => {
                self.arity(f, 1, args)?;
                let e = self.expr(args.first()?)?;
                Some(self.lift(vec![e], span, &|xs| real(ExprKind::Prim(Prim::Stop, xs), span)))
            }
            "grad" if args.len() == 2 && !is_method => {
                self.error(f.span(), "`grad(e, x)` in an expression is not available yet")
            }
            _ => self.block_call(f, args, span, is_method),
        }
    }

    fn arity(&mut self, f: &Ident, expected: usize, args: &[&Expr]) -> Option<()> {
        if args.len() == expected {
            return Some(());
        }
        let s = if expected == 1 { "" } else { "s" };
        let as_method = match expected {
            1 => format!("`x.{f}()`"),
            2 => format!("`x.{f}(y)`"),
            _ => format!("`x.{f}(low, high)`"),
        };
        self.error(f.span(), format!("`{f}` takes {expected} argument{s}, not {}: {as_method}", args.len()))
    }

    fn scalars(&mut self, f: &Ident, args: &[&Expr]) -> Option<Vec<typed::Expr>> {
        let values: Vec<_> = args.iter().map(|a| self.scalar_argument(f, a)).collect();
        values.into_iter().collect()
    }

    fn scalar_argument(&mut self, f: &Ident, a: &Expr) -> Option<typed::Expr> {
        let value = self.expr(a)?;
        let (text, ty) = (names::expr(a), self.type_text(&value.ty));
        let advice = match &value.ty {
            Type::Real => return Some(value),
            Type::Array(extents, _) => {
                let is =
                    ["i", "j", "k", "l"].iter().take(extents.len()).copied().collect::<Vec<_>>().join(", ");
                format!("of each element it is `for {is} {{ x[{is}].{f}() }}`")
            }
            Type::Tuple(_) | Type::Size => "take its parts".into(),
        };
        self.error(a.span, format!("`{f}` is of numbers, and `{text}` is `{ty}`: {advice}"))
    }

    fn scalar(
        &mut self,
        prim: Prim,
        arity: usize,
        f: &Ident,
        args: &[&Expr],
        span: Span,
    ) -> Option<typed::Expr> {
        self.arity(f, arity, args)?;
        let args = self.scalars(f, args)?;
        Some(real(ExprKind::Prim(prim, args), span))
    }

    fn powi(&mut self, f: &Ident, args: &[&Expr], span: Span) -> Option<typed::Expr> {
        self.arity(f, 2, args)?;
        let (Some(base), Some(exponent)) = (args.first(), args.get(1)) else { return None };
        let base_value = self.scalar_argument(f, base);
        if matches!(self.kind(exponent), super::affine::Kind::Real) {
            let text = names::expr(exponent);
            return self.error(
                exponent.span,
                format!("the exponent of `powi` is an integer, an index or a size: write `powf({text})`"),
            );
        }
        let k = self.affine(exponent);
        Some(real(ExprKind::Prim(Prim::Powi(k?), vec![base_value?]), span))
    }

    /// A call of a function of the block.
    fn block_call(&mut self, f: &Ident, args: &[&Expr], span: Span, is_method: bool) -> Option<typed::Expr> {
        let name = f.to_string();
        let callee = match self.block.by_name.get(&name) {
            Some(Some(k)) if !is_method => *k,
            Some(Some(_)) => {
                return self
                    .error(f.span(), format!("`{name}` is a function of the block: call it `{name}(…)`"));
            }
            Some(None) => {
                args.iter().for_each(|a| drop(self.expr(a)));
                return None;
            }
            None => {
                let advice = foreign(&name).map(|a| format!("; {a}"));
                let ours = self.block.by_name.keys().filter(|_| !is_method).cloned();
                let known: Vec<String> = ours.chain(built_in().map(String::from)).collect();
                let advice =
                    advice.unwrap_or_else(|| names::suggestion(&name, known.iter().map(String::as_str)));
                let what = if is_method { "method" } else { "function" };
                return self.error(f.span(), format!("there is no {what} `{name}`{advice}"));
            }
        };
        let signatures = self.block;
        let callee_function = signatures.functions.get(callee)?;
        self.calls.push(callee);
        if args.len() != callee_function.params.len() {
            let expected = callee_function.params.len();
            let s = if expected == 1 { "" } else { "s" };
            return self
                .error(f.span(), format!("`{name}` takes {expected} argument{s}, not {}", args.len()));
        }
        if callee_function.elem != self.elem {
            let (its, ours) = (names::elem(callee_function.elem), names::elem(self.elem));
            return self
                .error(f.span(), format!("`{name}` is a function of `{its}`, this is one of `{ours}`"));
        }
        let (values, given, dims) = self.arguments(callee_function, args)?;
        let sizes = self.callee_sizes(callee_function, &given, &dims, f)?;
        self.compare_dims(callee_function, &sizes, &dims, args)?;
        let ty = substitute_type(&callee_function.result, &sizes)?;
        Some(typed::Expr { kind: ExprKind::Call(callee, sizes, values), ty, span })
    }

    /// The values of the real arguments, the affine forms of the sizes (by parameter), and the dimensions of the leaves.
    #[allow(clippy::type_complexity)]
    fn arguments(
        &mut self,
        f: &typed::Function,
        args: &[&Expr],
    ) -> Option<(Vec<typed::Expr>, Vec<Option<Affine>>, Vec<Dim>)> {
        let (mut values, mut given, mut dims) = (vec![], vec![], vec![]);
        let mut ok = true;
        for (k, (param, a)) in f.params.iter().zip(args).enumerate() {
            if param.ty == Type::Size {
                let size = self.size_argument(f, &param.name, a);
                ok &= size.is_some();
                given.push(size);
                continue;
            }
            given.push(None);
            let Some(value) = self.expr(a) else {
                ok = false;
                continue;
            };
            if same_shape(&param.ty, &value.ty) {
                let mut of = vec![];
                leaves(&value.ty, &[], &mut of);
                dims.extend(of.iter().flat_map(|l| l.iter().enumerate()).map(|(d, e)| Dim {
                    extent: e.clone(),
                    param: k,
                    dim: d,
                }));
            } else {
                let names = callee_names(f);
                let (wanted, found) = (names::ty(&param.ty, self.elem, &names), self.type_text(&value.ty));
                self.errors.push(
                    a.span,
                    format!(
                        "the argument `{}` of `{}` is `{wanted}`, and this is `{found}`",
                        param.name, f.name
                    ),
                );
                ok = false;
            }
            values.push(value);
        }
        ok.then_some((values, given, dims))
    }

    fn size_argument(&mut self, f: &typed::Function, param: &Ident, a: &Expr) -> Option<Affine> {
        let mark = self.lifted.len();
        let size = self.affine(a);
        self.lifted.truncate(mark);
        let size = size?;
        if !super::context::of_sizes(&size) {
            let text = names::expr(a);
            return self.error(
                a.span,
                format!("the argument `{param}` of `{}` is a size, and `{text}` depends on an index", f.name),
            );
        }
        Some(size)
    }

    /// The sizes of the callee, by the way in which it finds them itself.
    fn callee_sizes(
        &mut self,
        f: &typed::Function,
        given: &[Option<Affine>],
        dims: &[Dim],
        name: &Ident,
    ) -> Option<Vec<Affine>> {
        let mut sizes: Vec<Option<Affine>> = vec![];
        for s in &f.sizes {
            sizes.push(match &s.origin {
                SizeOrigin::Shape(_) => None,
                SizeOrigin::Parameter(k) => given.get(*k)?.clone(),
                SizeOrigin::Constant(path) => Some(self.constant_size(path.clone())),
            });
        }
        for v in &f.solution.found {
            let Atom::Size(k) = v.atom else { continue };
            let mut value = Affine::from(v.num.constant);
            for (atom, c) in &v.num.terms {
                let part = match atom {
                    Atom::Index(d) => Some(dims.get(*d as usize)?.extent.clone()),
                    Atom::Size(s) => sizes.get(*s as usize)?.clone(),
                    Atom::Floor(..) | Atom::Element(..) | Atom::Product(_) => None,
                };
                value = value.plus_scaled(*c, &part?)?;
            }
            let divisible = value.constant % v.den == 0 && value.terms.iter().all(|t| t.1 % v.den == 0);
            if !divisible {
                let (text, size) = (self.affine_text(&value), &f.sizes.get(k as usize)?.name);
                return self.error(
                    name.span(),
                    format!(
                        "the size `{size}` of `{name}` would be ({text}) / {}, which need not be an integer",
                        v.den
                    ),
                );
            }
            value.terms.iter_mut().for_each(|t| t.1 /= v.den);
            value.constant /= v.den;
            *sizes.get_mut(k as usize)? = Some(value);
        }
        sizes.into_iter().collect()
    }

    fn compare_dims(
        &mut self,
        f: &typed::Function,
        sizes: &[Affine],
        dims: &[Dim],
        args: &[&Expr],
    ) -> Option<()> {
        let mut ok = true;
        for (wanted, d) in super::signature::dims(&f.params).iter().zip(dims) {
            let Some(w) = substitute(wanted, sizes) else { continue };
            if !self.same_extent(&w, &d.extent) {
                let param = f.params.get(d.param)?;
                let (found, needed) = (self.affine_text(&d.extent), self.affine_text(&w));
                let written = callee_names(f).affine(wanted);
                let is = if written == needed {
                    format!("`{needed}`")
                } else {
                    format!("`{written}`, here `{needed}`")
                };
                self.errors.push(
                    args.get(d.param)?.span,
                    format!(
                        "dimension {} of the argument `{}` of `{}` is {is}, and this has `{found}`",
                        d.dim, param.name, f.name
                    ),
                );
                ok = false;
            }
        }
        ok.then_some(())
    }
}

/// A dimension of a leaf of an argument.
pub(super) struct Dim {
    extent: Affine,
    param: usize,
    dim: usize,
}

fn callee_names(f: &typed::Function) -> crate::index::Names {
    crate::index::Names { sizes: f.sizes.iter().map(|s| s.name.clone()).collect(), ..Default::default() }
}

/// Whether the types are equal but for extents.
fn same_shape(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Real, Type::Real) | (Type::Size, Type::Size) => true,
        (Type::Array(d, x), Type::Array(e, y)) => d.len() == e.len() && same_shape(x, y),
        (Type::Tuple(xs), Type::Tuple(ys)) => {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same_shape(x, y))
        }
        (Type::Real | Type::Size | Type::Array(..) | Type::Tuple(_), _) => false,
    }
}

/// `a` with the callee's sizes replaced by the caller's forms.
fn substitute(a: &Affine, sizes: &[Affine]) -> Option<Affine> {
    // Both number their sizes from zero: first to indices, which extents do not have, then to the forms.
    let mut out = a.clone();
    for k in 0..sizes.len() {
        let k = super::context::number(k);
        out = out.substitute(&Atom::Size(k), &Atom::Index(k).into(), 1)?;
    }
    for (k, s) in sizes.iter().enumerate() {
        out = out.substitute(&Atom::Index(super::context::number(k)), s, 1)?;
    }
    Some(out)
}

fn substitute_type(t: &Type, sizes: &[Affine]) -> Option<Type> {
    Some(match t {
        Type::Real => Type::Real,
        Type::Size => Type::Size,
        Type::Array(extents, el) => {
            let extents = extents.iter().map(|e| substitute(e, sizes)).collect::<Option<_>>()?;
            Type::Array(extents, Box::new(substitute_type(el, sizes)?))
        }
        Type::Tuple(parts) => {
            Type::Tuple(parts.iter().map(|p| substitute_type(p, sizes)).collect::<Option<_>>()?)
        }
    })
}
