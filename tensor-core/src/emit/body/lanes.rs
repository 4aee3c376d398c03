//! Vectorized loops: the body is a function that is generic over the lane type; it runs on wide lanes as long as those fit, then on one vector,
//! then on the remainder: the first lanes of a vector, or scalars. Loops that take little of the time of the program run on
//! first lanes of a vector alone.
//!
//! Invariant: what depends on the lane has the lane type `L`, everything else is a number; the index stands for that of the first lane.

mod apart;
mod remainder;
pub(super) mod totals;

use super::captured::Captured;
use super::expr::Tokens;
use super::kernel::ISA;
use super::rows::Rows;
use super::vector::{LANE, Vector};
use crate::emit::runtime::RT;
use crate::loops::Stmt;
use crate::loops::captures::Captures;
use crate::loops::strips::{Strips, Totals, Width};
use crate::ssa::Index;
use crate::weights;
use apart::Apart;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use totals::joined;

/// `for index in low..high { body }` in lanes.
pub(super) fn each(
    t: &Tokens<'_>,
    index: Index,
    (low, high): (TokenStream, TokenStream),
    body: &[Stmt],
    strips: &Strips,
) -> TokenStream {
    let p = t.program;
    let c = Captures::of(p, index, body);
    let (elem, i) = (t.elem(), t.index(index));
    let (isa, lane, set) = (t.helper("isa"), t.helper(LANE), t.helper(ISA));
    let vector = Vector { t, index, captures: &c };
    let mut given = Captured::numbers(t, &c);
    let mut cells = TokenStream::new();
    for (v, written) in &c.vars {
        let name = t.var(*v);
        let is_own = c.is_own(p, index, *v);
        if is_own && let Some(length) = p.on_stack(*v) {
            let zero = t.number(0.0);
            cells.extend(quote!(let mut #name = [#lane::splat(#isa, #zero); #length];));
            continue;
        }
        given.var(t, *v, *written);
        if is_own {
            cells.extend(quote!(let #name = #lane::cells(#name);));
        }
    }
    let Captured { parameters, arguments, given } = given;
    let totals: Vec<_> = c.totals.keys().map(|v| t.var(*v)).collect();
    let inside = vector.block(body, &strips.eights, &Rows::default());
    let allowed = crate::emit::many_arguments(2 + parameters.len() + totals.len());
    let (strip, first, end) = (t.helper("strip"), t.helper("first"), t.helper("end"));
    let arguments = quote!(#(#arguments,)* #(&mut #totals),*);
    let (apart, kernel) = match strips.apart {
        true => Some(Apart::of(t, (&strip, index), &given, &totals)).unzip(),
        false => (None, None),
    };
    let names =
        Names { first: &first, end: &end, strip: &strip, arguments: &arguments, apart, totals: &c.totals };
    let pieces = match strips.width {
        Width::One => remainder::short(t, &names),
        Width::Long { pairs } => {
            let part = quote!(<#set as #RT::simd::Lanes<#elem>>::Part);
            let registers = if pairs { quote!(#RT::simd::Pair::<#part>) } else { part.clone() };
            remainder::long(t, &part, &piece(t, &registers, &names), &names)
        }
        Width::Wide if strips.apart => remainder::apart(t, &whole(t, "Large", &names), &names),
        Width::Part | Width::Wide => remainder::all(t, &vectors(t, &names, strips), &names, strips),
    };
    quote!({
        #allowed
        #[inline(always)]
        fn #strip<#set: #RT::simd::Lanes<#elem>, #lane: #RT::simd::Lane<#elem, Isa = #set>>(
            #isa: #set, #i: isize, #(#parameters,)* #(#totals: &mut #lane,)*
        ) {
            #cells
            #inside
        }
        #kernel
        let mut #first: isize = #low;
        let #end: isize = #high;
        #pieces
    })
}

/// Whole vectors of one kind.
fn whole(t: &Tokens<'_>, kind: &str, names: &Names<'_>) -> TokenStream {
    let (set, kind) = (t.helper(ISA), t.word(kind));
    piece(t, &quote!(#set::#kind), names)
}

/// The pieces of whole vectors, widest first.
fn vectors(t: &Tokens<'_>, names: &Names<'_>, strips: &Strips) -> TokenStream {
    let (elem, set) = (t.elem(), t.helper(ISA));
    if strips.width == Width::Part {
        return piece(t, &quote!(<#set as #RT::simd::Lanes<#elem>>::Part), names);
    }
    let [wide, one] = ["Wide", "Vector"].map(|kind| whole(t, kind, names));
    // What is shared between vectors is worth a piece of two, and where there are registers one of eight.
    let [double, wide] = if strips.pairs {
        let [two, eight] = ["Vector", "Wide"].map(|kind| {
            let kind = t.word(kind);
            piece(t, &quote!(#RT::simd::Pair::<<#set as #RT::simd::Lanes<#elem>>::#kind>), names)
        });
        let registers = Literal::usize_unsuffixed(weights::strips::REGISTERS);
        let many = quote!(<#set as #RT::simd::Isa>::REGISTERS >= #registers);
        [quote!(#two #one), quote!(if const { #many } { #eight } #wide)]
    } else {
        [one, wide]
    };
    let one = if strips.single {
        double
    } else {
        // The remainder may be several vectors: less to compile, where that is vectors.
        quote!(if const { <#set::Remainder as #RT::simd::Lane<#elem>>::WIDTH == 1 } { #double })
    };
    // Where the two are the same, rustc compiles one.
    let [vector, whole] = ["Vector", "Wide"].map(|kind| {
        let kind = t.word(kind);
        quote!(<#set::#kind as #RT::simd::Lane<#elem>>::WIDTH)
    });
    quote!(#wide if const { #vector < #whole } { #one })
}

/// How the pieces of a loop are called.
struct Names<'a> {
    first: &'a Ident,
    end: &'a Ident,
    strip: &'a Ident,
    arguments: &'a TokenStream,
    apart: Option<Apart>,
    totals: &'a Totals,
}

impl Names<'_> {
    /// The body on lanes of this type.
    fn call(&self, t: &Tokens<'_>, ty: &TokenStream) -> TokenStream {
        let Names { first, strip, arguments, apart, .. } = self;
        let isa = t.helper("isa");
        match apart {
            None => quote!(#strip::<_, #ty>(#isa, #first, #arguments);),
            Some(apart) => apart.call(t, ty, first),
        }
    }
}

/// As many full vectors of one type as fit; their totals join those of other vectors.
fn piece(t: &Tokens<'_>, ty: &TokenStream, names: &Names<'_>) -> TokenStream {
    let Names { first, end, totals, .. } = names;
    let (elem, call) = (t.elem(), names.call(t, ty));
    let lane = quote!(<#ty as #RT::simd::Lane<#elem>>);
    let run = quote! {
        while #first + (#lane::WIDTH as isize) <= #end {
            #call
            #first += #lane::WIDTH as isize;
        }
    };
    if totals.is_empty() {
        return run;
    }
    let run = joined(t, &lane, totals, &run, &|v, _| quote!(#v));
    quote!(if #first + (#lane::WIDTH as isize) <= #end { #run })
}
