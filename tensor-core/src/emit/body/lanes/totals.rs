//! Totals of vectorized loops: what all lanes add to, or are compared with. Each piece of the loop has its own; they join lane by lane, and at the end
//! the lanes are summed.

use crate::emit::body::expr::Tokens;
use crate::emit::body::kernel::ISA;
use crate::emit::runtime::RT;
use crate::loops::{VarId, strips};
use crate::sorted::Map;
use crate::ssa::Extreme;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// What runs on lanes, with totals of its own, which become vectors and join those of all pieces.
pub(super) fn joined(
    t: &Tokens<'_>,
    lane: &TokenStream,
    totals: &Map<VarId, Option<Extreme>>,
    run: &TokenStream,
    vector: &dyn Fn(&Ident, &TokenStream) -> TokenStream,
) -> TokenStream {
    let (isa, part) = (t.helper("isa"), part(t));
    let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
    for (v, op) in totals {
        let (v, all, start) = (t.var(*v), all_lanes(&t.var(*v)), start(t, *op));
        before.extend(quote!(let mut #v = #lane::splat(#isa, #start);));
        let v = vector(&v, &start);
        let (fold, than) = match op {
            None => {
                after.extend(quote!(#all = #all + #RT::simd::Lane::folded(#v);));
                continue;
            }
            Some(Extreme::Max) => (quote!(folded_greatest), quote!(gt)),
            Some(Extreme::Min) => (quote!(folded_least), quote!(lt)),
        };
        after.extend(quote! {
            let __found = #RT::simd::Lane::#fold(#v);
            #all = #part::select(#part::#than(__found, #all), __found, #all);
        });
    }
    quote!({ #before #run #after })
}

/// All pieces of a loop, or a loop around others; their totals, lane by lane, join those outside at the end, where no loop around carries them.
pub(in crate::emit::body) fn with_totals(
    t: &Tokens<'_>,
    totals: &Map<VarId, Option<Extreme>>,
    pieces: &TokenStream,
) -> TokenStream {
    let (isa, part) = (t.helper("isa"), part(t));
    let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
    for (v, op) in totals.iter().filter(|(v, _)| !t.carried.contains(v)) {
        let (v, all, start) = (t.var(*v), all_lanes(&t.var(*v)), start(t, *op));
        before.extend(quote!(let mut #all = #part::splat(#isa, #start);));
        let one = match op {
            None => quote!(sum),
            Some(Extreme::Max) => quote!(greatest),
            Some(Extreme::Min) => quote!(least),
        };
        after.extend(onto(*op, &quote!(#v), &quote!(#part::#one(#all))));
    }
    quote!(#before #pieces #after)
}

/// Adds a number to a total, or compares the two.
pub(in crate::emit::body) fn onto(op: Option<Extreme>, total: &TokenStream, x: &TokenStream) -> TokenStream {
    let better = match op {
        None => return quote!(#total += #x;),
        Some(Extreme::Max) => quote!(>),
        Some(Extreme::Min) => quote!(<),
    };
    quote!({ let __found = #x; if __found #better #total { #total = __found; } })
}

/// What a total is of nothing.
pub(in crate::emit::body) fn start(t: &Tokens<'_>, op: Option<Extreme>) -> TokenStream {
    t.number(strips::start(op))
}

/// The total outside, where one inside has its name.
pub(super) fn outer(v: &Ident) -> Ident {
    format_ident!("outer_{}", v, span = Span::mixed_site())
}

/// The total of all pieces so far, lane by lane.
fn all_lanes(v: &Ident) -> Ident {
    format_ident!("all_{}", v, span = Span::mixed_site())
}

/// The type of what fits into a register.
fn part(t: &Tokens<'_>) -> TokenStream {
    let (set, elem) = (t.helper(ISA), t.elem());
    quote!(<<#set as #RT::simd::Lanes<#elem>>::Part as #RT::simd::Lane<#elem>>)
}
