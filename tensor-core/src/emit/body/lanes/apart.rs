//! The body of a vectorized loop as a function of its own, for each type of lanes: what LLVM takes for a function grows faster than the function.
//!
//! ```text
//! while first + width <= end { outlined::<Apart<Lanes>>(isa, first, sizes, numbers, slices…, totals…); first += width }
//! ```

use crate::emit::body::Argument;
use crate::emit::body::expr::Tokens;
use crate::emit::body::kernel::{ISA, MOST, Packed};
use crate::emit::body::vector::LANE;
use crate::emit::runtime::RT;
use crate::ssa::Index;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// How such a body is called.
pub(super) struct Apart {
    name: Ident,
    count: usize,
    /// What it is given, after the first index.
    values: Vec<TokenStream>,
}

impl Apart {
    /// Of the function `strip`, that takes these; and the kernel that calls it, which is compiled for the instruction set of the lanes.
    pub fn of(
        t: &Tokens<'_>,
        (strip, index): (&Ident, Index),
        given: &[Argument],
        totals: &[Ident],
    ) -> (Apart, TokenStream) {
        let (elem, lane, set, isa, i) =
            (t.elem(), t.helper(LANE), t.helper(ISA), t.helper("isa"), t.index(index));
        let Packed { mut types, mut patterns, mut values, lifetime } =
            Packed::of(given, &elem, MOST - 2 - totals.len());
        types.extend(totals.iter().map(|_| quote!(&'a mut #lane)));
        patterns.extend(totals.iter().map(|v| quote!(#v)));
        values.extend(totals.iter().map(|v| quote!(&mut #v)));
        let lifetime = lifetime.or_else(|| totals.first().map(|_| quote!('a)));
        let lifetime = lifetime.map(|a| quote!(#a,));
        let (name, count) = (t.helper("Apart"), 2 + types.len());
        let (kernel, allowed) = (format_ident!("Kernel{count}"), crate::emit::many_arguments(count + 1));
        let (arguments, own) =
            (given.iter().map(Argument::given), quote!(<#lane as #RT::simd::Lane<#elem>>::Isa));
        let item = quote! {
            struct #name<#lane>(::core::marker::PhantomData<#lane>);
            impl<#lifetime #lane: #RT::simd::Lane<#elem>> #RT::simd::#kernel<#elem, #own, isize #(, #types)*> for #name<#lane>
            where
                #own: #RT::simd::Lanes<#elem>,
            {
                type Out = ();
                #allowed
                #[inline(always)]
                fn run<#set: #RT::simd::Lanes<#elem>>(_: #set, #isa: #own, #i: isize #(, #patterns: #types)*) {
                    #strip::<#own, #lane>(#isa, #i, #(#arguments,)* #(#totals),*);
                }
            }
        };
        (Apart { name, count, values }, item)
    }

    /// A call for lanes of this type, from this index on.
    pub fn call(&self, t: &Tokens<'_>, ty: &TokenStream, first: &Ident) -> TokenStream {
        let Apart { name, count, values } = self;
        let (elem, isa, outlined) = (t.elem(), t.helper("isa"), format_ident!("outlined{count}"));
        let inferred = (0..*count).map(|_| quote!(_));
        quote!(#RT::simd::#outlined::<#name<#ty>, #elem, _ #(, #inferred)*>(#isa, #isa, #first #(, #values)*);)
    }
}
