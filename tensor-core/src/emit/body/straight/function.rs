//! The function of a straight body: loads, values, stores, totals.

use super::columns::Columns;
use super::pieces::KEPT;
use super::{LANES, Straight};
use crate::emit::body::declare::{self, Let, Piece};
use crate::emit::body::kernel::ISA;
use crate::emit::body::lanes::totals::start;
use crate::emit::body::rows::Rows;
use crate::emit::body::vector::{LANE, Vector};
use crate::emit::runtime::RT;
use crate::loops::straight::{Local, Total, Value};
use crate::ssa::Extreme;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

impl Straight<'_> {
    /// The types that stand for the body and its pieces, with their functions.
    pub(super) fn function(&self) -> TokenStream {
        let (t, elem) = (self.t, self.t.elem());
        let mut slices: Vec<(TokenStream, Ident)> = vec![];
        for (k, w) in self.reach.windows.iter().enumerate() {
            let ty = if w.writes.is_empty() { quote!(&'a [#elem]) } else { quote!(&'a mut [#elem]) };
            slices.push((ty, self.slice(k)));
        }
        slices.extend(self.scratch().map(|(name, _)| (quote!(&'a mut [#elem]), t.helper(name))));
        let stages = self.reach.pieces.stages.iter().skip(1).take(self.reach.pieces.functions());
        let pieces = stages.enumerate().map(|(k, steps)| {
            let kept = (quote!(&'a mut [#elem]), t.helper(KEPT));
            self.kernel(&t.helper(&format!("Piece{k}")), &[kept], &self.piece(steps))
        });
        let pieces: TokenStream = pieces.collect();
        let whole = self.kernel(&t.helper("Straight"), &slices, &self.body());
        quote!(#pieces #whole)
    }

    /// A type with a function of these slices, beside indices and scalars.
    fn kernel(&self, name: &Ident, slices: &[(TokenStream, Ident)], body: &TokenStream) -> TokenStream {
        let (t, elem, set, lane, isa) =
            (self.t, self.t.elem(), self.t.helper(ISA), self.t.helper(LANE), self.t.helper("isa"));
        let kernel = format_ident!("Kernel{}", 2 + slices.len());
        let (i, [from, to], integers) = (t.index(self.index), self.there(), &self.integers);
        let scalars: Vec<Ident> = self.scalars.iter().map(|v| t.var(*v)).collect();
        let (integer_count, scalar_count) = (3 + integers.len(), scalars.len());
        let mut types = vec![quote!([isize; #integer_count]), quote!([#elem; #scalar_count])];
        let mut names = vec![quote!([#i, #from, #to #(, #integers)*]), quote!([#(#scalars),*])];
        types.extend(slices.iter().map(|s| s.0.clone()));
        names.extend(slices.iter().map(|s| s.1.to_token_stream()));
        let lifetime = (!slices.is_empty()).then(|| quote!('a));
        let (lifetime, allowed) = (lifetime.as_slice(), crate::emit::many_arguments(types.len() + 1));
        quote! {
            struct #name;
            impl<#(#lifetime),*> #RT::simd::#kernel<#elem #(, #types)*> for #name {
                type Out = ();
                #allowed
                #[inline(always)]
                fn run<#set: #RT::simd::Lanes<#elem>>(#isa: #set #(, #names: #types)*) {
                    #allowed
                    #[inline(always)]
                    fn strip<#(#lifetime,)* #set: #RT::simd::Lanes<#elem>, #lane: #RT::simd::Lane<#elem, Isa = #set>>(
                        #isa: #set #(, #names: #types)*
                    ) {
                        #body
                    }
                    strip::<#set, <#set as #RT::simd::Lanes<#elem>>::Body>(#isa #(, #names)*);
                }
            }
        }
    }

    /// The statements of the body.
    fn body(&self) -> TokenStream {
        let (t, lane) = (self.t, self.t.helper(LANE));
        let vector = self.vector();
        let mut out = TokenStream::new();
        for (k, w) in self.reach.windows.iter().enumerate() {
            let (name, is_mut) = (self.slice(k), (!w.writes.is_empty()).then(|| quote!(mut)));
            let length = Straight::length(w, &quote!(#lane::WIDTH));
            out.extend(quote!(let #name = & #is_mut #name[..#length];));
        }
        for (name, length) in self.scratch() {
            let name = t.helper(name);
            out.extend(quote!(let #name = &mut #name[..#length];));
        }
        let columns = Columns::of(self);
        out.extend(columns.loads());
        match self.reach.pieces.stages.as_slice() {
            [first, .., last] => out.extend([self.steps(first), self.calls(), self.steps(last)]),
            _ => out.extend(self.values(&vector)),
        }
        out.extend(columns.stores(&vector));
        out.extend(self.added(&vector));
        out
    }

    /// All locals; what is loaded has been.
    fn values(&self, vector: &Vector<'_>) -> TokenStream {
        let locals = self.parts.lanes.iter().filter(|l| l.loaded(self.index).is_none());
        let values: Vec<Piece> = locals.map(|l| Piece::Let(self.declared(vector, l))).collect();
        declare::block(&values)
    }

    /// What is declared, and its value or selection.
    pub(super) fn declared(&self, vector: &Vector<'_>, local: &Local<'_>) -> Let {
        let (rows, lane) = (Rows::default(), self.t.helper(LANE));
        let value = match local.value {
            Value::Of(value) => vector.expr(value, &rows),
            Value::Chosen(tests, values) => {
                let (mask, [a, b]) = (vector.mask(tests, &rows), values.map(|e| vector.expr(e, &rows)));
                quote!(#lane::select(#mask, #a, #b))
            }
        };
        Let { name: self.t.var(local.var), is_mut: false, ty: None, value }
    }

    /// Totals in memory, of the lanes that there are.
    fn added(&self, vector: &Vector<'_>) -> TokenStream {
        let (t, rows, lane, isa) = (self.t, Rows::default(), self.t.helper(LANE), self.t.helper("isa"));
        let ([from, to], totals) = (self.there(), t.helper("totals"));
        let one = |(k, total): (usize, &Total<'_>)| {
            let at = LANES * k;
            let (value, start) = (vector.expr(total.value, &rows), start(t, total.op));
            let new = match total.op {
                None => quote!(__old + __value),
                Some(Extreme::Max) => quote!(#lane::select(#lane::gt(__value, __old), __value, __old)),
                Some(Extreme::Min) => quote!(#lane::select(#lane::lt(__value, __old), __value, __old)),
            };
            quote!({
                let __there = #lane::firsts(#isa, #to as usize) & !#lane::firsts(#isa, #from as usize);
                let __value = #lane::select(__there, #value, #lane::splat(#isa, #start));
                let __old = #lane::load(#isa, &#totals[..], #at);
                #lane::store(#new, &mut #totals[..], #at);
            })
        };
        self.parts.totals.iter().enumerate().map(one).collect()
    }
}
