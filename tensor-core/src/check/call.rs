//! Calls: of scalar functions by their Rust names, of `stop`, and of the functions of the block.

mod block;

use super::context::{Binding, Cx, real};
use super::names;
use crate::ast::Expr;
use crate::error::Span;
use crate::prim::{Prim, UNARY, table};
use crate::typed::{self, ExprKind, Type};
use proc_macro2::Ident;

/// The names of all that is built in.
pub(super) fn built_in() -> impl Iterator<Item = &'static str> {
    table::names().chain(["stop"])
}

/// The arguments behind the first, as in `x.f(…)`.
fn rest_of(f: &Ident) -> &'static str {
    if UNARY.iter().any(|u| *f == u.name()) { "" } else { "…" }
}

/// What people write of other languages and libraries.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    match name {
        "log" => Some("the natural logarithm is `ln`"),
        "pow" => Some("powers are `powi` and `powf`"),
        "log1p" => Some("it is `ln_1p`"),
        "expm1" => Some("it is `exp_m1`"),
        "len" => Some("name the length as a size, `x: [f64; n]`"),
        "sum" => Some("sums are written `sum i { x[i] }`"),
        "dot" | "matmul" => Some(
            "the dot product of two vectors is a sum, `sum i { x[i] * y[i] }`, and that of a matrix and a vector one for each row, `for i { sum j { a[i, j] * x[j] } }`",
        ),
        "norm" => Some("it is `(sum i { x[i] * x[i] }).sqrt()`"),
        "mean" => Some("it is `sum i { x[i] } / (n as f64)`"),
        "t" | "transpose" => Some("the transposed matrix is `for j, i { a[i, j] }`"),
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
        if let Some(op) = UNARY.iter().find(|u| *name == *u.name()) {
            return self.scalar(Prim::Unary(*op), 1, f, args, span);
        }
        if let Some(op) = table::named_binary().find(|b| *name == *b.name()) {
            return self.scalar(Prim::Binary(op), 2, f, args, span);
        }
        match name.as_str() {
            "clamp" => self.scalar(Prim::Clamp, 3, f, args, span),
            "powi" => self.powi(f, args, span),
            "stop" => {
                self.arity(f, 1, args)?;
                let e = self.expr(args.first()?)?;
                Some(self.lift(vec![e], span, &|xs| real(ExprKind::Prim(Prim::Stop, xs), span)))
            }
            "grad" if !is_method && !self.block.by_name.contains_key("grad") => self.grad(f, args, span),
            _ => self.block_call(f, args, span, is_method),
        }
    }

    fn arity(&mut self, f: &Ident, expected: usize, args: &[&Expr]) -> Option<()> {
        if args.len() == expected {
            return Some(());
        }
        if let ("max" | "min", [a]) = (f.to_string().as_str(), args) {
            let a = names::or(a, "x");
            let message = format!("`{f}` takes 2 arguments; the {f}imum of a tensor is `{f} i {{ {a}[i] }}`");
            return self.error(f.span(), message);
        }
        let s = if expected == 1 { "" } else { "s" };
        let with = if expected == 1 { "" } else { ", including the receiver" };
        let as_method = match expected {
            1 => format!("`x.{f}()`"),
            2 => format!("`x.{f}(y)`"),
            _ => format!("`x.{f}(low, high)`"),
        };
        self.error(
            f.span(),
            format!("`{f}` takes {expected} argument{s}{with}, not {}: {as_method}", args.len()),
        )
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
                format!(
                    "of each element it is `for {is} {{ {}[{is}].{f}({}) }}`",
                    names::or(a, "x"),
                    rest_of(f)
                )
            }
            Type::Tuple(_) | Type::Size => "take its parts".into(),
        };
        self.error(a.span, format!("`{f}` takes a scalar, but `{text}` is `{ty}`: {advice}"))
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

    /// `grad(e, x)`
    fn grad(&mut self, f: &Ident, args: &[&Expr], span: Span) -> Option<typed::Expr> {
        let [e, x] = args else {
            return self.error(f.span(), "`grad(e, x)` takes a scalar and a variable");
        };
        if self.recurrences > 0 {
            return self.error(
                f.span(),
                "`grad(e, x)` does not stand in a recurrence\n  help: let a function of its own return it, and call that",
            );
        }
        let value = self.expr(e);
        let crate::ast::ExprKind::Name(name) = &x.kind else {
            let text = names::expr(x);
            return self.error(
                x.span,
                format!("`grad(e, x)` differentiates with respect to a variable: bind `{text}` by a `let` before, and use its name in `e`"),
            );
        };
        let (var, ty) = match self.lookup(&name.to_string()).cloned() {
            Some(Binding::Value(var, ty)) => (var, ty),
            Some(Binding::Number(_, var)) => (var, Type::Real),
            Some(Binding::Index(_)) => {
                let what = "an index or a size: derivatives are with respect to real variables";
                return self.error(x.span, format!("`{name}` is {what}"));
            }
            Some(Binding::Error | Binding::Unfinished(..)) => return None,
            None => return self.unknown(name),
        };
        let value = value?;
        if value.ty != Type::Real {
            let (text, found) = (names::expr(e), self.type_text(&value.ty));
            return self
                .error(e.span, format!("`grad(e, x)` differentiates a scalar, but `{text}` is `{found}`"));
        }
        Some(typed::Expr { kind: ExprKind::Grad(Box::new(value), var), ty, span })
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
}
