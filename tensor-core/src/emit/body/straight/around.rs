//! What stands around the function of a straight body: its calls, the slices that it gets, and copies of the remainder.

use super::pieces::KEPT;
use super::{LANES, Straight};
use crate::emit::body::declare::{self, Let, Piece};
use crate::emit::body::kernel::ISA;
use crate::emit::body::lanes::totals::{onto, start};
use crate::emit::body::piece;
use crate::emit::body::rows::Rows;
use crate::emit::runtime::RT;
use crate::loops::Test;
use crate::loops::straight::{Local, Value};
use crate::loops::windows::{Far, Window};
use crate::ssa::Extreme;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

impl Straight<'_> {
    /// What is the same in all lanes, computed before them.
    pub(super) fn same(&self) -> TokenStream {
        let (t, rows) = (self.t, Rows::default());
        let one = |l: &Local<'_>| match l.value {
            Value::Chosen(tests, values) => {
                let (tests, [a, b]) = (t.tests(tests, &rows), values.map(|e| t.expr(e, &rows)));
                let value = quote!(if #tests { #a } else { #b });
                vec![Piece::Let(Let { name: t.var(l.var), is_mut: false, ty: Some(t.elem()), value })]
            }
            Value::Of(_) => l.stmts.iter().map(|s| piece(t, s, &rows)).collect(),
        };
        declare::block(&self.parts.same.iter().flat_map(one).collect::<Vec<_>>())
    }

    /// A call of the function on these slices.
    fn call(&self, slices: &[TokenStream]) -> TokenStream {
        let (t, elem, set, isa) = (self.t, self.t.elem(), self.t.helper(ISA), self.t.helper("isa"));
        let (i, [from, to]) = (t.index(self.index), self.there());
        let (outlined, name) = (format_ident!("outlined{}", self.arguments()), t.helper("Straight"));
        let inferred = (0..self.arguments()).map(|_| quote!(_));
        let integers = &self.integers;
        let scalars = self.scalars.iter().map(|v| t.var(*v));
        let scratch = self.scratch().map(|(name, _)| t.helper(name));
        let (gets, puts) = self.copies();
        quote! {
            #gets
            #RT::simd::#outlined::<#name, #elem, #set #(, #inferred)*>(
                #isa, [#i, #from, #to #(, #integers)*], [#(#scalars),*] #(, #slices)* #(, &mut #scratch[..])*
            );
            #puts
        }
    }

    /// The copies of what moves by strides that are not known: before the body, and back.
    fn copies(&self) -> (TokenStream, TokenStream) {
        let (t, far, [_, to]) = (self.t, self.t.helper("far"), self.there());
        let (mut gets, mut puts) = (TokenStream::new(), TokenStream::new());
        for (k, Far { place: p, is_read, is_written, tests }) in self.reach.far.iter().enumerate() {
            let (v, at, stride, from) = (t.var(p.var), t.offset(p), t.stride(p, self.index), LANES * k);
            if *is_read {
                let get = quote!(#RT::simd::get_far(&#v[..], #at as usize, #stride, &mut #far[#from..][..#to as usize]););
                let zero = t.number(0.0);
                gets.extend(match self.tests(tests) {
                    None => get,
                    Some(tests) => quote! {
                        if #tests { #get } else { <[_]>::fill(&mut #far[#from..][..#to as usize], #zero); }
                    },
                });
            }
            if *is_written {
                puts.extend(
                    quote!(#RT::simd::put_far(&#far[#from..][..#to as usize], &mut #v[..], #at as usize, #stride);),
                );
            }
        }
        (gets, puts)
    }

    /// Where there is something to read, if not everywhere.
    fn tests(&self, tests: &[Test]) -> Option<TokenStream> {
        (!tests.is_empty()).then(|| self.t.tests(tests, &Rows::default()))
    }

    /// The most elements that a vector of iterations reaches.
    fn room(&self, w: &Window) -> usize {
        usize::try_from(w.stride * (self.most() - 1) + w.span).unwrap_or(0)
    }

    /// What a vector of iterations reaches: the elements themselves, or zeros.
    fn cut(&self, w: &Window) -> TokenStream {
        let (v, at) = (self.t.var(w.place.var), self.t.offset(&w.place));
        let length = Straight::length(w, &self.t.helper("width").to_token_stream());
        let is_mut = (!w.writes.is_empty()).then(|| quote!(mut));
        let slice = quote!(& #is_mut #v[(#at) as usize..][..#length]);
        let Some(tests) = self.tests(&w.tests) else { return slice };
        let (zero, room) = (self.t.number(0.0), self.room(w));
        quote!((if #tests { #slice } else { &[#zero; #room][..#length] }))
    }

    /// The body on a whole vector.
    pub(super) fn whole(&self) -> TokenStream {
        let width = self.t.helper("width");
        let mut copies = TokenStream::new();
        let mut slice = |(k, w): (usize, &Window)| {
            let slice = self.cut(w);
            if !w.is_copied {
                return slice;
            }
            let (zero, room, length) =
                (self.t.number(0.0), self.room(w), Straight::length(w, &quote!(#width)));
            let copy = self.t.helper(&format!("copy{k}"));
            copies.extend(quote! {
                let mut #copy = [#zero; #room];
                <[_]>::copy_from_slice(&mut #copy[..#length], #slice);
            });
            quote!(&#copy[..#length])
        };
        let slices: Vec<TokenStream> = self.reach.windows.iter().enumerate().map(&mut slice).collect();
        let call = self.call(&slices);
        quote!(#copies #call)
    }

    /// Which lanes there are: from the one on, up to the other.
    pub(super) fn there(&self) -> [Ident; 2] {
        ["from", "to"].map(|end| self.t.helper(end))
    }

    /// The body on the last whole vector, which overlaps the one before, if it may: what comes before an `else`.
    pub(super) fn last(&self) -> TokenStream {
        if !self.reach.overlaps {
            return TokenStream::new();
        }
        let (t, i, [from, to], whole) = (self.t, self.t.index(self.index), self.there(), self.whole());
        let [low, first, end, width] = ["low", "first", "end", "width"].map(|name| t.helper(name));
        quote! {
            if #low + (#width as isize) <= #end {
                let #i: isize = #end - (#width as isize);
                let [#from, #to]: [isize; 2] = [#first - #i, #width as isize];
                #whole
            } else
        }
    }

    /// The body on less than a vector.
    pub(super) fn copied(&self) -> TokenStream {
        let (t, [_, to]) = (self.t, self.there());
        let width = t.helper("width");
        let (mut before, mut after, mut slices) = (TokenStream::new(), TokenStream::new(), vec![]);
        for (k, w) in self.reach.windows.iter().enumerate() {
            let (copy, v, at, zero) = (self.slice(k), t.var(w.place.var), t.offset(&w.place), t.number(0.0));
            if w.is_padded {
                slices.push(self.cut(w));
                continue;
            }
            let room = self.room(w);
            let there = Straight::length(w, &quote!((#to as usize)));
            let length = Straight::length(w, &quote!(#width));
            before.extend(quote!(let mut #copy = [#zero; #room];));
            let get = quote!(<[_]>::copy_from_slice(&mut #copy[..#there], &#v[(#at) as usize..][..#there]););
            before.extend(match self.tests(&w.tests) {
                None => get,
                Some(tests) => quote!(if #tests { #get }),
            });
            if !w.writes.is_empty() {
                after.extend(
                    quote!(<[_]>::copy_from_slice(&mut #v[(#at) as usize..][..#there], &#copy[..#there]);),
                );
                slices.push(quote!(&mut #copy[..#length]));
            } else {
                slices.push(quote!(&#copy[..#length]));
            }
        }
        let call = self.call(&slices);
        quote!(#before #call #after)
    }

    /// Where totals are kept while the loop runs, lane by lane, and how they join those outside.
    pub(super) fn totals(&self) -> (TokenStream, TokenStream) {
        let (t, elem, set, isa) = (self.t, self.t.elem(), self.t.helper(ISA), self.t.helper("isa"));
        let totals = t.helper("totals");
        let (zero, far, places) = (t.number(0.0), t.helper("far"), LANES * self.reach.far.len());
        let mut before = match self.reach.far.as_slice() {
            [] => TokenStream::new(),
            _ => quote!(let mut #far = [#zero; #places];),
        };
        if self.reach.pieces.slots > 0 {
            let (kept, slots) = (t.helper(KEPT), self.reach.pieces.slots);
            let most = Literal::i64_unsuffixed(self.most());
            before.extend(quote!(let mut #kept = [#zero; #slots * #most];));
        }
        if self.parts.totals.is_empty() {
            return (before, TokenStream::new());
        }
        let count = LANES * self.parts.totals.len();
        before.extend(quote!(let mut #totals = [#zero; #count];));
        let mut after = TokenStream::new();
        let lane = quote!(<<#set as #RT::simd::Lanes<#elem>>::Body as #RT::simd::Lane<#elem>>);
        for (k, total) in self.parts.totals.iter().enumerate() {
            let (from, to) = (LANES * k, LANES * (k + 1));
            let one = match total.op {
                None => quote!(sum),
                Some(op) => {
                    let start = start(t, Some(op));
                    before.extend(quote!(<[_]>::fill(&mut #totals[#from..#to], #start);));
                    match op {
                        Extreme::Max => quote!(greatest),
                        Extreme::Min => quote!(least),
                    }
                }
            };
            let target = t.place(total.target, &Rows::default());
            after.extend(onto(
                total.op,
                &target,
                &quote!(#lane::#one(#lane::load(#isa, &#totals[..], #from))),
            ));
        }
        (before, after)
    }
}
