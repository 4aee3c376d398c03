//! The function of a straight body: loads, values, stores, totals.

use super::columns::Columns;
use super::{LANES, Straight};
use crate::emit::body::declare::{self, Let, Piece};
use crate::emit::body::kernel::ISA;
use crate::emit::body::lanes::totals::start;
use crate::emit::body::rows::Rows;
use crate::emit::body::vector::{LANE, Vector};
use crate::emit::runtime::RT;
use crate::loops::Expr;
use crate::loops::straight::{Local, Total, Value};
use crate::ssa::Extreme;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

impl Straight<'_> {
    /// The type that stands for the body, with its function.
    pub(super) fn function(&self) -> TokenStream {
        let (t, elem, set, lane, isa) =
            (self.t, self.t.elem(), self.t.helper(ISA), self.t.helper(LANE), self.t.helper("isa"));
        let (kernel, name) = (format_ident!("Kernel{}", self.arguments()), t.helper("Straight"));
        let (i, left, totals) = (t.index(self.index), t.helper("left"), t.helper("totals"));
        let integers = &self.integers;
        let integer_count = 2 + integers.len();
        let scalars: Vec<Ident> = self.scalars.iter().map(|v| t.var(*v)).collect();
        let scalar_count = scalars.len();
        let mut types = vec![quote!([isize; #integer_count]), quote!([#elem; #scalar_count])];
        let mut patterns = vec![quote!([#i, #left #(, #integers)*]), quote!([#(#scalars),*])];
        let mut names = vec![];
        for (k, w) in self.reach.windows.iter().enumerate() {
            let slice = self.slice(k);
            types.push(if !w.writes.is_empty() { quote!(&'a mut [#elem]) } else { quote!(&'a [#elem]) });
            patterns.push(quote!(#slice));
            names.push(slice);
        }
        for (_, scratch) in
            [(!self.reach.far.is_empty(), t.helper("far")), (!self.parts.totals.is_empty(), totals)]
                .into_iter()
                .filter(|s| s.0)
        {
            types.push(quote!(&'a mut [#elem]));
            patterns.push(quote!(#scratch));
            names.push(scratch);
        }
        let lifetime: Vec<TokenStream> = if names.is_empty() { vec![] } else { vec![quote!('a)] };
        let allowed = crate::emit::many_arguments(types.len() + 1);
        let body = self.body();
        let (parameters, given) = (&patterns, [quote!([#i, #left #(, #integers)*]), quote!([#(#scalars),*])]);
        quote! {
            struct #name;
            impl<#(#lifetime),*> #RT::simd::#kernel<#elem #(, #types)*> for #name {
                type Out = ();
                #allowed
                #[inline(always)]
                fn run<#set: #RT::simd::Lanes<#elem>>(#isa: #set #(, #parameters: #types)*) {
                    #allowed
                    #[inline(always)]
                    fn strip<#(#lifetime,)* #set: #RT::simd::Lanes<#elem>, #lane: #RT::simd::Lane<#elem, Isa = #set>>(
                        #isa: #set #(, #parameters: #types)*
                    ) {
                        #body
                    }
                    strip::<#set, <#set as #RT::simd::Lanes<#elem>>::Body>(#isa #(, #given)* #(, #names)*);
                }
            }
        }
    }

    /// The statements of the body.
    fn body(&self) -> TokenStream {
        let (t, lane) = (self.t, self.t.helper(LANE));
        let vector = Vector { t, index: self.index, captures: &self.captures };
        let mut out = TokenStream::new();
        for (k, w) in self.reach.windows.iter().enumerate() {
            let (name, is_mut) = (self.slice(k), (!w.writes.is_empty()).then(|| quote!(mut)));
            let length = Straight::length(w, &quote!(#lane::WIDTH));
            out.extend(quote!(let #name = & #is_mut #name[..#length];));
        }
        if !self.reach.far.is_empty() {
            let (far, places) = (t.helper("far"), LANES * self.reach.far.len());
            out.extend(quote!(let #far = &mut #far[..#places];));
        }
        if !self.parts.totals.is_empty() {
            let (totals, places) = (t.helper("totals"), LANES * self.parts.totals.len());
            out.extend(quote!(let #totals = &mut #totals[..#places];));
        }
        let columns = Columns::of(self);
        out.extend(columns.loads());
        let values: Vec<Piece> =
            self.parts.lanes.iter().filter_map(|l| self.declared(&vector, l)).map(Piece::Let).collect();
        out.extend(declare::block(&values));
        out.extend(columns.stores(&vector));
        out.extend(self.added(&vector));
        out
    }

    /// What is declared, and its value or selection; what is loaded has been.
    fn declared(&self, vector: &Vector<'_>, local: &Local<'_>) -> Option<Let> {
        let (rows, lane) = (Rows::default(), self.t.helper(LANE));
        let value = match local.value {
            Value::Of(Expr::Read(p)) if p.moves(self.index) => return None,
            Value::Of(value) => vector.expr(value, &rows),
            Value::Chosen(tests, values) => {
                let (mask, [a, b]) = (vector.mask(tests, &rows), values.map(|e| vector.expr(e, &rows)));
                quote!(#lane::select(#mask, #a, #b))
            }
        };
        Some(Let { name: self.t.var(local.var), is_mut: false, ty: None, value })
    }

    /// Totals in memory, of the lanes that there are.
    fn added(&self, vector: &Vector<'_>) -> TokenStream {
        let (t, rows, lane, isa) = (self.t, Rows::default(), self.t.helper(LANE), self.t.helper("isa"));
        let (left, totals) = (t.helper("left"), t.helper("totals"));
        let one = |(k, total): (usize, &Total<'_>)| {
            let from = LANES * k;
            let (value, start) = (vector.expr(total.value, &rows), start(t, total.op));
            let new = match total.op {
                None => quote!(__old + __value),
                Some(Extreme::Max) => quote!(#lane::select(#lane::gt(__value, __old), __value, __old)),
                Some(Extreme::Min) => quote!(#lane::select(#lane::lt(__value, __old), __value, __old)),
            };
            quote!({
                let __there = #lane::firsts(#isa, #left as usize);
                let __value = #lane::select(__there, #value, #lane::splat(#isa, #start));
                let __old = #lane::load(#isa, &#totals[..], #from);
                #lane::store(#new, &mut #totals[..], #from);
            })
        };
        self.parts.totals.iter().enumerate().map(one).collect()
    }
}
