//! Scalar functions and named constants.

use super::{Tokens, apart};
use crate::emit::runtime::{RT, written};
use crate::prim::{Binary, Formula, Prim};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

impl Tokens<'_> {
    pub(super) fn call(&self, f: &Prim, args: &[TokenStream]) -> TokenStream {
        let method = match f {
            Prim::Unary(f) => f.name(),
            Prim::Binary(Binary::Div) => {
                let (a, b) = (&args[0], &args[1]);
                return quote!((#a / #b));
            }
            Prim::Binary(f) => f.name(),
            Prim::Clamp => "clamp",
            Prim::Powi(k) => {
                let k = self.affine(k);
                return quote!(#RT::math::Real::powi(#(#args),*, #k as i64));
            }
            Prim::Stop => return quote!((#(#args),*)),
            Prim::FiniteOrZero => "finite_or_zero",
            Prim::Outer(f) => return crate::emit::outer::call(f, args),
            Prim::Formula(e) => {
                let names: Vec<Ident> = (0..args.len()).map(|k| self.helper(&format!("a{k}"))).collect();
                let value = self.formula(e, &names);
                return quote!({ #(let #names = #args;)* #value });
            }
        };
        let method = format_ident!("{method}");
        quote!(#RT::math::Real::#method(#(#args),*))
    }

    fn formula(&self, e: &Formula, args: &[Ident]) -> TokenStream {
        let elem = self.elem();
        match e {
            Formula::Arg(k) => {
                let a = &args[*k];
                quote!(#a)
            }
            Formula::Number(x) => self.number(*x),
            Formula::OfIndex(a) => {
                let a = self.affine(a);
                quote!((#a as #elem))
            }
            Formula::Neg(a) => {
                let a = self.formula(a, args);
                quote!((-#a))
            }
            Formula::Add(a, b) => {
                let operand = |e: &Formula| apart(matches!(e, Formula::Mul(..)), self.formula(e, args));
                let (a, b) = (operand(a), operand(b));
                quote!((#a + #b))
            }
            Formula::Mul(a, b) => {
                let (a, b) = (self.formula(a, args), self.formula(b, args));
                quote!((#a * #b))
            }
            Formula::Apply(p, inner) => {
                let inner: Vec<TokenStream> = inner.iter().map(|a| self.formula(a, args)).collect();
                self.call(p, &inner)
            }
        }
    }

    /// A constant by its path: a number of the language, else what the user wrote.
    pub(super) fn constant(&self, path: &str) -> TokenStream {
        let elem = self.elem();
        match path {
            "PI" => quote!(::core::#elem::consts::PI),
            "TAU" => quote!(::core::#elem::consts::TAU),
            "E" => quote!(::core::#elem::consts::E),
            "INFINITY" => quote!(#elem::INFINITY),
            "NEG_INFINITY" => quote!(#elem::NEG_INFINITY),
            "NAN" => quote!(#elem::NAN),
            _ => {
                let tokens = written(path);
                quote!(((#tokens) as #elem))
            }
        }
    }
}

/// The constant of Rust's `consts` that is this number exactly. (The nearest `f32` of each is the constant there.)
pub(super) fn mathematical(x: f64) -> Option<&'static str> {
    use std::f64::consts as c;
    const ALL: [(f64, &str); 9] = [
        (c::E, "E"),
        (c::FRAC_2_SQRT_PI, "FRAC_2_SQRT_PI"),
        (c::LN_2, "LN_2"),
        (c::LN_10, "LN_10"),
        (c::LOG2_E, "LOG2_E"),
        (c::LOG10_E, "LOG10_E"),
        (c::PI, "PI"),
        (c::SQRT_2, "SQRT_2"),
        (c::TAU, "TAU"),
    ];
    ALL.iter().find(|(value, _)| value.to_bits() == x.to_bits()).map(|(_, name)| *name)
}
