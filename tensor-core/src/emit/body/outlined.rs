//! Loops that are functions of their own, compiled once: see `schedule::outline`.

use super::captured::Captured;
use super::expr::Tokens;
use super::rows::Rows;
use crate::loops::Stmt;
use crate::loops::captures::Captures;
use crate::loops::rows::Row;
use crate::ssa::Index;
use proc_macro2::TokenStream;
use quote::quote;

/// `for index in low..high { body }` as a call.
pub(super) fn each(
    t: &Tokens<'_>,
    index: Index,
    (low, high): (TokenStream, TokenStream),
    (body, rows): (&[Stmt], &[Row]),
) -> TokenStream {
    let c = Captures::of(t.program, index, body);
    let mut given = Captured::numbers(t, &c);
    let (mut begins, mut ends) = (TokenStream::new(), TokenStream::new());
    for (v, written) in c.vars.iter().map(|(v, w)| (*v, *w)).chain(c.totals.keys().map(|v| (*v, true))) {
        if !(written && Captured::is_scalar(t, v)) {
            given.var(t, v, written);
            continue;
        }
        // A scalar is a local of the function, too.
        let (name, out) = (t.var(v), t.helper(&format!("out{}", v.0)));
        let element = Captured::element(t, v);
        given.add(quote!(#out: &mut #element), quote!(&mut #name));
        begins.extend(quote!(let mut #name = *#out;));
        ends.extend(quote!(*#out = #name;));
    }
    let (outlined, from, to) = (t.helper("outlined"), t.helper("from"), t.helper("to"));
    let inside = super::each(t, index, (quote!(#from), quote!(#to)), (body, rows), &Rows::default());
    let allowed = crate::emit::many_arguments(2 + given.parameters.len());
    let Captured { parameters, arguments } = given;
    quote!({
        #allowed
        #[inline(never)]
        fn #outlined(#from: isize, #to: isize, #(#parameters),*) {
            #begins
            #inside
            #ends
        }
        #outlined(#low, #high, #(#arguments),*);
    })
}
