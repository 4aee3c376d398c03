//! Calls of the functions of the block: arguments, and the sizes that follow from them.

use super::super::context::{Binding, Cx, number, of_sizes};
use super::super::names;
use super::super::signature::{dims as dims_of, leaves};
use super::{built_in, foreign};
use crate::ast::Expr;
use crate::error::Span;
use crate::index::{Affine, Atom};
use crate::typed::{self, ExprKind, SizeOrigin, Type};
use proc_macro2::Ident;

impl Cx<'_> {
    /// A call of a function of the block.
    pub(super) fn block_call(
        &mut self,
        f: &Ident,
        args: &[&Expr],
        span: Span,
        is_method: bool,
    ) -> Option<typed::Expr> {
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
                if let (Some(Binding::Value(..)), false) = (self.lookup(&name), is_method) {
                    let message =
                        format!("`{name}` is a value, not a function: its elements are `{name}[i]`");
                    return self.error(f.span(), message);
                }
                let what = if is_method { "method" } else { "function" };
                return self.error(f.span(), format!("there is no {what} `{name}`{advice}"));
            }
        };
        let signatures = self.block;
        let callee_function = signatures.functions.get(callee)?;
        if callee_function.linearization.is_some() {
            let message =
                format!("`{name}` is a linearization, which Rust calls: in a block, use `jvp` or `vjp`");
            return self.error(f.span(), message);
        }
        self.calls.push(callee);
        if args.len() != callee_function.params.len() {
            let expected = callee_function.params.len();
            let s = if expected == 1 { "" } else { "s" };
            let its: Vec<_> = callee_function.params.iter().map(|p| format!("`{}`", p.name)).collect();
            let of = if its.is_empty() { String::new() } else { format!(" ({})", its.join(", ")) };
            return self
                .error(f.span(), format!("`{name}` takes {expected} argument{s}{of}, not {}", args.len()));
        }
        if callee_function.elem != self.elem {
            let (its, ours) = (names::elem(callee_function.elem), names::elem(self.elem));
            return self
                .error(f.span(), format!("`{name}` is a function of `{its}`, this is one of `{ours}`"));
        }
        let (values, given, dims) = self.arguments(callee_function, args)?;
        let sizes = self.callee_sizes(callee_function, &given, &dims, f)?;
        self.compare_dims(callee_function, &sizes, &dims, args)?;
        let Some(ty) = substitute_type(&callee_function.result, &sizes) else {
            return self
                .error(f.span(), format!("the numbers in the sizes of this call of `{name}` are too large"));
        };
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
                let names = f.names();
                let (wanted, found) = (names::ty(&param.ty, self.elem, &names), self.type_text(&value.ty));
                self.errors.push(
                    a.span,
                    format!(
                        "the argument `{}` of `{}` is `{wanted}`, but this is `{found}`",
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
        if !of_sizes(&size) {
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
                let part = part?;
                let Some(sum) = value.plus_scaled(*c, &part) else {
                    let message = format!("the numbers in the sizes of this call of `{name}` are too large");
                    return self.error(name.span(), message);
                };
                value = sum;
            }
            let divisible = value.constant % v.den == 0 && value.terms.iter().all(|t| t.1 % v.den == 0);
            if !divisible {
                let (text, size) = (parenthesized(self.affine_text(&value)), &f.sizes.get(k as usize)?.name);
                return self.error(
                    name.span(),
                    format!(
                        "the size `{size}` of `{name}` would be `{text} / {}`, which need not be an integer",
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
        for (wanted, d) in dims_of(&f.params).iter().zip(dims) {
            let Some(w) = substitute(wanted, sizes) else { continue };
            if !self.same_extent(&w, &d.extent) {
                let param = f.params.get(d.param)?;
                let (found, needed) = (self.affine_text(&d.extent), self.affine_text(&w));
                let written = f.names().affine(wanted);
                let is = if written == needed {
                    format!("`{needed}`")
                } else {
                    format!("`{written}`, here `{needed}`")
                };
                let advice = self.equal_if(&w, &d.extent);
                self.errors.push(
                    args.get(d.param)?.span,
                    format!(
                        "dimension {} of the argument `{}` of `{}` is {is}, but this has `{found}`{advice}",
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
struct Dim {
    extent: Affine,
    param: usize,
    dim: usize,
}

fn parenthesized(text: String) -> String {
    if text.contains(' ') { format!("({text})") } else { text }
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
        let k = number(k);
        out = out.substitute(&Atom::Size(k), &Atom::Index(k).into(), 1)?;
    }
    for (k, s) in sizes.iter().enumerate() {
        out = out.substitute(&Atom::Index(number(k)), s, 1)?;
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
