//! How long a loop takes, as an expression.

use super::super::ends;
use super::super::expr::Tokens;
use crate::emit::runtime::RT;
use crate::loops::tasks::{Term, Time};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// In scalar operations, about.
pub(super) fn time(t: &Tokens<'_>, time: &Time) -> TokenStream {
    let constant = Literal::f64_suffixed(time.constant);
    let terms = time.terms.iter().map(|e| term(t, e));
    quote!((#constant #(+ #terms)*))
}

fn term(t: &Tokens<'_>, e: &Term) -> TokenStream {
    match e {
        Term::Elements { each, times } => {
            let counts = times.iter().map(|e| count(&quote!(0), &t.affine(e)));
            let each = Literal::f64_suffixed(*each);
            quote!(#each #(* #counts)*)
        }
        Term::Let { index, value, inside } => {
            let (i, value, inside) = (t.index(*index), t.affine(value), time(t, inside));
            quote!({ let #i: isize = #value; #inside })
        }
        Term::Loop { lower, upper, middle, inside } => {
            let (low, high) = (ends(t, lower, false), ends(t, upper, true));
            let (first, end) = (t.helper("first"), t.helper("end"));
            let (n, inside) = (count(&quote!(#first), &quote!(#end)), time(t, inside));
            let middle = middle.map(|i| {
                let i = t.index(i);
                quote!(let #i: isize = #first + (#end - #first) / 2;)
            });
            quote!({ let #first: isize = #low; let #end: isize = #high; #middle #n * #inside })
        }
    }
}

fn count(first: &TokenStream, end: &TokenStream) -> TokenStream {
    quote!(#RT::parallel::count(#first, #end))
}
