//! Rows: slices that are cut before the loop that walks them.

use super::expr::Tokens;
use crate::loops::Place;
use crate::loops::rows::{Row, Walk};
use crate::ssa::Index;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// What stands for a place inside a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows(Vec<(Place, TokenStream)>);

impl Rows {
    pub fn get(&self, p: &Place) -> Option<&TokenStream> {
        self.0.iter().find(|r| r.0 == *p).map(|r| &r.1)
    }
}

/// The rows of a loop over `index`, which starts at `first` and takes `len` steps counted by `k`; and what stands for their places inside.
pub(super) fn cut(
    t: &Tokens<'_>,
    index: Index,
    (first, len, k): (&Ident, &Ident, &Ident),
    rows: &[Row],
) -> (TokenStream, Rows) {
    let (mut tokens, mut inside) = (TokenStream::new(), Rows::default());
    for (n, Row { place, walk, is_written }) in rows.iter().enumerate() {
        let (row, v, i, offset) = (t.row(n), t.var(place.var), t.index(index), t.offset(place));
        let start = match walk {
            Walk::Still => {
                tokens.extend(quote!(let #row = #v[#offset as usize];));
                inside.0.push((place.clone(), quote!(#row)));
                continue;
            }
            Walk::Up => quote!(#first),
            Walk::Down => quote!((#first + (#len as isize - 1))),
        };
        let is_mut = is_written.then(|| quote!(mut));
        let at = quote!({ let #i: isize = #start; #offset as usize });
        tokens.extend(quote!(let #row = & #is_mut #v[#at..][..#len];));
        let element = if *walk == Walk::Down { quote!(#row[#len - 1 - #k]) } else { quote!(#row[#k]) };
        inside.0.push((place.clone(), element));
    }
    (tokens, inside)
}
