//! Index expressions: affine forms of indices and sizes.

use super::context::{Binding, Cx};
use super::names;
use crate::ast::{BinaryOp, CompareOp, Expr, ExprKind, ReduceOp};
use crate::index::affine::{floor, product};
use crate::index::{Affine, Atom};
use crate::weights;
use proc_macro2::Ident;
use quote::quote;

/// What an expression is, by its leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Integer literals.
    Literal,
    /// Rust constants and integer literals.
    Constant,
    /// Indices and sizes.
    Index,
    /// A value.
    Real,
    /// Its definition had errors.
    Error,
}

/// Whether a name is that of a Rust constant.
pub(crate) fn is_constant_name(name: &Ident) -> bool {
    name.to_string().starts_with(char::is_uppercase)
}

impl Cx<'_> {
    /// What `e` is. Reports nothing.
    pub(super) fn kind(&self, e: &Expr) -> Kind {
        match &e.kind {
            ExprKind::Number { is_integer, .. } => {
                if *is_integer {
                    Kind::Literal
                } else {
                    Kind::Real
                }
            }
            ExprKind::Name(n) => match self.lookup(&n.to_string()) {
                Some(Binding::Value(..) | Binding::Unfinished(..)) => Kind::Real,
                Some(Binding::Index(_)) => Kind::Index,
                Some(Binding::Number(..)) => Kind::Literal,
                Some(Binding::Error) => Kind::Error,
                None if self.known_constant(&n.to_string()).is_some() => Kind::Index,
                None if is_constant_name(n) => Kind::Constant,
                None => Kind::Error,
            },
            ExprKind::Path(p) if self.known_constant(&p.to_string().replace(' ', "")).is_some() => {
                Kind::Index
            }
            ExprKind::Path(_) => Kind::Constant,
            ExprKind::Neg(a) => self.kind(a),
            ExprKind::Binary(BinaryOp::Rem, a, _) => self.kind(a).max(Kind::Index),
            ExprKind::Binary(_, a, b) => self.kind(a).max(self.kind(b)),
            ExprKind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin, _) => Kind::Index,
            ExprKind::Block(b) if b.lets.is_empty() => self.kind(&b.value),
            ExprKind::Reduce(..)
            | ExprKind::Block(_)
            | ExprKind::Tuple(_)
            | ExprKind::Bracket(_)
            | ExprKind::Repeat(..)
            | ExprKind::Field(..)
            | ExprKind::Access(..)
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Cast(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..)
            | ExprKind::Gen(_)
            | ExprKind::Exists(_)
            | ExprKind::Recurrence(_)
            | ExprKind::If(..) => Kind::Real,
        }
    }

    /// `e` as an affine form of indices and sizes.
    pub(super) fn affine(&mut self, e: &Expr) -> Option<Affine> {
        match &e.kind {
            ExprKind::Number { digits, is_integer: true } => match digits.parse::<i64>() {
                Ok(k) if k <= weights::check::INTEGER => Some(k.into()),
                Ok(_) | Err(_) => self.error(e.span, format!("`{digits}` is too large for an index")),
            },
            ExprKind::Number { digits, .. } => {
                self.error(e.span, format!("`{digits}` is not an integer, as an index must be"))
            }
            ExprKind::Name(n) => self.affine_name(n),
            ExprKind::Path(p) => Some(self.constant_size(p.clone())),
            ExprKind::Neg(a) => {
                let a = self.affine(a)?;
                self.fits(a.scale(-1), e)
            }
            ExprKind::Binary(op, a, b) => self.affine_binary(e, *op, a, b),
            ExprKind::Reduce(op @ (ReduceOp::ArgMax | ReduceOp::ArgMin), l) => {
                self.arg_extreme(*op == ReduceOp::ArgMax, l, e.span)
            }
            ExprKind::Block(b) if b.lets.is_empty() => self.affine(&b.value),
            ExprKind::Cast(a, to) => {
                let (a, to) = (names::expr(a), names::elem(*to));
                self.error(e.span, format!("an index is an integer: write `{a}` without `as {to}`"))
            }
            ExprKind::Reduce(..)
            | ExprKind::Block(_)
            | ExprKind::Tuple(_)
            | ExprKind::Bracket(_)
            | ExprKind::Repeat(..)
            | ExprKind::Field(..)
            | ExprKind::Access(..)
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..)
            | ExprKind::Gen(_)
            | ExprKind::Exists(_)
            | ExprKind::Recurrence(_)
            | ExprKind::If(..) => {
                let text = names::expr(e);
                let (f, args): (_, Vec<&Expr>) = match &e.kind {
                    ExprKind::Method(a, f, args) => (Some(f), std::iter::once(&**a).chain(args).collect()),
                    ExprKind::Call(f, args) => (Some(f), args.iter().collect()),
                    _ => (None, vec![]),
                };
                let f = f.map(ToString::to_string).unwrap_or_default();
                let advice = match (f.as_str(), args.as_slice()) {
                    ("min", [a, b]) => chosen(a, CompareOp::Le, b),
                    ("max", [a, b]) => chosen(a, CompareOp::Ge, b),
                    _ if matches!(e.kind, ExprKind::Method(..)) => super::call::foreign(&f).map(String::from),
                    _ => None,
                };
                let advice =
                    advice.unwrap_or_else(|| "an index is made of indices, sizes and integers".into());
                self.error(e.span, format!("`{text}` is not affine: {advice}"))
            }
        }
    }

    fn affine_name(&mut self, n: &Ident) -> Option<Affine> {
        let text = n.to_string();
        match self.lookup(&text) {
            Some(Binding::Index(a) | Binding::Number(a, _)) => Some(a.clone()),
            Some(Binding::Error) => None,
            Some(Binding::Value(_, ty) | Binding::Unfinished(_, ty)) => {
                let ty = self.type_text(&ty.clone());
                self.error(
                    n.span(),
                    format!("`{text}` is a value (`{ty}`): an index is made of indices, sizes and integers"),
                )
            }
            None if crate::emit::constants::OWN.contains(&text.as_str()) => {
                self.error(n.span(), format!("`{text}` is a real number, not an index"))
            }
            None if is_constant_name(n) => Some(self.constant_size(quote!(#n))),
            None => self.unknown(n),
        }
    }

    fn affine_binary(&mut self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Affine> {
        let (x, y) = (self.affine(a), self.affine(b));
        let (x, y) = (x?, y?);
        match op {
            BinaryOp::Add => self.fits(x.plus_scaled(1, &y), e),
            BinaryOp::Sub => self.fits(x.plus_scaled(-1, &y), e),
            BinaryOp::Mul if degree(&x) + degree(&y) > 2 => {
                let text = names::expr(e);
                self.error(
                    e.span,
                    format!("`{text}` is not affine: at most two indices or sizes can be multiplied"),
                )
            }
            BinaryOp::Mul => self.fits(product(&x, &y), e),
            BinaryOp::Div | BinaryOp::Rem if !(y.is_constant() && y.constant > 0) => {
                let text = names::expr(e);
                self.error(
                    b.span,
                    format!("`{text}` is not affine: the divisor of an index must be a positive literal\n  help: for a periodic neighbour choose, as in `if i + 1 < n {{ x[i + 1] }} else {{ x[0] }}`"),
                )
            }
            BinaryOp::Div => self.fits(floor(&x, y.constant), e),
            // x % k = x - k ⌊x / k⌋
            BinaryOp::Rem => {
                let r = floor(&x, y.constant).and_then(|q| x.plus_scaled(-y.constant, &q));
                self.fits(r, e)
            }
        }
    }

    fn fits(&mut self, a: Option<Affine>, e: &Expr) -> Option<Affine> {
        if a.is_none() {
            let text = names::expr(e);
            return self.error(e.span, format!("the numbers in `{text}` are too large for an index"));
        }
        a
    }
}

/// What an index that is the lesser or the greater of two is.
fn chosen(a: &Expr, op: CompareOp, b: &Expr) -> Option<String> {
    let (p, a, b) = (names::compared(a, op, b), names::index(a), names::index(b));
    Some(format!("choose what is read, as in `if {p} {{ x[{a}] }} else {{ x[{b}] }}`"))
}

/// How many indices or sizes are multiplied at most.
fn degree(a: &Affine) -> usize {
    fn one(a: &Atom) -> usize {
        match a {
            Atom::Size(_) | Atom::Index(_) | Atom::Element(..) => 1,
            Atom::Floor(e, _) => degree(e),
            Atom::Product(fs) => fs.iter().map(one).sum(),
        }
    }
    a.terms.iter().map(|t| one(&t.0)).max().unwrap_or(0)
}
