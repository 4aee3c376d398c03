//! Dispatch: the body of a function as a kernel of the runtime crate, compiled for each instruction set.
//!
//! Slices pass one by one: in a struct they would lose the knowledge that they do not overlap. Sizes and numbers pass as two arrays, and so
//! do slices beyond the most that a kernel takes, in one tuple.

use super::expr::Tokens;
use super::{Argument, Kind};
use crate::emit::runtime::RT;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// The instruction set inside a kernel; its one bound lends it all lane types.
pub(super) const ISA: &str = "I";

/// The most arguments of a kernel.
pub(super) const MOST: usize = 24;

/// Arguments as a kernel takes them.
pub(super) struct Packed {
    pub types: Vec<TokenStream>,
    pub patterns: Vec<TokenStream>,
    /// What stands for them in a call inside.
    pub values: Vec<TokenStream>,
    pub lifetime: Option<TokenStream>,
}

impl Packed {
    /// Into at most so many.
    pub fn of(arguments: &[Argument], elem: &TokenStream, most: usize) -> Packed {
        let of = |kind: Kind| -> Vec<&Ident> {
            arguments.iter().filter(|a| a.kind == kind).map(|a| &a.name).collect()
        };
        let (sizes, numbers) = (of(Kind::Size), of(Kind::Number));
        let (size_count, number_count) = (sizes.len(), numbers.len());
        let slices: Vec<&Argument> =
            arguments.iter().filter(|a| !matches!(a.kind, Kind::Size | Kind::Number)).collect();
        let (single, rest) = slices.split_at(slices.len().min(most.saturating_sub(3)));
        let a = quote!('a);
        let all = |s: &[&Argument]| -> [Vec<TokenStream>; 3] {
            let name = |s: &&Argument| s.name.to_token_stream();
            [
                s.iter().map(|s| s.kind.ty(elem, Some(&a))).collect(),
                s.iter().map(name).collect(),
                s.iter().map(|s| s.given()).collect(),
            ]
        };
        let mut types = vec![quote!([isize; #size_count]), quote!([#elem; #number_count])];
        let mut patterns = vec![quote!([#(#sizes),*]), quote!([#(#numbers),*])];
        let mut values = patterns.clone();
        let [t, p, v] = all(single);
        types.extend(t);
        patterns.extend(p);
        values.extend(v);
        if !rest.is_empty() {
            let [t, p, v] = all(rest);
            types.push(quote!((#(#t,)*)));
            patterns.push(quote!((#(#p,)*)));
            values.push(quote!((#(#v,)*)));
        }
        Packed { types, patterns, values, lifetime: (!slices.is_empty()).then_some(a) }
    }
}

/// `dispatch::<Kernel>(arguments)`, where the kernel is `body`.
pub(super) fn run(
    t: &Tokens<'_>,
    arguments: &[Argument],
    ty: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let (elem, set, isa) = (t.elem(), t.helper(ISA), t.helper("isa"));
    let Packed { types, patterns, lifetime, .. } = Packed::of(arguments, &elem, MOST);
    let count = types.len();
    let (kernel, dispatch) = (format_ident!("Kernel{count}"), format_ident!("dispatch{count}"));
    let inferred = types.iter().map(|_| quote!(_));
    let name = t.helper("Body");
    let allowed = crate::emit::many_arguments(count + 1);
    let lifetime = lifetime.map(|a| quote!(<#a>));
    quote! {
        struct #name;
        impl #lifetime #RT::simd::#kernel<#elem #(, #types)*> for #name {
            type Out = #ty;
            #allowed
            #[inline(always)]
            fn run<#set: #RT::simd::Lanes<#elem>>(#isa: #set #(, #patterns: #types)*) -> Self::Out {
                use #RT::simd::Lane as _;
                #body
            }
        }
        #RT::simd::#dispatch::<#name, #elem #(, #inferred)*>(#(#patterns),*)
    }
}
