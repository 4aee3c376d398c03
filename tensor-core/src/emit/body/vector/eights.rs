//! Eight vectors that are stored to places next to each other, or read from there: at once, with one check, and across by shuffles.

use super::Vector;
use crate::loops::Stmt;
use crate::loops::strips::{Across, Eight};
use proc_macro2::TokenStream;
use quote::quote;

impl Vector<'_> {
    /// Eight statements of the body, beginning with the first of these.
    pub(super) fn eight(&self, e: &Eight, stmts: &[Stmt]) -> TokenStream {
        let all: Vec<_> = stmts.iter().take(Eight::COUNT).filter_map(Eight::moved).collect();
        let (t, lane, isa) = (self.t, self.lane(), self.t.helper("isa"));
        let names = all.iter().map(|(local, ..)| t.var(*local));
        let Some((_, first, _)) = all.first() else { return TokenStream::new() };
        let (v, offset) = (t.var(first.var), t.offset(first));
        let by = || t.stride(first, self.index);
        match e.across {
            Across::Read => {
                let by = by();
                quote! {
                    let [#(mut #names),*] =
                        #lane::gather_eight(#isa, &#v[..], #offset as usize, #by as usize, #lane::WIDTH);
                }
            }
            Across::Stored => {
                let by = by();
                quote! {
                    #lane::scatter_eight([#(#names),*], &mut #v[..], #offset as usize, #by as usize, #lane::WIDTH);
                }
            }
            Across::Along => {
                let pitch = t.pitch(first, e.dimension);
                quote! {
                    #lane::store_eight([#(#names),*], &mut #v[..], #offset as usize, #pitch as usize);
                }
            }
        }
    }
}
