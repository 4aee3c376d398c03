//! Loops that are functions of their own: see `schedule::outline`, and `loops::strips` for those in lanes.

use super::captured::Captured;
use super::expr::Tokens;
use super::kernel::{ISA, MOST, Packed};
use super::rows::Rows;
use super::{Argument, Kind};
use crate::emit::runtime::RT;
use crate::loops::captures::Captures;
use crate::loops::inside::has_lanes;
use crate::loops::rows::Row;
use crate::loops::{Order, Stmt, VarId};
use crate::ssa::Index;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// `for index in low..high { body }` as a call.
pub(super) fn each(
    t: &Tokens<'_>,
    index: Index,
    ends: (TokenStream, TokenStream),
    (body, rows): (&[Stmt], &[Row]),
) -> TokenStream {
    let inside = |ends| super::each(t, (index, &Order::Sequence), ends, (body, rows), &Rows::default());
    if has_lanes(body) {
        return in_lanes(t, (index, body), ends, &inside);
    }
    let (given, out) = taken(t, index, body);
    let (from, to) = (t.helper("from"), t.helper("to"));
    let inside = out.around(t, &inside((quote!(#from), quote!(#to))));
    let Captured { mut parameters, mut arguments, .. } = given;
    parameters.extend(out.types(t, None).iter().zip(out.names(t)).map(|(ty, (_, name))| quote!(#name: #ty)));
    arguments.extend(out.names(t).map(|(name, _)| quote!(&mut #name)));
    let (outlined, (low, high)) = (t.helper("outlined"), ends);
    let allowed = crate::emit::many_arguments(2 + parameters.len());
    quote!({
        #allowed
        #[inline(never)]
        fn #outlined(#from: isize, #to: isize, #(#parameters),*) {
            #inside
        }
        #outlined(#low, #high, #(#arguments),*);
    })
}

/// A loop with vectorized ones inside, or one itself, as a call of a function that is compiled for the instruction set around it.
pub(super) fn in_lanes(
    t: &Tokens<'_>,
    (index, body): (Index, &[Stmt]),
    (low, high): (TokenStream, TokenStream),
    inside: &dyn Fn((TokenStream, TokenStream)) -> TokenStream,
) -> TokenStream {
    let (given, out) = taken(t, index, body);
    let (from, to) = (t.helper("from"), t.helper("to"));
    let inside = out.around(t, &inside((quote!(#from), quote!(#to))));
    let ends = [&from, &to].map(|name| Argument { name: name.clone(), kind: Kind::Size });
    let arguments: Vec<Argument> = ends.into_iter().chain(given.given).collect();
    let elem = t.elem();
    let Packed { mut types, mut patterns, mut values, lifetime } =
        Packed::of(&arguments, &elem, MOST - out.0.len());
    let a = quote!('a);
    types.extend(out.types(t, Some(&a)));
    patterns.extend(out.names(t).map(|(_, out)| quote!(#out)));
    values.extend(out.names(t).map(|(name, _)| quote!(&mut #name)));
    let lifetime = lifetime.or_else(|| (!out.0.is_empty()).then_some(a)).map(|a| quote!(<#a>));
    let (name, count, set, isa) = (t.helper("Nest"), types.len(), t.helper(ISA), t.helper("isa"));
    let (kernel, outlined) = (format_ident!("Kernel{count}"), format_ident!("outlined{count}"));
    let (allowed, inferred) = (crate::emit::many_arguments(count + 1), types.iter().map(|_| quote!(_)));
    quote!({
        struct #name;
        impl #lifetime #RT::simd::#kernel<#elem #(, #types)*> for #name {
            type Out = ();
            #allowed
            #[inline(always)]
            fn run<#set: #RT::simd::Lanes<#elem>>(#isa: #set #(, #patterns: #types)*) {
                #inside
            }
        }
        let (#from, #to): (isize, isize) = (#low, #high);
        #RT::simd::#outlined::<#name, #elem, #set #(, #inferred)*>(#isa #(, #values)*);
    })
}

/// Scalars that such a function changes: locals of it, too.
struct Out(Vec<VarId>);

impl Out {
    /// Of each, its name, and that of where it comes from and goes to.
    fn names<'a>(
        &'a self,
        t: &'a Tokens<'_>,
    ) -> impl Iterator<Item = (proc_macro2::Ident, proc_macro2::Ident)> + 'a {
        self.0.iter().map(|v| (t.var(*v), t.helper(&format!("out{}", v.0))))
    }

    fn types(&self, t: &Tokens<'_>, lifetime: Option<&TokenStream>) -> Vec<TokenStream> {
        let one = |v: &VarId| {
            let element = Captured::element(t, *v);
            quote!(& #lifetime mut #element)
        };
        self.0.iter().map(one).collect()
    }

    fn around(&self, t: &Tokens<'_>, inside: &TokenStream) -> TokenStream {
        let (names, outs): (Vec<_>, Vec<_>) = self.names(t).unzip();
        quote!(#(let mut #names = *#outs;)* #inside #(*#outs = #names;)*)
    }
}

/// What a loop takes from around it, and gives back.
fn taken(t: &Tokens<'_>, index: Index, body: &[Stmt]) -> (Captured, Out) {
    let c = Captures::of(t.program, index, body);
    let (mut given, mut out) = (Captured::numbers(t, &c), Out(vec![]));
    for (v, written) in c.vars.iter().map(|(v, w)| (*v, *w)).chain(c.totals.keys().map(|v| (*v, true))) {
        match written && Captured::is_scalar(t, v) {
            true => out.0.push(v),
            false => given.var(t, v, written),
        }
    }
    (given, out)
}
