//! Scalar functions of lanes.

use super::Vector;
use crate::prim::{Binary, Formula, Prim};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

impl Vector<'_> {
    pub(super) fn call(&self, f: &Prim, args: &[TokenStream]) -> TokenStream {
        let lane = self.lane();
        let method = match f {
            Prim::Unary(f) => f.name(),
            Prim::Binary(Binary::Div) => {
                let (a, b) = (&args[0], &args[1]);
                return quote!((#a / #b));
            }
            Prim::Binary(f) => f.name(),
            Prim::Clamp => "clamp",
            Prim::Powi(k) => {
                let k = self.t.affine(k);
                return quote!(#lane::powi(#(#args),*, #k as i64));
            }
            Prim::Stop => return quote!((#(#args),*)),
            Prim::FiniteOrZero => "finite_or_zero",
            // No vectorized loop has any.
            Prim::Outer(f) => return crate::emit::outer::call(f, args),
            Prim::Formula(e) => {
                let names: Vec<Ident> = (0..args.len()).map(|k| self.t.helper(&format!("a{k}"))).collect();
                let value = self.formula(e, &names);
                return quote!({ #(let #names = #args;)* #value });
            }
        };
        let method = self.t.word(method);
        quote!(#lane::#method(#(#args),*))
    }

    fn formula(&self, e: &Formula, args: &[Ident]) -> TokenStream {
        match e {
            Formula::Arg(k) => {
                let a = &args[*k];
                quote!(#a)
            }
            Formula::Number(x) => self.number(*x),
            Formula::OfIndex(a) => self.iota(a),
            Formula::Neg(a) => {
                let a = self.formula(a, args);
                quote!((-#a))
            }
            Formula::Add(a, b) => {
                let (a, b) = (self.formula(a, args), self.formula(b, args));
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
}
