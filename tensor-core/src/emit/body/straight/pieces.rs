//! The functions of a long straight body, and their calls.

use super::Straight;
use crate::emit::body::declare::{self, Let, Piece};
use crate::emit::body::kernel::ISA;
use crate::emit::body::vector::LANE;
use crate::emit::runtime::RT;
use crate::loops::pieces::Step;
use proc_macro2::TokenStream;
use quote::quote;

/// What is kept between functions.
pub(super) const KEPT: &str = "kept";

impl Straight<'_> {
    /// One of the functions.
    pub(super) fn piece(&self, steps: &[Step]) -> TokenStream {
        let (kept, lane, slots) = (self.t.helper(KEPT), self.t.helper(LANE), self.reach.pieces.slots);
        let steps = self.steps(steps);
        quote!(let #kept = &mut #kept[..#slots * #lane::WIDTH]; #steps)
    }

    pub(super) fn steps(&self, steps: &[Step]) -> TokenStream {
        let (kept, lane, isa) = (self.t.helper(KEPT), self.t.helper(LANE), self.t.helper("isa"));
        let vector = self.vector();
        let one = |step: &Step| match *step {
            Step::Take(v, slot) => {
                let value = quote!(#lane::load(#isa, &#kept[..], #slot * #lane::WIDTH));
                Piece::Let(Let { name: self.t.var(v), is_mut: false, ty: None, value })
            }
            Step::Compute(k) => Piece::Let(self.declared(&vector, &self.parts.lanes[k])),
            Step::Keep(v, slot) => {
                let name = self.t.var(v);
                Piece::Other(quote!(#lane::store(#name, &mut #kept[..], #slot * #lane::WIDTH);))
            }
        };
        declare::block(&steps.iter().map(one).collect::<Vec<_>>())
    }

    /// The calls of all of them.
    pub(super) fn calls(&self) -> TokenStream {
        let (t, elem, set, isa) = (self.t, self.t.elem(), self.t.helper(ISA), self.t.helper("isa"));
        let (i, [from, to], kept) = (t.index(self.index), self.there(), t.helper(KEPT));
        let integers = &self.integers;
        let scalars: Vec<_> = self.scalars.iter().map(|v| t.var(*v)).collect();
        let one = |k: usize| {
            let name = t.helper(&format!("Piece{k}"));
            quote! {
                #RT::simd::outlined3::<#name, #elem, #set, _, _, _>(
                    #isa, [#i, #from, #to #(, #integers)*], [#(#scalars),*], &mut #kept[..]
                );
            }
        };
        (0..self.reach.pieces.functions()).map(one).collect()
    }
}
