//! Eight vectors that are stored to places next to each other, or read from there: at once, with one check, and across by shuffles.

use super::Vector;
use crate::loops::Stmt;
use crate::schedule::strips::{Eight, eight};
use proc_macro2::TokenStream;
use quote::quote;

impl Vector<'_> {
    /// The first eight statements, if they are such.
    pub(super) fn eight(&self, stmts: &[Stmt]) -> Option<TokenStream> {
        let e = eight(self.t.program, self.index, self.captures, stmts)?;
        Some(if e.is_stored { self.stored(&e) } else { self.gathered(&e) })
    }

    fn gathered(&self, e: &Eight<'_>) -> TokenStream {
        let (t, lane, isa) = (self.t, self.lane(), self.t.helper("isa"));
        let names = e.locals.iter().map(|v| t.var(*v));
        let (v, offset, by) = (t.var(e.first.var), t.offset(e.first), t.stride(e.first, self.index));
        quote! {
            let [#(mut #names),*] =
                #lane::gather_eight(#isa, &#v[..], #offset as usize, #by as usize, #lane::WIDTH);
        }
    }

    fn stored(&self, e: &Eight<'_>) -> TokenStream {
        let (t, lane) = (self.t, self.lane());
        let names = e.locals.iter().map(|v| t.var(*v));
        let (v, offset) = (t.var(e.first.var), t.offset(e.first));
        if e.along {
            let pitch = t.pitch(e.first, e.dimension);
            return quote! {
                #lane::store_eight([#(#names),*], &mut #v[..], #offset as usize, #pitch as usize);
            };
        }
        let by = t.stride(e.first, self.index);
        quote! {
            #lane::scatter_eight([#(#names),*], &mut #v[..], #offset as usize, #by as usize, #lane::WIDTH);
        }
    }
}
