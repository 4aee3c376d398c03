//! The pieces of a vectorized loop: vectors, and their remainder.

use super::Names;
use super::totals::{joined, onto, outer, start, with_totals};
use crate::emit::body::expr::Tokens;
use crate::emit::body::kernel::ISA;
use crate::emit::runtime::RT;
use crate::loops::strips::Strips;
use proc_macro2::TokenStream;
use quote::quote;

/// Vectors as long as they fit, then the remainder at once, where there are vectors with less lanes. Less than half a vector may be left
/// to scalars.
pub(super) fn all(t: &Tokens<'_>, vectors: &TokenStream, names: &Names<'_>, strips: &Strips) -> TokenStream {
    let Names { first, end, totals, .. } = names;
    let at_once = at_once(t, names);
    if !strips.scalars {
        return with_totals(t, totals, &quote!(#vectors #at_once));
    }
    let (set, elem) = (t.helper(ISA), t.elem());
    // Half a vector, or a whole one where no vector has less lanes.
    let least = quote!(const {
        let __whole = <#set::Vector as #RT::simd::Lane<#elem>>::WIDTH;
        let __remainder = <<#set as #RT::simd::Lanes<#elem>>::Remainder as #RT::simd::Lane<#elem>>::WIDTH;
        (if __remainder > 1 { __whole / 2 } else { __whole }) as isize
    });
    let long = quote!(#end - #first >= #least);
    let vectors = with_totals(t, totals, &quote!(#vectors if #long { #at_once }));
    let single = one_by_one(t, names);
    quote!(if #long { #vectors } #single)
}

/// A loop that takes little of the time of the program: of its vectors all are taken as if they had less lanes, so that there is one type of them to
/// compile. Where no vector fits into a register, scalars.
pub(super) fn short(t: &Tokens<'_>, names: &Names<'_>) -> TokenStream {
    let pieces = masked(t, names);
    if names.totals.is_empty() { pieces } else { with_totals(t, names.totals, &pieces) }
}

/// The widest vectors as long as they fit, then the remainder as the vectors of a short loop: two types of vectors to compile, of a body of many
/// statements.
pub(super) fn apart(t: &Tokens<'_>, wide: &TokenStream, names: &Names<'_>) -> TokenStream {
    let last = masked(t, names);
    with_totals(t, names.totals, &quote!(#wide #last))
}

/// Whole registers as long as they fit, then the vectors of a short loop; where no vector fits into a register, scalars alone.
pub(super) fn long(
    t: &Tokens<'_>,
    part: &TokenStream,
    pieces: &TokenStream,
    names: &Names<'_>,
) -> TokenStream {
    let (elem, last) = (t.elem(), masked(t, names));
    let pieces = quote!(if const { <#part as #RT::simd::Lane<#elem>>::WIDTH > 1 } { #pieces });
    with_totals(t, names.totals, &quote!(#pieces #last))
}

/// Vectors of which the last has less lanes, however slow it is to leave out the others; scalars where no vector fits into a register.
fn masked(t: &Tokens<'_>, names: &Names<'_>) -> TokenStream {
    let (set, elem) = (t.helper(ISA), t.elem());
    let set = quote!(<#set as #RT::simd::Lanes<#elem>>);
    let masked = Last {
        ty: quote!(#RT::simd::Remainder<#set::Part, _>),
        token: quote!(#set::masked),
        whole: quote!(#set::whole_of_masked),
    };
    let (masked, single) = (few(t, names, &masked), at_once(t, names));
    let part = quote!(<#set::Part as #RT::simd::Lane<#elem>>);
    quote!(if const { #part::WIDTH > 1 } { #masked } else { #single })
}

/// The remainder, at once where an instruction set has vectors with less lanes; scalars elsewhere.
fn at_once(t: &Tokens<'_>, names: &Names<'_>) -> TokenStream {
    let (set, elem) = (t.helper(ISA), t.elem());
    let set = quote!(<#set as #RT::simd::Lanes<#elem>>);
    let remainder =
        Last { ty: quote!(#set::Remainder), token: quote!(#set::few), whole: quote!(#set::whole) };
    few(t, names, &remainder)
}

/// Vectors with less lanes: their type, the token for some lanes, and what makes them whole.
struct Last {
    ty: TokenStream,
    token: TokenStream,
    whole: TokenStream,
}

/// Vectors of which the last has less lanes, or scalars.
fn few(t: &Tokens<'_>, names: &Names<'_>, last: &Last) -> TokenStream {
    let Names { first, end, totals, .. } = names;
    let Last { ty, token, whole } = last;
    let (isa, elem, call) = (t.helper("isa"), t.elem(), names.call(t, ty));
    let lane = quote!(<#ty as #RT::simd::Lane<#elem>>);
    // Scalars share their totals; of vectors, each has as many lanes as its token tells.
    let run = quote! {
        loop {
            #call
            #first += #lane::WIDTH as isize;
            if const { #lane::WIDTH > 1 } || #first >= #end { break; }
        }
    };
    let run = match totals.is_empty() {
        true => run,
        false => joined(t, &lane, totals, &run, &|v, start| quote!(#whole(#v, #start))),
    };
    quote! {
        while #first < #end {
            let #isa = #token(#isa, (#end - #first) as usize);
            #run
        }
    }
}

/// Scalars, of which the totals join those outside.
fn one_by_one(t: &Tokens<'_>, names: &Names<'_>) -> TokenStream {
    let Names { first, end, totals, .. } = names;
    let (isa, set, elem) = (t.helper("isa"), t.helper(ISA), t.elem());
    let lane = quote!(<#set::Scalar as #RT::simd::Lane<#elem>>);
    let call = names.call(t, &quote!(#set::Scalar));
    let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
    for (v, op) in *totals {
        let (v, outer, start) = (t.var(*v), outer(&t.var(*v)), start(t, *op));
        before.extend(quote!(let #outer = &mut #v; let mut #v = #lane::splat(#isa, #start);));
        after.extend(onto(*op, &quote!(*#outer), &quote!(#lane::sum(#v))));
    }
    quote! {
        if #first < #end {
            #before
            while #first < #end {
                #call
                #first += 1;
            }
            #after
        }
    }
}
